"""The command line. Each command imports what it needs when it runs, so that --help stays light."""

import click

from worldsmith import __version__
from worldsmith.cli.base import Commands
from worldsmith.cli.bench import bench
from worldsmith.cli.drafting import draft, improve
from worldsmith.cli.evaluation import evaluate
from worldsmith.cli.language import audit_text_of, show_patterns
from worldsmith.cli.mining import tasks
from worldsmith.cli.recorded_calls import store, trace
from worldsmith.cli.redirection import exec_command
from worldsmith.cli.run_report import calibrate, report
from worldsmith.cli.serving import extract, mcp, search, serve
from worldsmith.cli.task_audit import audit_tasks
from worldsmith.cli.training import export, run, score
from worldsmith.cli.world_audit import audit
from worldsmith.cli.worlds import check, generate, schema, show
from worldsmith.cli.writing import write


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="worldsmith")
def main() -> None:
    """Invent small relational worlds, serve a fake search engine over them, and export tasks that need searching.

    \b
    worldsmith generate --seed 7 --out w     worlds with tasks, one per shipped schema, into the folder w
    worldsmith draft "mountain huts" --model NAME --out huts.toml   a schema by a language model
    worldsmith check w                       prove that they are consistent
    worldsmith audit worlds w                are they invented, and different
    worldsmith audit tasks w                 can they be solved without searching
    worldsmith audit text w                  what their pages are made of
    worldsmith show w                        look at one
    worldsmith serve w                       search engine and page reader on http://127.0.0.1:8000
    worldsmith mcp w --pool                  the same as two tools of an MCP client, over stdin and stdout
    worldsmith exec w -- python agent.py     run an agent whose every host is the simulator
    worldsmith run w --agent oracle          solve every task through search
    worldsmith report runs/m                 where a model that played with --out runs/m loses cells
    worldsmith calibrate runs/m              how hard each task was for it, and what to train on next
    worldsmith export w --to verl --out e    hand the tasks to a trainer
    worldsmith evaluate w --model NAME       judge a language model as the search engine
    worldsmith write w --model NAME --store FILE   have it write the pages ahead of time
    worldsmith trace FILE                    the calls and replies of a session, and why
    worldsmith bench                         measure the speed of this machine

    Exit codes: 0 fine, 1 faults were found, 2 wrong usage.
    """


for command in (
    generate,
    draft,
    check,
    show,
    schema,
    audit,
    search,
    extract,
    tasks,
    serve,
    mcp,
    exec_command,
    run,
    report,
    calibrate,
    score,
    export,
    evaluate,
    write,
    trace,
    store,
    bench,
):
    main.add_command(command)
audit.add_command(audit_tasks)
audit.add_command(audit_text_of)
schema.add_command(show_patterns)
schema.add_command(improve)
