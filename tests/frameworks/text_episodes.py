"""The odd episodes for trainers whose models write their calls as text, with what `Environment` pays for the text."""

import json
from pathlib import Path

from tests.frameworks.odd_episodes import WORLD, odd_episodes
from worldsmith.episode import figures
from worldsmith.episode.rehearsal import as_text
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.environment import Environment


def save(path: Path) -> None:
    """Write [{"kind", "task_id", "messages", "figures"}]; an episode that the messages don't end, a silent model ends.

    Such trainers can't cut an episode in the middle of a message: what stands there is taken for the whole message.
    """
    worlds = SeparateWorlds([WORLD])
    ((_, tasks),) = worlds.tasks()
    world = worlds.open(tasks[0].world)
    simulator, by_id = Simulator(world), {task.task_id: task for task in tasks}
    episodes = []
    for odd in odd_episodes():
        environment = Environment(world, by_id[odd.task_id], simulator, tools_in_text=True)
        environment.reset()
        messages: list[str] = []
        for text in [*map(as_text, odd.messages), ""]:
            messages.append(text)
            if (step := environment.step(text)).done:
                break
        paid = figures(step, environment)
        episodes.append({"kind": odd.kind, "task_id": odd.task_id, "messages": messages, "figures": paid})
    path.write_text(json.dumps(episodes), "utf-8")
