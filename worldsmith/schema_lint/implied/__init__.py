"""Which rules the fills already imply: proved by refutation, with intervals and sums of inequalities.

A rule is implied when no row that its fills allow can break it. The proof supposes that the rule is false, collects
what the fills say of each column read (ranges, lists, windows, bands, `where`, derivations), and looks for a
contradiction. It is sound and incomplete: what it calls implied can't be false; much that is implied it doesn't see.
"""

from worldsmith.schema_lint.implied.prove import implied

__all__ = ["implied"]
