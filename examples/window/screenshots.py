"""Takes the two screenshots here: light.png, a search; dark.png, the answer of an episode with the origin of each cell.

    pip install . playwright && python examples/window/screenshots.py

It needs Chromium (/usr/bin/chromium, or the path given), and no language model: the episode is that of a script, which
follows a certificate without two of its calls, and spoils a value and a row of the answer.
"""

import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from worldsmith.rollout.call_formats import call_format
from worldsmith.rollout.chat_model import ChatReply
from worldsmith.rollout.episode import play
from worldsmith.rollout.saved_run import saved_run
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import tasks_of, values_table
from worldsmith.train.environment import Environment
from worldsmith.window.launch import WindowSettings, window_process
from worldsmith.world.files import load_world

HERE = Path(__file__).resolve().parent
WORLDS = HERE.parent.parent / "worlds"
CHROMIUM = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/chromium"
TASK = "hybrid"
LEFT_OUT = (5, 8)
"""Calls of the certificate that the script doesn't make, by place."""
QUERY = "bakery The Rulris Lamp, who ran it"
SIZE = {"width": 1280, "height": 580}


class Script:
    """Plays the model of an episode: a certificate's calls, then its gold with two faults."""

    def __init__(self, task):
        self.task = task
        self.calls = [call for i, call in enumerate(task.certificate["calls"]) if i not in LEFT_OUT]

    async def reply(self, messages, *_):
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn == len(self.calls):
            return ChatReply({"role": "assistant", "content": self.answer()}, "stop", 0, 0, 0.0, 0)
        call = self.calls[turn]
        name = "query" if call["tool"] == "web_search" else "url"
        function = {"name": call["tool"], "arguments": json.dumps({name: call["arg"]})}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{turn}", "function": function}]}
        return ChatReply(message, "tool_calls", 0, 0, 0.0, 0)

    def answer(self):
        first, *rest = (list(row) for row in self.task.gold[:-1])
        first[-2] = "baker"
        return values_table(self.task.columns, [first, *rest])


def play_script(folder, out):
    world = load_world(folder)
    task = next(task for task in tasks_of(folder) if task.kind == TASK)
    environment = Environment(world, task, Simulator(world))
    with saved_run(out / "a-script", {}) as run:
        run.add(asyncio.run(play(environment, Script(task), call_format("native"))))


def main():
    (folder,) = WORLDS.glob("town-*")
    lines = []
    with TemporaryDirectory() as made:
        play_script(folder, Path(made))
        settings = WindowSettings((WORLDS,), records=(Path(made),))
        with window_process(0, settings, lines.append), sync_playwright() as driver:
            url = lines[0].split()[-1]
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-lcd-text"])
            light = browser.new_page(color_scheme="light", viewport=SIZE)
            light.goto(f"{url}world/{folder.name}/search?{urlencode({'arg': QUERY})}")
            light.screenshot(path=HERE / "light.png")
            dark = browser.new_page(color_scheme="dark", viewport=SIZE)
            dark.goto(f"{url}episodes?run=a-script")
            dark.click("tbody a")
            dark.goto(f"{dark.url}&step=99")
            dark.screenshot(path=HERE / "dark.png")
            browser.close()


main()
