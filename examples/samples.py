"""Write ten pages, result lists and questions of each schema, as they come: examples/samples/<schema>.md.

    python examples/samples.py [--seed 7]

Nothing is picked: pages are every so many of the world's, searches are for names and for questions' own words, and
questions are those that mining keeps.
"""

import argparse
from pathlib import Path

from worldsmith.generation import generate
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.schema import load_schema, shipped
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.world.model import Row, World

COUNT = 10
"""Pages, result lists and questions of each schema."""
HITS = 5
"""Results shown of a list."""
FOLDER = Path(__file__).parent / "samples"


def result_list(simulator: Simulator, query: str) -> str:
    """Return the first results of a search as text."""
    reply = simulator.call(Address(simulator.world.id), Call("web_search", query, k=HITS))
    hits = [f"- **{hit.title}** · {hit.url} · {hit.date or 'no date'}\n  {hit.snippet}" for hit in reply.results]
    return f"Search: `{query}`\n\n" + "\n".join(hits)


def queries(world: World, tasks: tuple[Task, ...]) -> list[str]:
    """Return half searches for names of rows, half for questions in their own words."""
    tables = [table.name for table in world.schema.tables.values() if not table.background]
    named = [tables[i % len(tables)] for i in range(COUNT // 2)]
    names = [world.title(Row(table, (3 + i) % world.size(table))) for i, table in enumerate(named)]
    return names + [task.question.split("\n\n")[0].rpartition(". ")[2] for task in tasks[: COUNT - len(names)]]


def samples(name: str, seed: int) -> str:
    """Return the samples of a schema as Markdown."""
    world = generate(load_schema(name), seed, language="natural")
    pages, simulator, tasks = Pages(world), Simulator(world), mine(world, COUNT).tasks
    live = [page_id for page_id in pages.ids() if not pages.page(page_id).dormant]
    step = max(1, len(live) // COUNT)
    parts = [
        f"# {name}, seed {seed}: {world.id}",
        "Made by `python examples/samples.py`; nothing is picked.",
        "## Pages",
    ]
    for page_id in live[::step][:COUNT]:
        page = pages.page(page_id)
        parts.append(
            f"<{page.url}>\n\n"
            + markdown(render(page, world, pages)).replace("\n# ", "\n### ").replace("# ", "### ", 1)
        )
    parts += ["## Result lists", *(result_list(simulator, query) for query in queries(world, tasks))]
    parts += ["## Questions", *(f"{i}. ({task.kind}) {task.question}" for i, task in enumerate(tasks, 1))]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the samples of every schema that has a language file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    seed = parser.parse_args().seed
    FOLDER.mkdir(exist_ok=True)
    for name in shipped():
        if load_schema(name).bank:
            (FOLDER / f"{name}.md").write_text(samples(name, seed), encoding="utf-8")
            print(FOLDER / f"{name}.md")


if __name__ == "__main__":
    main()
