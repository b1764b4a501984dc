"""The README holds: its example runs, its commands exist, and every command is in it."""

import re
import subprocess
import sys

import pytest

from worldsmith.cli import main


@pytest.fixture(scope="module")
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


def test_the_examples_run_one_after_the_other(readme):
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert [len(code.strip().splitlines()) <= 16 for code in blocks] == [True, True]
    out = subprocess.run([sys.executable, "-c", "\n".join(blocks)], capture_output=True, text=True, check=True)
    assert out.stdout.strip().splitlines()[-1] == "1.0"
    assert out.stdout.count("1.0\n") >= 2


def test_every_command_is_in_it(readme):
    for name in main.commands:
        assert f"worldsmith {name}" in readme, name


def test_every_command_and_option_it_names_exists(readme):
    for name, rest in re.findall(r"worldsmith ([a-z]+)((?: [^\n`|]*)?)", readme):
        if name in ("schema", "generate", *main.commands):
            command = main.commands[name]
            known = {o for c in (command, *getattr(command, "commands", {}).values()) for p in c.params for o in p.opts}
            for option in re.findall(r"(--[a-z-]+)", rest.split("#")[0].split("&&")[0]):
                assert option in known, f"worldsmith {name} {option}"


def test_its_setup_lines_are_one_command_each(readme):
    for mark in ("run", "tests"):
        (block,) = re.findall(rf"<!-- {mark} -->\n```sh\n(.*?)```", readme, re.DOTALL)
        assert len(block.strip().splitlines()) == 1


def test_files_it_links_to_exist(readme, repository):
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", readme):
        assert (repository / target).exists(), target
