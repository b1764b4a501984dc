"""The sounds of twelve invented cultures, and the word lists they unfold into.

A word is a head (onset, vowel, maybe a coda), maybe a middle (link, vowel), and an end (link, rime); the rime tells
what it names: a given name, a family, a place, or a thing. A hyphen stands for no onset. Spellings are plain ASCII: an
index, a URL and an impatient reader all take them as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

ROLES = ("given", "family", "place", "thing")


@dataclass(frozen=True, slots=True)
class Culture:
    """What a culture's words are built from; each field is a space-separated list."""

    onsets: str
    vowels: str
    codas: str
    links: str
    given_ends: str
    family_ends: str
    place_ends: str
    thing_ends: str


CULTURES: dict[str, Culture] = {
    "arvane": Culture(
        onsets="- b br c d f g l m n p r s t v tr gr fl al or",
        vowels="a e i o u ia",
        codas="l r n s",
        links="b d l m n r s t v nd lt rv",
        given_ends="a elo en ia ino ora ise eo una iel ita ano essa ilo",
        family_ends="ado anti aro elli escal inol onde urri eddo ave eri ombo asca etti uvo",
        place_ends="anza ena era olia uno osca ette aria imar ovia ero ila oria uce enta",
        thing_ends="ano era ion ivo ora umo elia exa onda aro avo ette ilo urra eno",
    ),
    "belosk": Culture(
        onsets="b d dr g k kr l m n p r s sv st t v vl z zd br",
        vowels="a e i o u",
        codas="r l n s z v",
        links="b d g k l m n r s t v zd sk",
        given_ends="a an ek ila imir ya osh una ena ik osla en iva oday usha",
        family_ends="ak endo ovin izh arul ula etz inka ovar esh ulin aska oy embo yra",
        place_ends="ava itza ogra una osk avka etz olye ishte uvo ylov ina akov urna ez",
        thing_ends="ar ika on et ova uk azh enka ir ort oma ask ula ev iza",
    ),
    "cendrith": Culture(
        onsets="- b br c cr d f g gl gw l ll m n p r rh t tr w",
        vowels="a e i o y ae",
        codas="n r l s d",
        links="dd d f g l ll m n r th w rw",
        given_ends="ych en eth wen ion yr ael ana ir ula is owen eld ynna or",
        family_ends="awr ennan orrid ewyn ach ogh aley ennit urn edd ithan olly arrow eg ys",
        place_ends="aeth ford ennow wyll on argh eryn och yth odd arrin ulech eth inny ow",
        thing_ends="yn ell oth ewr an id orra ynth awn eg elyn ach osk itha uwen",
    ),
    "dorrim": Culture(
        onsets="b br d dr f g gr h hal k kl m n r s st t th w sk",
        vowels="a e i o u ei",
        codas="r l n m s t",
        links="b d g k l m n r t v ld rk",
        given_ends="a ar eth in ild ulf una egard im ora elm otte ander is unn",
        family_ends="mund ersk ekker ardt olm ingar ost unk evik orff auer ilt enk orst egger",
        place_ends="brun helm ud und olm ebru enstad ach urn ekke ingen oden art elde ost",
        thing_ends="ar en ost iker ant und el orm akt eid agd olt irk enne ur",
    ),
    "eskali": Culture(
        onsets="- b d e f g k kh l m n p ph r s t th x z ps",
        vowels="a e i o u ai",
        codas="s n r l k",
        links="d g k l m n ph r s t th x",
        given_ends="a as eia ion is ora ander ene ikos ys ea idon yne alis or",
        family_ends="akos idra antis ellos oula eris opon atos iadon entas imos eas ylos anor odis",
        place_ends="ai ion opel os essa ymna inth ara eros onia yra ene akos ilia uthe",
        thing_ends="ax eon ix ora os yra ikon alis emon eus ite on ara ysis elos",
    ),
    "fennow": Culture(
        onsets="b bl c ch cl d f g h l m p r s sh st t th w wh",
        vowels="a e i o u ea",
        codas="n r l m s d ck",
        links="b d f l m n r s t v w th",
        given_ends="a ell ie in ora ard ey ette old win iss am anna elm op",
        family_ends="burrow ell ert ingale ock ow bey wither ander lease ish ott arden ewell um",
        place_ends="brigg coombe hallow ley mere wend stow feld dell by ham sted cote ward holt",
        thing_ends="el er ow on ite ery ock ane ish ard ing ara orn ell op",
    ),
    "galushem": Culture(
        onsets="- b d f g h j k l m n q r s sh t y z kh gh",
        vowels="a e i u aa",
        codas="l r n m s b h",
        links="b d f h j k l m n r s sh t z",
        given_ends="a ah an im iya ir ud een ula ael uf ara ota",
        family_ends="ani awe edden our ati aleh udi ouk em arra uri abbe osh iel amar",
        place_ends="abesh iya ut an eh arah oun esh ina aq ayn oob ire essa umar",
        thing_ends="ah ar iq un em al aza ish or ut af eet ina oud ashi",
    ),
    "hirune": Culture(
        onsets="- ch f h j k m n r s sh t ts y z ky my g",
        vowels="a e i o u ou",
        codas="n",
        links="b d g h k m n r s sh t ts y z",
        given_ends="a iko emi o ume aro ika ane iyo eru uki ono ari eki ima",
        family_ends="igawe oto ura imo eda aki obe ushe asa ino ane umi ogo ita eshi",
        place_ends="uma ino ake oka ashi oru ane ebe ogi usa iwa emi uto ado onu",
        thing_ends="a eno ika oru ute ami ezo uki aro ima eki omo ari une oshi",
    ),
    "iskaro": Culture(
        onsets="- h j k l m n p r s t v ai au ei",
        vowels="a e i o u aa ii oi",
        codas="l n r s k",
        links="h j k l m n p r s t v kk ll nt",
        given_ends="a i o ukka ina eri anne u elo ikki ervo ala into ea ulli",
        family_ends="nel ala ola isto unki era ajok astu iva oine eskela onta imo arve ukko",
        place_ends="la jokke vesa aari ula emo inna ski nto eva arinta ovuo elma ike uoma",
        thing_ends="o u ero is ama uli ekka ona itsu ava ilo enta ukse aro oja",
    ),
    "jovenne": Culture(
        onsets="- b bl br c ch d f g gr j l m n p pl r s t v",
        vowels="a e i o u ou au",
        codas="r l n s",
        links="b c d l m n r s t v ll ss",
        given_ends="ine elle ette ien oise aud ic iane eau ane aine ond ys eline obert",
        family_ends="ard ault eau et ier oux on ine ois elin ange oul etan aille iste",
        place_ends="ac elles ois onne ourt ay euse igny ieres un aux ogne ivre elan oire",
        thing_ends="elle eon ique ise al eau ance ome ette ive ade oline ur esse iere",
    ),
    "kethrin": Culture(
        onsets="- b d g k kh m n p q r s sh t v y z zh ch",
        vowels="a e i o u",
        codas="r l n sh z k y",
        links="b d g k l m n r s sh t z v",
        given_ends="a an bek eh ush ay gul ira ur dar om ila ken azi oy",
        family_ends="oglin baev zadur yan ov kem ulev tash erim azar eyin alda ustan oral ikh",
        place_ends="abur kemt tepra stell kul dar an ush ara gan ozek ilan em urt ashar",
        thing_ends="ak an ir ush ez ur ay esh al un olak im udan era osh",
    ),
    "lumaya": Culture(
        onsets="- b d f h k l m n p t w y mb nd ng v s",
        vowels="a e i o u ua",
        codas="n m",
        links="b d f h k l m n p t w y mb nd",
        given_ends="a e ani elo ua imi ola ipo ane ea uli owe ima amba eto",
        family_ends="anga oru ele uma iti akai ombe alo upe ani ewa undo oka imba ara",
        place_ends="ai oa anui ulu eka imbo ala ungu ofu ane emu ohi anda uwe ilo",
        thing_ends="a ua iko ele oma uli api enge oa u ambo iwe ulo eni oka",
    ),
}


@dataclass(frozen=True, slots=True)
class Sounds:
    """A culture unfolded: heads that end in a vowel or a consonant, middles, and by role the ends that follow each."""

    open: Sequence[str]
    closed: Sequence[str]
    middles: Sequence[str]
    after_vowel: Mapping[str, Sequence[str]]
    after_consonant: Mapping[str, Sequence[str]]


@cache
def sounds(culture: str) -> Sounds:
    """Return the unfolded lists of a culture, neighbours alike: a stretch of a list has a sound of its own."""
    of = CULTURES[culture]
    vowels, links = of.vowels.split(), of.links.split()
    single = [link for link in links if len(link) == 1]
    opened = [onset.replace("-", "") + vowel for onset in of.onsets.split() for vowel in vowels]
    return Sounds(
        open=opened,
        closed=[head + coda for head in opened for coda in of.codas.split()],
        middles=[link + vowel for link in links for vowel in vowels if len(vowel) == 1],
        after_vowel={role: _ends(links, getattr(of, f"{role}_ends")) for role in ROLES},
        after_consonant={role: _ends(single, getattr(of, f"{role}_ends")) for role in ROLES},
    )


def dialect(culture: str, bits: int) -> Sounds:
    """Return the part of a culture's sounds that 64 `bits` choose: worlds that share a culture still differ."""
    of = sounds(culture)
    return Sounds(
        open=_stretch(of.open, bits),
        closed=_stretch(of.closed, bits),
        middles=_stretch(of.middles, bits >> 16),
        after_vowel={role: _stretch(ends, bits >> 32) for role, ends in of.after_vowel.items()},
        after_consonant={role: _stretch(ends, bits >> 32) for role, ends in of.after_consonant.items()},
    )


def _stretch(items: Sequence[str], bits: int) -> Sequence[str]:
    """Return half of the items, from the place that the lowest 16 bits point at, round the end."""
    first, half = (bits & 0xFFFF) * len(items) >> 16, len(items) // 2
    return [*items[first : first + half], *items[: max(0, first + half - len(items))]]


def _ends(links: list[str], rimes: str) -> list[str]:
    """Join links and rimes; a rime that begins with a consonant needs no link, and stands for a third as many."""
    return [
        link + rime if rime[0] in "aeiouy" else rime
        for number, link in enumerate(links)
        for rime in rimes.split()
        if rime[0] in "aeiouy" or number % 3 == 0
    ]
