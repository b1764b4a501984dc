"""stand-in until the index over all worlds"""

from collections.abc import Iterable
from pathlib import Path

from worldsmith.pages.index.search import Index
from worldsmith.pages.plan import Pages


class PoolIndex:
    def __init__(self, indexes: dict[str, Index]) -> None:
        self.indexes = indexes

    def search(
        self, query: str, k: int, page: int, *, hidden: bool = False
    ) -> tuple[list[tuple[str, str, float]], bool]:
        hits = sorted(
            ((w, p, s) for w, i in self.indexes.items() for p, s in i.search(query, 60, 1, hidden=hidden)[0]),
            key=lambda h: -h[2],
        )[:60]
        return hits[(page - 1) * k : page * k], len(hits) > page * k


def open_pool_index(path: Path, key: str) -> PoolIndex | None:
    return None


def build_pool_index(path: Path, key: str, worlds: Iterable[Pages]) -> PoolIndex:
    return PoolIndex({pages.world.id: Index(pages) for pages in worlds})
