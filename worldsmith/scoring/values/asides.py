"""What stands in parentheses beside a value: a remark, the value over again, or a doubt."""

import re

_DENIALS = re.compile(
    r"\b(?:not|no|non|nor|never|or|either|neither|but|instead|rather|maybe|perhaps|possibly|probably|unlikely|unless|except"
    r"|wrong|false|fake|incorrect|untrue|invalid|mistaken?|error|guess\w*|unsure|uncertain|doubt\w*|disputed|unverified"
    r"|unconfirmed|withdrawn|retracted|corrected|could|might|cannot)\b|\?|n['’]t\b|[✗✘❌☒×]",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"(?:as of|as at|in|since|until|dated)\s(?:\d{1,2}\s)?(?:[a-z]{3,9}\.?\s)?(?:\d{1,2},\s?)?\d{4}(?:-\d{2}){0,2}"
    r"|(?:(?:see|source|note|page|pp?\.|ref\.?|row|table)\s?){1,3}\d{1,3}"
    r"|(?:out )?of \d{1,4}|\d{1,2}:\d{2}(?: [a-z]{2,4})?",
    re.IGNORECASE,
)


def denies(aside: str) -> bool:
    """Whether an aside takes back what it stands beside or offers something else for it: "not", "or 164", "guess"."""
    return _DENIALS.search(aside) is not None


def is_remark(aside: str) -> bool:
    """Whether an aside that holds no value of its own says nothing against one: no digits, or a date or a page."""
    return not any(char.isdigit() for char in aside) or _REMARK.fullmatch(aside.strip()) is not None
