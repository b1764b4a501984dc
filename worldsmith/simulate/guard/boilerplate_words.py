"""Words in which a page speaks of itself and its records, and the words that join them: they claim nothing."""

_WORDS = """
a an the this that these those it its they their them he she his her we our us you your i me my one ones is are was
were be been being has have had having do does did can could may might will would shall should and or but nor so yet
if as at by for from in into of off on onto out over per than then through to under up upon with within without
about above across after against along among around before behind below beneath beside besides between beyond during
except inside near outside past since throughout till until via while whether because though although where when who
whom whose which what how why there here hence thus therefore again also too very just only even ever always often
usually still already now today soon later once twice all any both each either every few many more most much neither
no none not other others same several some such another own alone together else following respectively namely
example instance including included include includes etc eg ie vs versus note notes page pages site website web
online entry entries record records register registers registry list lists listed listing table tables row rows
column columns field fields value values figure figures fact facts data dataset detail details detailed information
info summary overview profile profiles sheet specification specifications spec specs chart index directory archive
catalogue catalog database file files folder section sections chapter part parts paragraph heading headings title
titles name names named label labels link links linked source sources reference references document documents report
article articles post posts thread answer answers question questions topic topics subject subjects item items key
keys point points line lines text words word show shows shown see seen look looks looking looked find finds finding
found read reads reading give gives given giving get gets contain contains contained cover covers covered collect
collects collected compile compiles compiled present presents presented provide provides provided offer offers set
sets put bring brings brought take takes taken tell tells told say says state states stated mention mentions
mentioned describe describes described refer refers referred go goes come comes know knows known help helps hope
check checks checked keep keeps update updates updated stand stands click scroll follow follows want wants need
needs use uses used make makes made complete completes completed full fully whole entire total short brief briefly
quick long new old latest recent current currently available further additional extra important main basic general
related similar relevant useful various different certain sure true right exact exactly correct well welcome thanks
thank please hello hi dear everyone anyone everything anything something nothing thing things place places glance
way ways case cases end start beginning top bottom left next last first second third order ordered sort sorted
alphabetical alphabetically written wrote posted signed bearer bearers author authors kind kinds type types sorts
group groups number numbers amount amounts count counts date dates day days time times year years month months week
weeks moment writing contents content introduction conclusion background basics bare plain simply quickly easily
side let lets let's wondered wonder wondering asked ask asks curious interested up- to-date gathered gather one's
aforementioned said remains remain stay belong belongs call called so-called particular particularly especially
mainly mostly rather quite almost nearly roughly approximately least yes okay ok indeed actually finally lastly
firstly secondly overall altogether sum
"""
META = frozenset(_WORDS.split())
