"""One spelling of an English word: singular, and of British and American the American one."""

import re
from functools import lru_cache

_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "learnt": "learned",
    "burnt": "burned",
    "spelt": "spelled",
    "dreamt": "dreamed",
    "leant": "leaned",
    "leapt": "leaped",
    "spoilt": "spoiled",
    "smelt": "smelled",
    "grey": "gray",
    "tyre": "tire",
    "kerb": "curb",
    "storey": "story",
    "cheque": "check",
    "mould": "mold",
    "plough": "plow",
    "draught": "draft",
    "jewellery": "jewelry",
    "aluminium": "aluminum",
    "judgement": "judgment",
    "ageing": "aging",
    "enquiry": "inquiry",
    "artefact": "artifact",
    "aeroplane": "airplane",
    "pyjamas": "pajamas",
    "moustache": "mustache",
    "sceptical": "skeptical",
}
# Endings, each for words of at least so many letters: shorter ones are other words ("four", "rise", "called").
_ENDINGS = (
    (6, re.compile(r"c(?=e$)"), "s"),
    (5, re.compile(r"our(?=$|ed$|ing$|ite$|able$|er$|hood$)"), "or"),
    (5, re.compile(r"(?<=[bt])re$"), "er"),
    (6, re.compile(r"is(?=e$|ed$|er$|ing$|ation$)"), "iz"),
    (6, re.compile(r"ys(?=e$|ed$|er$|ing$)"), "yz"),
    (8, re.compile(r"ll(?=ed$|ing$|er$|or$)"), "l"),
    (6, re.compile(r"ogue$"), "og"),
    (6, re.compile(r"mme$"), "m"),
    (6, re.compile(r"ae|oe(?=[std])"), "e"),
)


@lru_cache(maxsize=8192)
def spelling(word: str) -> str:
    """Return the one spelling of a folded word: "colour" and "colors" are "color", "theatres" is "theater"."""
    singular = _IRREGULAR.get(word) or _singular(word)
    text = _IRREGULAR.get(singular, singular)
    for letters, ending, other in _ENDINGS:
        if len(text) >= letters:
            text = ending.sub(other, text)
    return text


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]
