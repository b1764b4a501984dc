"""English prose without a cell: word lists, themes of sentence frames, voices, headings, names of forum users.

A frame is a sentence with slots. `<list>` is a word or phrase of that list, `<who>` one of a person or of people;
`[read|sort]` is one of these verbs, agreeing with the last `<who>` (else with one thing; `[+lie]` with several), and
in the tense of its paragraph; a word after "a" gets its article. {one}, {many}, {about} are a table's nouns and the
world's subject, {label} is one of the table's labels. Nothing here denies, counts, ranks or names a thing: what might
read as a fact of some world is never chrome. A fragment that holds a value of a world is left out there.
"""

from worldsmith.lang.language import Language, Theme, Voice


def _of(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace("\n", " ").split("|"))


LISTS = {
    "person": _of(
        """the desk | the editor | an archivist | a volunteer | the reading room | the proofreader | a careful reader |
        the night editor | our correspondent | a colleague | the keeper of the files | a local historian | a student |
        the indexer | a neighbour | the research team | a former editor | an old friend of the house | the copy desk |
        a guest writer | the cataloguer | a visitor | the registrar | a retired colleague"""
    ),
    "people": _of(
        """our readers | the editors | several readers | the volunteers | some archivists | most contributors |
        our correspondents | local historians | the proofreaders | students | many visitors | the regulars |
        the compilers | old hands | newcomers | the translators | former staff | people who write to us |
        a few patient souls | the cataloguers | researchers | the early contributors | members of the society"""
    ),
    "papers": _of(
        """papers | old ledgers | printed lists | loose notes | old files | carbon copies | letters | minutes |
        receipts | draft pages | proof sheets | index cards | scanned pages | memos | hand-written notes | cuttings |
        reference books | official notices | annual reports | bound volumes | drawings | photographs | maps |
        catalogues | log books | inventories | brochures | circulars | postcards | forms | registers | transcripts"""
    ),
    "paper": _of(
        """ledger | card index | letter | memo | note | report | transcript | catalogue | proof sheet | inventory |
        draft | notice | cutting | circular | bound volume | loose leaf | scan | carbon copy | postcard | brochure |
        log book | form | hand-written page | preface | appendix"""
    ),
    "state": _of(
        """kept | stored | filed | stacked | shelved | left | gathered | tied up | boxed | put away | collected |
        sorted | laid out | tucked away | set aside | rolled up | bundled"""
    ),
    "place": _of(
        """in the reading room | at the front desk | in the cellar | by the window | in a side room | in the attic |
        at the back of the building | across the yard | in a borrowed office | near the entrance | in the old kitchen |
        at the far end of the hall | in the loft | behind a glass door | at a neighbour's house | upstairs |
        in the garden | in a corner of the library | under the clock | next door | in the tea room | on the terrace"""
    ),
    "spot": _of(
        """in a tin box | on a long shelf | under the stairs | in a filing cabinet | beside the copier | on a trolley |
        in a cardboard folder | above the archive | on the reading table | in a drawer | in a fireproof room |
        behind the door | in a basement room | in a wooden chest | in the safe | on top of a cupboard |
        in a ring binder | between old atlases | in a suitcase | in the cellar | in the attic | in a side room |
        at a neighbour's house | at the back of the building"""
    ),
    "time": _of(
        """on weekdays | at weekends | in spring | in the autumn | over the winter | on a rainy afternoon |
        in the evening | after hours | on Sundays | early in the year | during the holidays | before lunch |
        after a long meeting | at short notice | on a slow day | late at night | over several weekends |
        in the course of a summer | before the move | between other jobs | at the usual time | around the holidays"""
    ),
    "manner": _of(
        """slowly | carefully | with care | in good faith | by hand | line by line | page by page | at leisure |
        with patience | aloud | in pencil | with a ruler | from memory | in silence | in daylight | with a cup of tea |
        in plain language | as far as time allows | in alphabetical order | from back to front | with a fresh eye |
        in pairs | under a lamp | for the sake of order"""
    ),
    "habit": _of(
        """as a rule | now and then | most mornings | from time to time | by habit | on quiet days | every so often |
        in most weeks | as often as time permits | by long custom | in principle | on request | when the post arrives |
        before each edition | at regular intervals | in practice | by and large | when in doubt | in the ordinary way"""
    ),
    "adj": _of(
        """careful | patient | plain | short | quiet | useful | honest | modest | steady | fair | clear | friendly |
        practical | detailed | thorough | sober | lively | dry | generous | simple | welcome | thoughtful | curious |
        readable | reliable | sensible | tidy | brief | frank | gentle"""
    ),
    "part": _of(
        """heading | opening line | wording | spelling | layout | order of the lines | summary | footnote | margin |
        caption | closing note | punctuation | index | title | phrasing | cross-reference | outline | paragraph |
        abbreviation | typeface | link | passage | preamble | line break"""
    ),
    "work": _of(
        """sorting papers | reading proofs | checking the spelling | comparing drafts | copying out notes |
        writing to archives | following up hints | naming sources | drawing up lists | clearing the post |
        reading old letters | mending links | filing cuttings | typing up notes | tracing a misprint |
        going through boxes | scanning pages | settling a doubt | looking up spellings | tidying the index |
        talking to witnesses | asking around | redrawing a table | translating a note"""
    ),
    "snag": _of(
        """a smudged line | a torn corner | a misread letter | a page out of order | a change of ink | a missing sheet |
        a hasty copy | a wrong turn in the index | a faded stamp | an odd spelling | a slip of the pen |
        a crossed-out word | a coffee stain | a folded edge | a blurred scan | an unsigned note | a stray comma |
        a repeated line | a careless summary | an old rumour | a mixed-up label | a broken link"""
    ),
    "why": _of(
        """because readers asked for it | to save others the search | so that the file stays tidy | for lack of space |
        to keep the page readable | since memory is short | because somebody has to | out of respect for the sources |
        to make comparing easy | so that mistakes come to light | for the benefit of newcomers | as a matter of course |
        to avoid confusion | because it seemed fair | so that the next editor can follow | for the sake of clarity |
        since the archive allows it | because a doubt remained | to keep the peace | for practical reasons"""
    ),
    "use": _of(
        """a school project | a talk | a local paper | a family history | a quiz | a reading group | a catalogue |
        a walk | a lesson | a radio feature | a club evening | a thesis | an exhibition | a town meeting | a dispute |
        a long train ride | a notebook | a guided tour | a survey | a friendly bet | a newsletter | a book chapter"""
    ),
    "good": _of(
        """helps | is worth the effort | saves time | settles most doubts | is good practice |
        keeps the record straight | pays off in the end | makes reading easier | is a small courtesy | brings order |
        earns trust | clears the air | gives a fuller picture | is time well spent | keeps everyone honest |
        makes a difference | does the trick"""
    ),
    "feel": _of(
        """glad | curious | surprised | relieved | puzzled | grateful | pleased | charmed | impressed | amused |
        delighted | hopeful | content | thankful | touched | intrigued | cheerful | convinced | moved | uneasy"""
    ),
    "topic": _of(
        """its background | the wider setting | the paperwork | the cast of people involved | daily practice |
        the local angle | the way it is run | what outsiders see | the small print | the gossip around it |
        its neighbourhood | the point of it all | its standing | its vocabulary | the choice of sources |
        the daily post | the mood of the place | what regulars say | its reputation | the view from outside"""
    ),
    "kin": _of(
        """a ferry | a racehorse | a folk tune | a hamlet | a variety of apple | a hill | a fishing boat | a rose |
        a card game | a pony | a windmill | a brook | a quarry | a choir | a kind of cheese | a footpath |
        a country house | a barge | a dance | a sheepdog | a hedge maze | a spring | a well | a locomotive"""
    ),
    "tail": (
        *(", as ever", ", by and large", " to this day", ", at least for now", ", in our experience", ", all the same"),
        *(
            ", come what may",
            ", as things stand",
            ", so far",
            ", or near enough",
            ", for what it is worth",
            " after all",
        ),
        *(", as usual", ", to be on the safe side", " in the long run", ", give or take", ", with a little luck"),
        *(" for the time being", ", in a manner of speaking", ", if memory serves", " as of old", ", in all fairness"),
        *(", weather permitting", ", for better or worse", ", by general consent", " until further notice"),
        *(", where possible", ", with due care", ", as is our custom", ", at the end of the day", ", in so many words"),
        *(" in any case", ", as we see it", ", on balance", ", in broad terms", ", to put it mildly", ", on the whole"),
        *(", if all goes well", ", to be exact", ", strictly speaking", ", as luck would have it", ", in short"),
    ),
    "handle": _of(
        """quiet | rusty | early | idle | wandering | patient | gentle | curious | sleepy | wry | bookish | mellow |
        nimble | stubborn | cheerful | absent | thrifty | drowsy | plucky | candid"""
    ),
    "animal": _of(
        """heron | badger | otter | sparrow | magpie | hedgehog | lynx | plover | weasel | marten | toad | moth |
        cricket | starling | vole | gull | rook | hare | newt | wren | stoat | beetle | finch | tern"""
    ),
    "mail": _of(
        """letters | questions | remarks | hints | corrections | requests | memories | suggestions | messages |
        objections | kind words | notes | comments | doubts | offers of help | postcards | long replies | short calls"""
    ),
    "shape": _of(
        """the same order | plain words | short lines | a fixed layout | a table | a few paragraphs | full sentences |
        neat columns | a compact form | a steady format | everyday language | small sections | labelled lines |
        a sober tone | a familiar pattern | simple terms"""
    ),
}

_ALIKE = """
page entry article text; pages entries articles texts; line row field; seldom rarely hardly; told related passed_on
explained; small little slight; remark comment word; remarks comments; reader visitor user; readers visitors users;
given offered supplied; copy duplicate print; links pointers references; subject topic theme; version edition draft;
words terms expressions; rest remainder; trouble bother; place spot; talks conversations; easier simpler; shown
presented handed; found seen; hard difficult tricky; rare scarce; whoever anyone_who; welcome appreciated; changed
altered revised; new fresh; usually mostly generally; enough sufficient; afternoon evening morning; winter season;
group party handful; confusion puzzlement head-scratching; suggestions proposals; purpose occasion; evening night;
harmless innocent trivial; practice routine; name title label; finished completed; drafts rounds versions;
impression mark; taste preference; hint clue tip; hopes expectations; view opinion; known familiar; stories tales
anecdotes; notice announcement release; editors journalists; quoting citing; pictures photos images; names
spellings; lists tables overviews; list overview table
"""
_SETS = [[w.replace("_", " ") for w in group.split()] for group in _ALIKE.replace("\n", " ").split(";")]
ALIKE = {group[0]: tuple(group) for group in reversed(_SETS) if len(group) > 1}
"""What a word of a frame may be replaced by."""
_PASTS = """
find:found keep:kept write:wrote rewrite:rewrote read:read reread:reread send:sent say:said take:took leave:left
make:made come:came go:went see:saw tell:told give:gave hold:held begin:began bring:brought know:knew think:thought
put:put set:set upset:upset lie:lay rise:rose draw:drew redraw:redrew speak:spoke lend:lent spend:spent meet:met
hear:heard stand:stood win:won mean:meant feel:felt lead:led grow:grew run:ran let:let build:built catch:caught
pay:paid fall:fell sit:sat deal:dealt do:did plan:planned spot:spotted prefer:preferred stop:stopped drop:dropped
"""
IRREGULAR = dict(pair.split(":") for pair in _PASTS.split())


def _theme(name: str, heads: str, start: str, middle: str, end: str, *, past: bool = False) -> Theme:
    return Theme(name, _of(heads), _lines(start), _lines(middle), _lines(end), past)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().split("\n"))


NEUTRAL = (
    _theme(
        "sources",
        "Sources | Where this comes from | Behind the page | The papers | Origins of the entry",
        """The account of this {one} [rest] on <papers> <state> <spot>.
        Behind every line here [+stand] <papers>, <state> <spot> <why>.
        <who> [find|turn up|collect|bring] most of the <papers> for this page <time>.""",
        """<who> [find|come across|look through|copy] <papers> <place> and [add|compare|match] them with <papers>.
        Some of the <papers> [+be] <state> <spot>, <why>.
        A <adj> <paper> from <person> [fill|explain|complete] what <papers> leave out.
        <who> [read|check|sort] the <papers> <manner>, <time>.
        Where <papers> and <papers> differ, <who> [go|turn|write] back to the <paper>.
        The <paper> behind the line on {label} [be] <state> <spot>.
        Such <papers> [+be] <adj> company, and <work> <good>.
        For {label}, <who> [prefer] <papers> to <papers>.""",
        """Anyone may ask to see the <papers>; <person> will fetch them <place>.
        What rests on hearsay alone [be] left to <papers> of another kind.
        A list of the <papers> is <state> <spot>, and <work> from it <good>.""",
    ),
    _theme(
        "method",
        "How this page is made | Method | The way we work | Making the entry | From note to page",
        """Putting a page on a {one} together [mean] <work>, <work> and <work>.
        <who> [begin|start] each page on {many} by <work>, <manner>.
        This page [go] through several drafts before <person> [let] it go.""",
        """<habit>, <who> [check|reread|shorten] the <part> <manner>.
        <who> [put|set|leave] the <part> aside <time> and [return|come back] to it with <adj> notes.
        A change to the <part> [need] a <adj> reason, <why>.
        <work> [come] before <work>, <why>.
        The <part> and the <part> [+be] written by different people, which <good>.
        <who> [ask] for a <adj> <part> rather than a <adj> one.
        The line on {label} [be] copied <manner> from the <paper>.
        <time>, <who> [redraw|mend|settle] the <part>, <why>.
        With {many}, <work> [take] longer than <work>.""",
        """In the end <work> <good>.
        The result [be] meant to be <adj> and <adj>.
        <who> [read] the finished page <manner> before publication.""",
    ),
    _theme(
        "reading",
        "How to read this page | Reading the entry | A note for readers | Using the page | Before you start",
        """A reader new to {many} will find the <part> a <adj> place to start.
        This page follows <shape>, like every other page on {many} here, <why>.
        Readers who come for {label} <time> can go straight to the line with that name.""",
        """The <part> [be] kept <adj>, <why>.
        Lines are set in <shape>; <work> went into the <part>.
        <habit>, the <part> tells what a {one} is called and the rest follows in <shape>.
        What is said under {label} is taken as the <paper> has it.
        A <adj> look at the <part> <good> before the figures are used for <use>.
        Links lead to pages in <shape>, and from there to <papers>.
        Whoever needs the page for <use> should note the <part> as well.
        Terms such as {label} are used in their everyday sense, <why>.
        Where a line is marked as empty, <person> had only <papers> to go by.""",
        """With a little practice, {many} can be compared in <shape>.
        Reading <manner> <good>.
        For <use>, the <part> is usually enough.""",
    ),
    _theme(
        "story",
        "History of the page | How the entry grew | Earlier versions | The page over time",
        """The page on this {one} [begin] as a <adj> note <place>.
        <person> [write] an early version of the page <time>, <manner>.
        What is now a page on a {one} was for years a <paper> <spot>.""",
        """<time>, <who> [add|move|rewrite] the <part>.
        An older <part> [be] replaced <time>, <why>.
        <who> [suggest|propose|ask for] a <adj> <part>, and <person> [agree].
        For a while the <part> [be] written in <shape>.
        The <paper> that <person> [lend] us <time> [change] the <part>.
        <snag> [cause] some confusion until <who> [look] at the <paper> <manner>.
        The line on {label} [move] to its present place <time>.
        <who> [remember|mention] a version in <shape>, now <state> <spot>.""",
        """Older versions [+be] <state> <spot> for whoever needs them.
        Since then the page [change] only in its <part> and its <part>.
        The story of the page [be] told <manner> in a <adj> <paper>.""",
        past=True,
    ),
    _theme(
        "repairs",
        "Corrections | Mistakes and mending | Errors | When something is wrong | Putting it right",
        """Mistakes happen: <snag> is enough, and <who> [be] as human as anyone.
        <who> [write] to us about <snag> <time>.
        A page on a {one} is seldom finished, and <mail> [+be] welcome.""",
        """<who> [notice|spot|report] <snag> in the <part> <time>.
        <snag> [look] harmless, yet [spoil|upset|cloud] the line on {label}.
        The desk [thank|credit] whoever [find] <snag>, <manner>.
        Such <mail> [+be] read <manner>, <habit>.
        A correction [start] with the <paper> and [end] with <work>.
        <person> [trace] the trouble to <snag> <place>.
        <who> [compare] the <paper> with <papers> and [mend] the <part>.
        Before a line [be] changed, <who> [ask] for a <adj> <paper>.
        What looked like <snag> [turn] out to be right, <why>.""",
        """Please send <mail> about {many} with a <paper>, if there is any.
        <mail> reach <person> <habit>.
        Every correction <good>, however small.""",
    ),
    _theme(
        "compare",
        "Comparing {many} | Side by side | In context | Among other {many} | Points of comparison",
        """Put beside other {many}, this {one} is best read with its <part> in mind.
        <who> [like] to lay the pages of several {many} side by side.
        Comparing {many} is easier when <papers> agree on the <part>.""",
        """A comparison by {label} [need] <adj> <papers>.
        <who> [compare] {many} by {label} and then by {label}.
        Between a {one} and its neighbourhood, the <part> often [tell] more than the <part>.
        For <use>, <who> [draw|make|sketch] a chart of {label} <manner>.
        The directory of {many} [be] a <adj> companion to <papers>.
        It [pay] to read the <part> of both pages <manner>.
        What sets a {one} apart is seldom found in the <part>, <who> [say].
        <work> [help] when {label} and {label} seem to point different ways.
        <habit>, <who> [put] {label} before {label}.""",
        """In all of this, a <adj> eye <good>.
        The pages of other {many} follow <shape> too, <why>.
        The rest [be] a matter of <work>.""",
    ),
    _theme(
        "terms",
        "Terms used | What the words mean | A short glossary | Words and labels",
        """The words on this page are those that <people> use when they speak of {many} <place>.
        Some labels here deserve a <adj> remark.
        By {label} the desk means what the <paper> calls by that name.""",
        """The label {label} [be] taken from a <adj> <paper>, <why>.
        <who> [read] {label} as a <adj> term.
        Under {label} [+stand] only what <papers> have under that name.
        In <papers>, {label} is sometimes given in <shape>.
        <who> [suggest] a <adj> word for {label}, but the <paper> has this.
        A note on {label} [be] <state> <spot>.
        The term {label} [turn] up in <papers> <habit>.
        For {label}, the <part> [follow] the <paper>.
        Between {label} and {label} there is a <adj> difference, which <papers> explain.""",
        """Words, like <papers>, [+need] <adj> handling.
        The guide to {many} has more on such words in <shape>.
        If a term is unclear, a note to the desk <good>.""",
    ),
    _theme(
        "place",
        "The reading room | Visiting us | Where the papers are | Around the archive",
        """The papers on {many} [+be] <state> <spot>, <why>.
        Visitors who come for {many} are shown <papers> <place>.
        <who> [meet] <place> for an evening about {about}.""",
        """A <adj> lamp and a <adj> table [+wait] <place>.
        <who> [bring] <papers> and [leave] with <papers>.
        Copies of <papers> [+be] made <manner>, <habit>.
        <time>, <person> [show] a group of visitors the <paper> <place>.
        Tea is served <place>, away from <papers>.
        The shelf for {many} stands <place>, next to <papers>.
        Those who plan <use> may reserve the <paper>.
        Pencils are lent <place>; pens stay with <person>.
        <who> [spend] an afternoon <place>, <work>.""",
        """A visit <good>, and <mail> beforehand help.
        Closing time is announced <manner>.
        Guests leave their <papers> <spot>.""",
    ),
    _theme(
        "use",
        "Using this material | Who reads this | What the page is good for | Reuse",
        """The page has served for <use> and for <use>.
        <who> [use] this page on a {one} for <use> <time>.
        Reuse is free as long as the <paper> is named along with the page.""",
        """<who> [quote] the <part> in <use>.
        For <use>, <adj> wording [be] asked for and given.
        <who> [copy] the line on {label} for <use>, <manner>.
        A teacher [hand] the page round <time>, <why>.
        <use> [call] for <papers> as much as for pages like this.
        Whoever takes figures from here for <use> should say so <manner>.
        <who> [print] the page in <shape> for <use>.
        The <part> [find] its way into <use> <time>.""",
        """All of this <good>, and credit is welcome.
        <mail> about such uses reach us <habit>.
        A copy of <use> would be a <adj> thing to have <place>.""",
    ),
    _theme(
        "plans",
        "What comes next | Plans | Work ahead | Still to do",
        """There is more to be said about this {one}, and <person> [mean] to say it.
        <who> [plan] a <adj> page in <shape> for each of our {many}.
        <work> is next, then <work>.""",
        """<who> [hope] to see the <paper> <place> <habit>.
        A <adj> <part> [be] in the making, <why>.
        <work> will take up much of the winter, <person> [say].
        <who> [ask] for help with <work>.
        Pages on other {many} will get a <adj> <part> as well.
        The <papers> <place> [+wait] for <person>.
        After that, {label} will be looked at <manner>.
        <who> [offer] to lend <papers> for the purpose.""",
        """Until then the page stays in <shape>, <why>.
        Progress is noted <place>, <habit>.
        Offers to help with <work> are welcome.""",
    ),
    _theme(
        "letters",
        "From the letters | Readers write | The mailbag | Comments received",
        """<mail> about {many} arrive <habit>.
        This {one} [bring] us <mail> from <person> and from <people>.
        <who> [send] <mail> about the page <time>.""",
        """<who> [ask] whether the <part> could be a little more <adj>.
        Among the <mail> [be] a <adj> <paper>, <state> <spot>.
        <who> [remind] us of <snag> in an older <paper>.
        Other <mail> [+deal] with {label}, <manner>.
        A <adj> reply [go] out <time>.
        <person> [read] the <mail> aloud <place>.
        <who> [enclose] <papers>, <why>.
        Some <mail> [+come] in <shape>, others as <papers>.
        What <people> say about {label} [+fill] a folder <place>.""",
        """All <mail> are kept <place>, <why>.
        The desk is <feel> about each of them.
        Please write <manner>; it <good>.""",
    ),
    _theme(
        "setting",
        "Background | The wider picture | Setting | Around the subject",
        """Whoever reads about {about} will meet {many} <habit>.
        In writing on {about}, the {one} has a <adj> part of its own.
        To understand a {one}, it helps to know <topic> and <topic>.""",
        """<who> [write] about <topic> in <papers> <state> <spot>.
        <topic> [be] a <adj> subject in itself, <who> [say].
        In talks about {about}, <topic> [come] up <habit>.
        <who> [see] a link between <topic> and <topic>.
        Such things [+be] hard to put in <shape>, which is why <papers> matter.
        A {one} is more than {label} and {label}, <who> [add].
        For <topic>, <work> <good>.
        <papers> on <topic> [+be] rare, and <adj> when they turn up.
        <who> [remember] how <topic> used to be told in <shape>.""",
        """That much about <topic>; the rest is in <papers>.
        So <topic> and <topic> belong together.
        More on <topic> can be found <place>.""",
    ),
    _theme(
        "care",
        "About this page | Upkeep | Care of the record | Who looks after this",
        """This page on a {one} is looked after by <person>, <habit>.
        <who> [look] after pages on {many} between <work> and <work>.
        Upkeep [be] mostly a matter of <work>.""",
        """<person> [keep] a <adj> <paper> of what was changed.
        The <part> [be] read again <habit>, <manner>.
        <who> [tidy] the <part> <time>, <why>.
        Links to other {many} [+be] tried <manner>.
        <snag> [be] dealt with <place>.
        Every so often the line on {label} [be] held against the <paper>.
        When <people> ask about {label}, <person> [look] it up <place>.
        <work> and <work> [+share] the afternoon.
        A copy of the page [be] <state> <spot>, <why>.""",
        """In this way the page stays <adj>.
        Thanks go to <people> and to <person>.
        Everything else [be] in the hands of <people>.""",
    ),
)

PERSONAL = (
    _theme(
        "thanks",
        "Thank you | Replies | In reply",
        """Thanks for this, I had been looking around for a page on this {one} <time>.
        Just what I needed for <use>, thank you.
        I am <feel> that somebody takes the trouble with {many}.""",
        """I read it <manner> and passed it on to <person>.
        The <part> is <adj>, and the <part> even more so.
        My notes <place> say much the same about {label}.
        I would have put {label} before {label} in the <part>, but that is a matter of taste.
        <who> [tell] me about it <time>.
        It made me <feel>, to be frank.
        I still keep a <paper> of my own <spot>.""",
        """Keep it up, it <good>.
        I will be back with <papers>.
        Greetings to <person>.""",
    ),
    _theme(
        "memory",
        "Memories | As I remember it | A visitor writes | Long ago",
        """I remember hearing about this {one} <time>, from <person>.
        My family kept <papers> about {many} <place>.
        In those days I met <person>, who knew {many} well.""",
        """We sat <place> and went through <papers> <manner>.
        <who> [tell] us about <topic>, <manner>.
        There was <snag>, and we laughed about it <time>.
        I was <feel>, and I am still a little <feel>.
        Somebody had <state> a <paper> <spot>.
        People talked of <topic> more than of {label} in those days.
        I wrote it all down in <shape>, <why>.""",
        """I wonder what became of the <paper>.
        Good days, those, with <work> and <work>.
        If <people> remember it too, please write.""",
    ),
    _theme(
        "question",
        "A question | Can anybody help | Asking around | Help wanted",
        """I am collecting {many} for <use> and could do with some help.
        Does anybody know where the <papers> on this {one} are kept now?
        A question about {label}, if I may, as I need it for <use>.""",
        """I have looked <place> and asked <person>.
        So far I have a <adj> <paper> and a lot of <papers>.
        The <part> left me <feel>.
        <who> [point] me to this page, so here I am.
        I am after {label} above all, then {label}, for <use>.
        Is the <part> the place to look, or the <part>?
        I tried <work> <time>, and it led to <snag>.""",
        """Any hint <good>.
        Thanks in advance, also on behalf of <person>.
        I can offer <papers> in return.""",
    ),
    _theme(
        "advice",
        "Some advice | What I would do | A tip | From experience",
        """If you want to know about a {one}, read the <part> before anything else.
        My advice: begin with <work>, then look at {label}.
        I have gone through many pages on {many}, and the <part> [be] always a <adj> guide.""",
        """Ask <person>, they know the <papers> <manner>.
        For {label} I would trust the <paper>.
        <work> <good>, in my experience.
        Take a <adj> note of {label} while you are there.
        It is easy to be misled by <snag>.
        <who> [do] it the other way round, and I see why.
        Go <place>, it is <adj> there <time>.""",
        """That is how I do it <time>, at any rate, with <papers> to hand.
        Your mileage may vary, <who> [say], with <work>.
        Have fun with <work>.""",
    ),
    _theme(
        "opinion",
        "My view | Verdict | In short | What I make of it | Closing thoughts",
        """I came to this {one} with <adj> hopes, and left <feel>.
        What I like about {many} is <topic>.
        Opinions on this {one} differ, and mine is <adj>.""",
        """To my mind, <topic> matters more than {label}.
        The <part> could be more <adj>; still, it <good>.
        I talked to <person> about it <time>, <place>.
        <who> [see] it otherwise, and they have <papers> to show.
        On paper, {label} and {label} say a lot; in daily life it is <topic>.
        I would look at it again <time>.
        It all made a <adj> impression.""",
        """All in all, a <adj> thing to have looked at.
        Make of that and of <topic> what you will.
        I remain <feel>.""",
    ),
)

GENRES = (
    _theme(
        "news",
        "In brief | The report | At a glance",
        """<who> [bring] news of a {one} <time>.
        A {one} was the talk <place> <time>.
        Word about a {one} [reach] the desk <time>, with <papers>.""",
        """<who> [confirm] it to the desk <manner>.
        The report [rest] on a <adj> <paper>.
        <people> [ask] about {label} <habit>.
        <who> [follow] <topic> with interest.
        The line had been <state> <spot>.
        It [come] to light through <work>.
        Reactions were <adj>.""",
        """The desk will follow <topic>.
        <mail> on the matter are welcome.
        The entry linked below has the rest of the record, in <shape>.""",
        past=True,
    ),
    _theme(
        "press",
        "Notes to editors | Contact | About the sender | Further material",
        """This notice may be quoted for <use> and for <use>.
        <who> [prepare] the notice <time>, <manner>.
        Editors will find <papers> <place>.""",
        """Copies of <papers> can be had <place>.
        <person> [be] happy to speak about <topic>.
        Pictures and <papers> [+be] sent on request.
        The <part> may be shortened as long as it stays <adj>.
        Figures for {label} are those of the <paper>.
        Interviews about <topic> can be arranged <place>.
        Please name the <paper> when quoting {label}.""",
        """<mail> reach the press desk <habit>.
        Thank you for a <adj> report.
        The sender answers for the <part>.""",
    ),
    _theme(
        "list",
        "About this list | Reading the list | Remarks | How the list is kept",
        """This list leads to pages on every {one}, in <shape>.
        The list [be] brief on each {one}; <papers> and pages have the rest.
        <who> [draw] up this list of {many} <time>, <manner>.""",
        """The list [follow] the pages of the {many}, <habit>.
        For {label} and its <part>, <who> [look] at the page on the {one}.
        Long lists [+be] split <why>.
        <who> [use] lists like this for <use>.
        The order of the lines [be] the same <habit>.
        A <adj> check against the <paper> [be] due <time>.
        <snag> may hide in any list, so <mail> are welcome.""",
        """Names are spelled as in the <paper>.
        The list <good> when several {many} are compared.
        Other lists of {many} are kept in <shape>.""",
    ),
    _theme(
        "kin",
        "Another of the same name | Same name, other thing | Not to be mixed up",
        """The name is also borne by <kin>, of which this page tells.
        Here the name stands for <kin>, known to <people>.
        This page is about <kin> that shares its name with a {one}.""",
        """<who> [know] it from <papers>.
        It [be] talked about <place>, <habit>.
        <people> [tell] <adj> stories about it.
        A <adj> <paper> about it [be] <state> <spot>.
        How it [come] by the name is told in <papers>.
        <who> [mix] it up with the {one} <habit>.
        It [have] a <adj> following among <people>.
        <who> [paint|sketch|describe] it <time>, <manner>.""",
        """For the {one}, <who> [follow] the link below.
        The {one} of that name has a page of its own, in <shape>.
        Please keep the {one} and its namesake apart <why>.""",
    ),
)

VOICES = (
    Voice(
        "plain",
        (
            *("", "", "Later, ", "", "After that, ", "", "As a rule, ", "", "", "At the same time, ", ""),
            *("Even so, ", "", "In the end, ", "", "", "Besides, "),
        ),
        ("", "", "", "On file, ", "In the entry, ", "Besides, ", "As listed, "),
        spelled=False,
    ),
    Voice(
        "formal",
        (
            *("", "", "Accordingly, ", "", "In this respect, ", "", "", "By established practice, ", ""),
            *("Furthermore, ", "", "", "In due course, ", "", ""),
        ),
        ("According to the record, ", "As entered, ", "", "", "For the record, ", "It is noted that ", "Furthermore, "),
        spelled=True,
    ),
    Voice(
        "warm",
        (
            *("", "", "Happily, ", "", "As it happens, ", "", "", "To be fair, ", "", "Of course, ", ""),
            *("Then again, ", "", "Luckily, ", ""),
        ),
        ("", "As it happens, ", "", "Readers may like to know that ", "By the way, ", "As our files have it, "),
        spelled=True,
    ),
    Voice(
        "brisk",
        ("", "", "", "Still, ", "", "Also, ", "", "", "Then ", "", "So ", "", "Meanwhile, ", ""),
        ("", "", "", "", "Also: ", "In short, "),
        spelled=False,
    ),
)

HEADINGS = {
    "infobox": _of("Data | Key facts | At a glance | The entry | Facts and figures | On record"),
    "prose": _of("In detail | The {one} | Description | More about the {one} | Account | What is known"),
    "related": _of("See also | Related pages | Further pages | Links | Elsewhere on this site"),
    "neighbours": _of(
        "More {many} | Other {many} in the directory | Next in the alphabet | Neighbours in the directory"
    ),
    "comments": _of("Comments | Replies | What readers say | Discussion"),
    "points": _of("Key points | The facts | In figures | The essentials"),
}

ANCHORS = {
    "directory": _of("Directory of {many} | All {many} | {Many} from A to Z | The directory of {many}"),
    "guide": _of("A reader's guide to {many} | Guide to {many} | Reading our pages on {many}"),
    "front": _of("Front page | Home | Start page"),
    "work": _of("How we work | About us | Our practice"),
    "news": _of("In brief | In the news | A short report"),
    "press": _of("Press notice | A notice to the press | For the press"),
    "blog": _of("From the blog | A blog post | On the blog"),
    "review": _of("A review | Reviewed | Our review"),
    "forum": _of("In the forum | A forum thread | Discussed in the forum"),
    "context": _of("Background | Among its neighbours | Set beside others"),
}

TITLES = {
    "news": _of(
        """{name} in brief: {label} | News of {name}: {label} | On {name}: {label} |
        In the files today: {name} and its {label}"""
    ),
    "press": _of("Notice to the press: {name} | For release: facts on {name} | On {name}, for editors"),
    "blog": _of(
        """Reading up on {name} | An evening with {name} | What I found out about {name} | Notes to self: {name} |
        Why I keep coming back to {name}"""
    ),
    "review": _of("A closer look at {name} | Reviewed: {name} | We looked at {name} | Our view of {name}"),
    "forum": _of(
        "Question about {name} | Anybody here who knows {name}? | Thread: {name} | Comparing {name} with others"
    ),
    "context": _of(
        "{Many} around {name} | In the neighbourhood of {name} | {name} and its neighbours | Setting {name} in context"
    ),
    "archive": _of("Archived copy: {name} | From the archive: {name} | Earlier version: {name}"),
    "kin": _of("The other {name} | {name}, by the same name | About the name {name}"),
}
"""{name} is the row's; {label} of the column told."""

BYLINES = _of("By {author} | Written by {author} | Text: {author} | {author} for the desk | Posted by {author}")
WALLS = _of(
    """The rest of this page is for subscribers. | Please sign in to read on. |
    To continue reading, take out a subscription. | The full text is open to members."""
)
CUES = _of(
    """Another page gives this otherwise; the entry linked here is kept up to date: |
    Readers point to a different account in the entry: | For the figures that hold, see the entry: |
    This text may contain a mistake, so please compare the entry: """
)
COPIES = _of(
    """This is a copy from an archive; the page may have changed since. The present page: |
    The archive took this copy on an earlier day. What the page says today: |
    Kept as it was found by the crawler, and out of date by now. The living page: """
)
NAMESAKES = _of("For the {one} of this name: | The {one} itself has its page here: | Looking for the {one}? ")

ENGLISH = Language(
    LISTS,
    ALIKE,
    IRREGULAR,
    NEUTRAL,
    PERSONAL,
    GENRES,
    VOICES,
    HEADINGS,
    ANCHORS,
    TITLES,
    BYLINES,
    WALLS,
    CUES,
    COPIES,
    NAMESAKES,
)
