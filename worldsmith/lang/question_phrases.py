"""The wording of questions: data alone, which code fills in.

Where a part has several wordings, the last quarter is held out on demand (`Wording.pick`): a model trained on the
others meets it for the first time when it is tested. A reader (`tasks.question_reader`) knows the frames by this data
too.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class QuestionPhrases:
    """Frames with {slots}, those of plain questions by default: several where a part may be worded otherwise."""

    over: tuple[str, ...] = ("over", "above", "of more than")
    under: tuple[str, ...] = ("under", "below", "of less than")
    asks: tuple[str, ...] = (
        "Please find all {many} {clauses}.",
        "I need every one of the {many} {clauses}.",
        "Which {many} {conditions}? I need all of them.",
        "Please list all {many} {clauses}.",
        "Could you find me all the {many} {clauses}?",
        "Find out which {many} {conditions}; none of them may be missing.",
        "I am after the complete list of {many} {clauses}.",
        "Help me collect the {many} {clauses}, every single one.",
    )
    """One sentence: {many}, and what is said of them, {conditions} as verb phrases or {clauses} as relative ones."""
    listed: tuple[str, ...] = (
        "Please find all {many} that meet every one of these conditions:",
        "I need all {many} for which each of the following is true:",
        "Please look for {many} of which all of this holds, and leave none out:",
        "My list should hold every one of the {many} that fulfil these points:",
        "Which {many} satisfy all of the following?",
        "Collect the {many} that fit this description in full:",
    )
    """A sentence before a list of conditions: {many}."""
    whole: tuple[str, ...] = (
        "Please find all {many} {clauses}.",
        "I would like an overview of all {many} {clauses}.",
        "Please put together all the {many} {clauses}.",
    )
    """A sentence where there is no condition but the scope: {many}, {conditions} or {clauses}."""
    except_: tuple[str, ...] = (
        "Leave out those that both {conditions}.",
        "I do not want any of them that both {conditions}.",
        "Those that both {conditions} do not belong on the list.",
        "Except for those that both {conditions}, that is.",
    )
    """What is left out: {conditions}, two of them, said of the rows."""
    best: tuple[str, ...] = (
        "From the list so far I only want the {count} {lead}.",
        "Then keep, of that list, the {count} {lead} and drop the rest.",
        "Of all that are on the list now, give me only the {count} {lead}.",
    )
    """Of the rows found, those before others: {count}, {lead}. Sentences about left out rows may stand before it."""
    best_each: tuple[str, ...] = (
        "From the list so far I only want, for each “{group}”, the {count} {lead}.",
        "Then keep, of that list and for each “{group}”, the {count} {lead} and drop the rest.",
        "Of all that are on the list now, give me only the {count} under each “{group}” {lead}.",
    )
    """The same in groups: {group} is the header of the groups."""
    tables: tuple[str, ...] = (
        "Please organize the results in one Markdown table with the following columns:",
        "Please give the results as one Markdown table with the following column names in order:",
        "Put the results in one Markdown table. The column names are as follows:",
        "Please output the organized data in the format of one Markdown table. The column headers are:",
        "The answer should be a single Markdown table whose columns are, in this order:",
        "Write everything you find into one Markdown table with these column headers:",
    )
    """The sentence before the line of columns."""
    cell: tuple[str, ...] = (
        "Please answer with one Markdown table that has this one column and one row:",
        "Put the answer in a Markdown table of a single row under this column name:",
        "The answer should be a Markdown table with one cell under this header:",
    )
    """The same before the only column of one row."""
    dated: tuple[str, ...] = (
        "Everything is asked as of {day}.",
        "The state of things that counts is that of {day}.",
        "Please answer as of {day}.",
    )
    """Of what day everything is: {day}."""
    days: tuple[str, ...] = (
        "Write dates as YYYY-MM-DD.",
        "All dates should have the form YYYY-MM-DD.",
        "Give dates in the format YYYY-MM-DD.",
    )
    numbers: tuple[str, ...] = (
        "Write numbers in digits only, in the unit that the column name gives, as precisely as the source.",
        "Numbers should be digits alone, in the unit of the column name, with all the digits that the source has.",
        "For numbers use Arabic digits, keep the unit of the column name and do not round what the source says.",
    )
    truths: tuple[str, ...] = (
        "Answer {names} with Yes or No.",
        "Write Yes or No under {names}.",
        "For {names}, say Yes or No.",
    )
    """{names}: the columns in question."""
    fillers: tuple[str, ...] = (
        "Where there is no value for “{name}”, write “{none}”.",
        "If “{name}” has no value, put “{none}”.",
        "Fill “{name}” with “{none}” if there is nothing to fill in.",
    )
    """{name}, {none}."""
    subjects: tuple[str, ...] = (
        "“{name}” says which one a row is about: {subjects}.",
        "Under “{name}”, write {subjects}.",
        "Put {subjects} under “{name}”, whichever a row belongs to.",
        "“{name}” is where a row belongs: {subjects}.",
    )
    """Over several worlds: {name}, the first column, and {subjects}, the names that may stand there."""
    compared: tuple[str, ...] = (
        "I only mean the one with the most {many} {clauses}.",
        "Of these, take the one with the most {many} {clauses}.",
        "The one that matters to me is the one with the most {many} {clauses}.",
        "Look only at the one that has the most {many} {clauses}.",
    )
    """Which of several worlds is meant: {many}, {clauses}."""
    meant: tuple[str, ...] = (
        "By “{name}” I mean {means}.",
        "“{name}”, to be clear, is {means}.",
        "What I mean by “{name}” is {means}.",
        "“{name}” stands for {means}.",
        "When I write “{name}”, I mean {means}.",
        "“{name}” here is {means}.",
        "I use “{name}” for {means}.",
        "Take “{name}” to be {means}.",
    )
    """What a column means where others are worded alike: {name}, {means}."""
    meant_each: tuple[str, ...] = (
        "To be clear about what I mean:",
        "Some of this could be mixed up, so:",
        "Just so that we mean the same things:",
        "To avoid mix-ups, this is what I mean:",
        "What these stand for:",
        "A word on the terms:",
        "These are easily confused with something else, so here is what I mean:",
        "So that nothing gets mixed up:",
    )
    """A line before several that say it: {name}, {means}."""
    meant_item: str = "- {name}: {means}"
    unmet: tuple[str, ...] = (
        "A row without a value for “{name}” does not meet the condition on it.",
        "Without a value for “{name}” the condition on it counts as not met.",
    )
    """{name}: the column of a condition that some rows have no value for."""
    ended: tuple[str, ...] = (
        "Count {many} with a date under “{header}” too.",
        "Do not leave out {many} for having a date under “{header}”.",
        "It does not matter whether {many} have a date under “{header}” or none.",
    )
    """{many}, {header} or {a_header}: rows that are over by a date under the header count too."""
    closing: tuple[str, ...] = (
        "Do not ask me anything back: just give the table, one row for each of them, and leave no cell out. "
        "The output format is\n```markdown\n{data_content}\n```",
        "Don't ask me any questions, just output the results according to the columns without omitting cells "
        "arbitrarily. The output format is\n```markdown\n{data_content}\n```",
        "No questions back, please. I only need the table, complete in every cell, in this format:\n"
        "```markdown\n{data_content}\n```",
        "Please do not reply with anything but the table, and fill in each of its cells. Its format is\n"
        "```markdown\n{data_content}\n```",
    )
    closing_cell: tuple[str, ...] = (
        "Do not ask me anything back: just give the table with that one cell. "
        "The output format is\n```markdown\n{data_content}\n```",
        "Don't ask me any questions, just output the result under its column name. "
        "The output format is\n```markdown\n{data_content}\n```",
        "No questions back, please. I only need the table of one cell, in this format:\n"
        "```markdown\n{data_content}\n```",
        "Please do not reply with anything but the table, and do not leave its cell empty. Its format is\n"
        "```markdown\n{data_content}\n```",
    )
    """The last line where one cell is asked for."""
    start: tuple[str, ...] = (
        "First find {cell}; call it {letter}.",
        "Start by finding {cell}, and call what you find {letter}.",
        "To begin with, look up {cell}. Let that be {letter}.",
    )
    """The first step of a chain: {cell}, what is found, and {letter}, what it is called from here on."""
    value: tuple[str, ...] = (
        "Then find {cell}; call it {letter}.",
        "Next, find {cell}, and call what you find {letter}.",
        "After that, look up {cell}. Let that be {letter}.",
    )
    """A later step: {cell}, {letter}."""
    wanted: tuple[str, ...] = (
        "What is {cell}?",
        "I want to know {cell}.",
        "The question is: what is {cell}?",
        "In the end I need {cell}.",
    )
    """What is asked in the end: {cell}."""
    needs: tuple[str, ...] = (
        "I am looking into {about}.",
        "I have started to read up on {about}.",
        "A colleague asked me something about {about}.",
        "I am putting together notes on {about}.",
        "This is about {about}.",
        "I need some help with {about}.",
    )
    """A person's need, beside those of the schema: {about}."""
    months: str = "in the last {n} months"
    years: str = "in the last {n} years"
    year: str = "in the last year"
    either: str = "either {a} or {b}"
    none_that: str = "{have} no {one} that {rest}"
    some_that: str = "{have} at least one {one} that {rest}"
    one_that: str = "{have} at most one {one} that {rest}"
    least_that: str = "{have} at least {n} {many} that {rest}"
    most_that: str = "{have} at most {n} {many} that {rest}"
    total: str = "{have} a total “{header}” {amount} over all {their} {many} that {rest}"
    peak: str = "{have} a {header} {amount} among {their} {many} that {rest}"
    counted: str = "“{name}” is, for each {one}, the number of {many} that {rest}."
    summed: str = "“{name}” is, for each {one}, the sum of “{header}” over the {many} that {rest}."
    peaked: str = "“{name}” is, for each {one}, the highest “{header}” among the {many} that {rest}."
    as_part: str = " with {them} as {part}"
    """Which reference of a child row leads to its parent, where there are several."""
    ends: tuple[str, ...] = ("highest", "lowest", "latest", "earliest")
    """The largest and the smallest number, the last and the first day; of people's questions, of what is counted."""
    leading: str = "with the {most} “{header}”"
    """What the first rows of an order have."""
    leading_by: str = "whose {part} has the {most} “{header}”"
    """The same of the row that they refer to as {part}."""
    ranks: str = "Ranks are compared as numbers: one below 3 is 1 or 2, one above 3 is 4 or more."
    ranked: str = "“{name}” is a place among all {many}, asked for or not."
    ranked_in: str = "“{name}” is a place among all {many} with the same “{group}”, asked for or not."
    named: str = "the {one} {name}"
    named_so: str = "the {name}"
    """The same of a row whose name starts with what it is: "Project Dobim"."""
    the_best: str = "the one {lead} among the {many} {clauses}"
    the_only: str = "the only one among the {many} {clauses}"
    described: tuple[str, ...] = (
        "the {one} {clauses}",
        "a certain {one}, the only one {clauses}",
        "the {one} I only know as the one {clauses}",
        "the one {one} {clauses}",
    )
    """A row that is described and not named: {one}, {clauses}."""
    that: str = "that"
    who: str = "who"
    whose: tuple[str, str] = ("whose", "their")
    """The pronouns of relative clauses, and how a sentence about "they" begins where a clause begins with whose."""
    cell_of: str = "the {what} of {row}"
    given_as: str = "the {one} given as “{label}”"
    of: str = "{what} of {whose}"
    owned: str = "{names} is that of {whose}."
    owned_many: str = "{names} are those of {whose}."


PLAIN = QuestionPhrases()
"""English of questions about plain pages."""

NATURAL = replace(
    PLAIN,
    asks=(
        "Which {many} {conditions}? I need all of them.",
        "Can you find me the {many} {clauses}? Every one of them counts.",
        "I'm after all the {many} {clauses}.",
        "I need a complete list of the {many} {clauses}.",
        "Could you look up which {many} {conditions}?",
        "Please find out which {many} {conditions}.",
        "What I need is a list of the {many} {clauses}, with none missing.",
        "Help me find the {many} {clauses}.",
        "I want to compare the {many} {clauses}.",
        "Tell me which {many} {conditions}. Please don't leave any out.",
        "Are there {many} {clauses}? I'd like to have them all in one place.",
        "I'd like to see all {many} {clauses}.",
    ),
    listed=(
        "I need the {many} that fit all of this:",
        "Which {many} meet all of these points?",
        "I'm looking for {many}, all of them, with the following in common:",
        "Please find every one of the {many} for which all of these are true:",
        "Can you get me the {many} that tick all of these boxes?",
        "My list is meant to have just the {many} that fit this description:",
    ),
    whole=(
        "I need an overview of all the {many} {clauses}.",
        "Which {many} {conditions}? I'd like all of them side by side.",
        "Can you put together the {many} {clauses}?",
        "I'd like a full list of {many} {clauses}.",
    ),
    except_=(
        "But leave out any that both {conditions}.",
        "I don't need those that both {conditions}.",
        "Skip the ones that both {conditions}.",
        "Those that both {conditions} I know already, so drop them.",
    ),
    best=(
        "Of those I only need the {count} {lead}.",
        "Then narrow that list down to the {count} {lead}.",
        "From that list, just give me the {count} {lead}.",
    ),
    best_each=(
        "Of those I only need, for each “{group}”, the {count} {lead}.",
        "Then narrow that list down, for each “{group}”, to the {count} {lead}.",
        "From that list, just give me the {count} under each “{group}” {lead}.",
    ),
    tables=(
        "Put them in a Markdown table with these columns:",
        "I'd like a Markdown table with the columns:",
        "Give me one Markdown table. The columns should be, in this order:",
        "Please list them in a Markdown table with the following columns:",
        "The columns of the table (Markdown, please) should be:",
        "For each I need these columns, in a Markdown table:",
    ),
    cell=(
        "A Markdown table with this one column and one row will do:",
        "Please give the answer as a Markdown table with a single row under:",
        "One cell in a Markdown table is enough, under this header:",
    ),
    dated=(
        "I mean as things stood on {day}.",
        "Take everything as of {day}.",
        "The date that matters is {day}.",
    ),
    days=("Dates as YYYY-MM-DD, please.", "Please write dates like YYYY-MM-DD.", "For dates use YYYY-MM-DD."),
    numbers=(
        "For numbers I just need the digits, unrounded, in the unit of the header.",
        "Numbers in digits only, please: the unit is in the header, and don't round.",
        "Please give numbers as plain digits in the unit of the header, as exactly as you find them.",
    ),
    truths=("{names}: Yes or No.", "For {names} a Yes or No will do.", "Please put Yes or No under {names}."),
    fillers=(
        "If there's no “{name}”, write “{none}”.",
        "Put “{none}” where there is no “{name}”.",
        "Some may have no “{name}”: write “{none}” there.",
    ),
    unmet=(
        "If something has no “{name}” at all, it doesn't count as meeting the condition on it.",
        "No “{name}” means that the condition on it isn't met.",
    ),
    ended=(
        "Include {many} with {a_header} as well.",
        "Don't skip {many} just because they have {a_header}.",
        "{many} with {a_header} count too.",
        "It doesn't matter whether {many} have {a_header}.",
    ),
    closing=(
        "The table is all I need, one row each and no empty cells, in this form:\n```markdown\n{data_content}\n```",
        "No need to ask me anything: just the table, complete in every cell.\n```markdown\n{data_content}\n```",
        "Please reply with the finished table and nothing else, like this:\n```markdown\n{data_content}\n```",
        "Just send me the table, every cell filled in:\n```markdown\n{data_content}\n```",
    ),
    closing_cell=(
        "The table with that one cell is all I need:\n```markdown\n{data_content}\n```",
        "No need to ask me anything: just that one cell.\n```markdown\n{data_content}\n```",
        "Please reply with that table and nothing else, like this:\n```markdown\n{data_content}\n```",
        "Just send me the table with its one cell filled in:\n```markdown\n{data_content}\n```",
    ),
    start=(
        "First find out {cell}; call it {letter}.",
        "You'll first need to know {cell}: let's call that {letter}.",
        "Start from {cell}, which I'll call {letter}.",
    ),
    value=(
        "From there, find {cell}; call it {letter}.",
        "Then you'll need {cell}: let's call that {letter}.",
        "That should lead you to {cell}, which I'll call {letter}.",
    ),
    wanted=(
        "What I'd like to know is {cell}.",
        "So what is {cell}?",
        "Can you tell me {cell}?",
        "In the end I need {cell}.",
    ),
    the_best="the {one} {lead} among those {clauses}",
    the_only="the only {one} {clauses}",
    ranked="“{name}” counts all {many}, not only those I ask about.",
    ranked_in="“{name}” counts all {many} with the same “{group}”, not only those I ask about.",
    owned="{names} belongs to {whose}.",
    owned_many="{names} belong to {whose}.",
    ends=(*PLAIN.ends, "most", "fewest"),
    leading="with the {most} {header}",
    leading_by="whose {part} has the {most} {header}",
    given_as="the {label}",
    needs=(
        "I'm reading up on {about}.",
        "I'm writing a piece about {about} and need some facts.",
        "This is for a talk I'm giving on {about}.",
        "A friend asked me about {about}, and I don't want to guess.",
        "I'm checking a few things about {about}.",
        "It's about {about}.",
        "I have a question about {about}.",
        "For a report on {about} I need some details.",
        "I'm trying to settle an argument about {about}.",
        "I've been looking into {about} and got stuck.",
        "We're putting together a fact sheet on {about}.",
        "Can you help me with something about {about}?",
    ),
)
"""English of people who ask about natural pages."""
