"""What an agent says to itself between calls, in English: data alone, which `train.imitation` fills in.

A sentence is used only where each of its {slots} is known by then: `name` of a row, `names` of several, a `value`, the
`letter` of a chain's step, `what` is looked for, the `headers` of conditions, nouns `one` and `many`, numbers of rows
`n` and `m`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReasoningPhrases:
    """Sentences by what they say."""

    first: tuple[str, ...] = (
        "First I need {what}.",
        "To start with, I need {what}.",
        "The way in is {what}, so I look for that.",
        "I begin with {what}.",
        "What comes first is {what}.",
        "Before anything else I have to know {what}.",
    )
    """Before the first call: {what}."""
    search: tuple[str, ...] = (
        "Next I need {what}.",
        "What is missing now is {what}.",
        "I still lack {what}, so I search for it.",
        "Now for {what}.",
        "On to {what}.",
        "A search should bring up {what}.",
        "I have nothing on {what} yet.",
        "Let me look for {what}.",
    )
    """Before a search: {what}."""
    more_hits: tuple[str, ...] = (
        "Not among these hits; I look at the next page of results.",
        "None of these is what I need, so I turn the page.",
        "The page I want is not here yet. More results.",
        "Let me see further results of the same search.",
    )
    """Before another page of results."""
    opening: tuple[str, ...] = (
        "This page should give {what}.",
        "I open it for {what}.",
        "The page should have {what}.",
        "Here I expect {what}.",
        "I read this one to get {what}.",
        "That looks right for {what}.",
    )
    """Before a page is read: {what}."""
    rest: tuple[str, ...] = (
        "The page goes on; I read the rest.",
        "That was only a part of the page. The rest of it, please.",
        "There is more of this page to read.",
    )
    """Before the next part of a page."""
    link: tuple[str, ...] = (
        "So {letter} is {value}.",
        "That settles {letter}: it is {value}.",
        "{letter} must be {value}.",
        "{value} it is, which is {letter}.",
        "With that, {letter} stands for {value}.",
    )
    """What a step of a chain found: {letter}, {value}."""
    out: tuple[str, ...] = (
        "{names} is out because of the {headers}.",
        "I drop {names}, going by the {headers}.",
        "{names} does not fit: see the {headers}.",
        "{names} fails on the {headers}.",
        "Not {names}, given the {headers}.",
    )
    """A row that falls out: {names}, {headers}."""
    out_several: tuple[str, ...] = (
        "{names} are out because of the {headers}.",
        "I drop {names}, going by the {headers}.",
        "{names} do not fit: see the {headers}.",
        "Not {names}, given the {headers}.",
    )
    """Several rows that fall out: {names}, {headers}."""
    leader: tuple[str, ...] = (
        "Of {m} {many}, {name} is the one {lead}.",
        "Among {m} {many} it is {name}, {lead}.",
        "I compare {m} {many}: {name} is the one {lead}.",
    )
    """The row that leads in an order: {name}, {lead}, {m}, {many}."""
    fits: tuple[str, ...] = (
        "{names} fits.",
        "{names} meets the conditions, so it stays.",
        "I keep {names}.",
        "{names} belongs on the list.",
    )
    """A row that meets the conditions: {names}."""
    value: tuple[str, ...] = (
        "The {header} there is {value}.",
        "It gives {value} as the {header}.",
        "For the {header} it says {value}.",
        "I note {value} as the {header}.",
    )
    """A value that was read: {header}, {value}."""
    complete: tuple[str, ...] = (
        "I have all {n} {many} with every column. Here is the table.",
        "That makes {n} {many}, and nothing is missing. Now the table.",
        "All {n} {many} are complete, so I can write the table.",
        "Nothing is left to look up for the {n} {many}.",
    )
    """Before a table of all rows in scope: {n}, {many}."""
    chosen: tuple[str, ...] = (
        "Of {m} {many} in question {n} remain, each with all columns. Here is the table.",
        "I have been through {m} {many}: {n} go into the table.",
        "{n} of the {m} {many} meet what is asked, and their columns are known.",
        "All {m} {many} are checked. The table has {n} of them.",
    )
    """Before a table of some rows in scope: {n}, {m}, {many}."""
    none: tuple[str, ...] = (
        "I have been through {m} {many}, and none meets the conditions. The table stays empty.",
        "None of the {m} {many} fits, so the table has no row.",
        "All {m} {many} fall out: an empty table is the answer.",
    )
    """Before a table without rows: {m}, {many}."""
    cell: tuple[str, ...] = (
        "That was the last step: I have the {header}.",
        "The {header} is known now, and that is all that was asked for.",
        "With the {header} the question is answered.",
        "I can answer now: the {header} is there.",
    )
    """Before a table of one cell: {header}."""
    of_row: str = "the {headers} of {name}"
    of_some: str = "the {headers} of the right {one}"
    children_of: str = "all {many} of {name}"
    children_of_some: str = "all {many} of one {one}"
    listed: str = "a list of {many}"
    listed_by: str = "a list of {many} for {value}"
    described: str = "the {one} that the question describes"
    others: str = "{names} and {n} more"


REASONING = ReasoningPhrases()
