"""English number words: "twelve", "one hundred and five thousand", "two dozen"."""

_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
UNDER_TWENTY = f"zero one two three four five six seven eight nine {_TEENS}".split(" ")
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = dict(zip([*UNDER_TWENTY, *TENS], [*range(20), *range(20, 100, 10)], strict=True))
_LARGE = {"thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
NUMBER_WORDS = frozenset((*_SMALL, "dozen", "hundred", *_LARGE))


def count_words(words: list[str]) -> tuple[int, int]:
    """Return how many of the words make a number, and the number. 0 words: none does."""
    total = group = used = 0
    last = ""  # what the word before was: a ten takes a digit after it, nothing else does
    for i, word in enumerate(words):
        if word in _SMALL:
            number = _SMALL[word]
            if (last == "ten" and not 0 < number < 10) or last == "unit":
                break
            group, last = group + number, "ten" if number >= 20 else "unit"
        elif word in ("a", "an") and i == 0 and len(words) > 1 and words[1] in ("hundred", "dozen", *_LARGE):
            group = 1
            continue
        elif word == "hundred" and 0 < group < 100:
            group, last = group * 100, "hundred"
        elif word == "dozen" and group and not total:
            return i + 1, group * 12
        elif word in _LARGE and group:
            total, group, last = total + group * _LARGE[word], 0, "large"
        elif word == "and" and last in ("hundred", "large") and i + 1 < len(words) and words[i + 1] in _SMALL:
            continue
        else:
            break
        used = i + 1
    return used, total + group
