"""The bounded memo that threads share."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import pytest

from worldsmith.agents.natural_oracle import planned_pages
from worldsmith.cache import cached_method, keep, kept_with_owner
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.renderer.document import declared, render
from worldsmith.schema import Language, load_schema


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Switches threads as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_the_oldest_is_dropped() -> None:
    memo: dict[str, int] = {}
    assert [keep(memo, key, n, 2) for n, key in enumerate("aabcb")] == [0, 1, 2, 3, 4]
    assert memo == {"b": 4, "c": 3}
    keep(memo, "d", 5, 0)
    assert memo == {}


@pytest.mark.usefixtures("eager_threads")
def test_no_thread_trips_over_what_another_drops() -> None:
    memo: dict[tuple[int, int], int] = {}

    def fill(thread: int) -> int:
        return sum(keep(memo, (thread, n), n, 3) for n in range(3000))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fill, range(8))) == [sum(range(3000))] * 8
    assert len(memo) == 3


def test_a_cached_method_is_called_once_per_object_and_arguments_and_can_be_overridden():
    calls = []

    class Doubler:
        def __init__(self, name):
            self.name = name

        @cached_method
        def double(self, n, *, plus=0):
            """Return twice a number."""
            calls.append((self.name, n, plus))
            return 2 * n + plus

    class Shifted(Doubler):
        def double(self, n, *, plus=0):
            return super().double(n, plus=plus) + 100

    one, other, shifted = Doubler("one"), Doubler("other"), Shifted("shifted")
    assert [one.double(2), one.double(2), one.double(2, plus=1), other.double(2)] == [4, 4, 5, 4]
    assert calls == [("one", 2, 0), ("one", 2, 1), ("other", 2, 0)]
    assert [shifted.double(3), shifted.double(3)] == [106, 106]
    assert calls[3:] == [("shifted", 3, 0)]
    assert Doubler.double.__doc__ == "Return twice a number."


def test_what_is_kept_with_an_object_is_made_once_and_goes_with_it() -> None:
    class Owner:
        pass

    made: list[Owner] = []

    @kept_with_owner
    def size(owner: Owner) -> int:
        made.append(owner)
        return len(made)

    one, other = Owner(), Owner()
    assert [size(one), size(one), size(other), size(one)] == [1, 1, 2, 1]
    made.clear()
    gone = ref(one)
    del one
    assert gone() is None


@pytest.mark.parametrize("language", ["plain", "natural"])
def test_a_world_that_was_rendered_and_solved_is_kept_by_nobody(language: Language) -> None:
    world = generate(load_schema("town"), 5, language=language)
    pages = Pages(world)
    for page_id in pages.ids()[:20]:
        page = pages.page(page_id)
        render(page, world, pages)
        declared(page, pages)
    if language == "natural":
        planned_pages(pages)
    gone = ref(pages), ref(world)
    del world, pages, page
    gc.collect()
    assert [one() for one in gone] == [None, None]
