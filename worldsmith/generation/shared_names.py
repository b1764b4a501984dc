"""Names that two tables share: --homonyms."""

from itertools import permutations

from worldsmith.generation.filling import Filling, Vector
from worldsmith.naming import ALSO
from worldsmith.schema.reads import Name
from worldsmith.world.model import invented_keys

MOST = 2
"""At most one row in two of a table shares its name."""


def keys_with_homonyms(filling: Filling) -> dict[Name, Vector]:
    """Return the keys of every table with invented names; half of the `homonyms` share is used by two tables each.

    The other half have a namesake without a row (`World.namesakes`), as do names for which no other table has a fitting
    kind. A name is shared by two rows at most, never within a table.
    """
    kinds = invented_keys(filling.structure)
    names = {place: filling.namer.names(kind, filling.sizes[place[0]], *place) for place, kind in kinds.items()}
    chance = filling.rng("homonyms")
    free = {place: chance.sample(range(len(rows)), len(rows) // MOST) for place, rows in names.items()}
    pairs = [(a, b) for a, b in permutations(kinds, 2) if kinds[b] in (kinds[a], *ALSO.get(kinds[a], ()))]
    for _ in range(round(filling.structure.knobs.homonyms / 2 * sum(map(len, names.values())))):
        open_ = [(a, b) for a, b in pairs if free[a] and free[b]]
        if not open_:
            break
        bearer, first = chance.choice(open_)
        names[bearer][free[bearer].pop()] = names[first][free[first].pop()]
    return names
