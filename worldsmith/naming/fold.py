"""The folded form under which names are compared here: what a careless reader would take for equal."""

import re
import unicodedata

# Letters that Unicode does not decompose into a base letter and a mark.
_PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŧ": "t", "ə": "e"}
)
_APOSTROPHES = dict.fromkeys(map(ord, "'’‘ʼʹ`´"))
_GAP = re.compile(r"[\W_]+")


def fold_name(name: str) -> str:
    """Return `name` without case, accents, apostrophes and punctuation: "Saint-Étienne d'Or" -> "saint etienne dor"."""
    text = name.casefold().translate(_APOSTROPHES)
    if not text.isascii():
        marked = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
        text = "".join(c for c in marked if not unicodedata.combining(c))
    return text if text.isalpha() else _GAP.sub(" ", text).strip()
