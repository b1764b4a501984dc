"""English word stems."""

from functools import lru_cache

_ENDS = (
    "ations", "ation", "ments", "ment", "ables", "able", "ings", "ing", "ions", "ion", "ers", "ors", "ies", "ied", "ed",
    "er", "or", "es", "ly", "s", "e", "y",
)  # fmt: skip
_IRREGULAR = {
    "kept": "keep", "sold": "sell", "sale": "sell", "sales": "sell", "paid": "pay", "won": "win", "shown": "show",
    "led": "lead", "left": "leav", "made": "mak", "built": "build", "grew": "grow", "bought": "buy", "people": "person",
    "birth": "born", "birthday": "born", "withdrawal": "withdrawn", "laying": "laid", "men": "man", "women": "woman",
    "children": "child", "closure": "closed", "registration": "registered", "publication": "published",
}  # fmt: skip


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Return a word in lower case without its ending, at least three letters of it."""
    while True:
        known = _IRREGULAR.get(word)
        if known is not None:
            return stem(known)
        end = next((end for end in _ENDS if word.endswith(end) and len(word) - len(end) >= 3), "")
        if not end or (end == "s" and word.endswith("ss")):
            return word
        word = word[: -len(end)]
