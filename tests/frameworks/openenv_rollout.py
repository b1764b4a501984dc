"""Play episodes against a running OpenEnv server, all at once: run in OpenEnv's environment, in an export's folder.

python openenv_rollout.py URL SESSIONS EPISODES.json OUT.json plays every episode, in as many sessions at a time, and
writes {"episodes": [figures], "states", "payloads": what the server sent, "loop": [figures and reward of the README's
loop, figures expected], "refused": the error of one session too many}.
"""

import asyncio
import json
import sys
import textwrap
import urllib.request
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, ".")

from worldsmith_env import WorldsmithAction, WorldsmithEnv

url, sessions, episodes_file, out_file = sys.argv[1:]
episodes = json.loads(Path(episodes_file).read_text("utf-8"))
PATIENCE = {"connect_timeout_s": 300.0, "message_timeout_s": 300.0}


def ask(path, **body):
    """Return what the task API answers."""
    request = urllib.request.Request(f"{url}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


places = {task["id"]: task["index"] for task in ask("/worldsmith/tasks", split="train")["tasks"]}


async def play(episode, everyone, places_taken):
    """Return the figures of an episode that begins when all sessions are open, its state and what was sent for it."""
    async with WorldsmithEnv(base_url=url, **PATIENCE) as env:
        result = await env.reset(split="train", index=places[episode["task_id"]], episode_id=episode["kind"])
        sent = [str(result)]
        if everyone.parties > 1:
            await everyone.wait()
        async with places_taken:
            for number, message in enumerate(episode["messages"], 1):
                cut = episode["cut"] and number == len(episode["messages"])
                result = await env.step(WorldsmithAction(message=message, cut=cut))
                sent.append(str(result.observation.messages))
            assert result.done
            assert result.reward == result.observation.figures["score"]
            return result.observation.figures, (await env.state()).model_dump(), sent


async def play_all(number):
    """Return the results of so many sessions, all of which are open at once; 32 of them step at a time."""
    everyone, places_taken = asyncio.Barrier(number), asyncio.Semaphore(32)
    return await asyncio.gather(*(play(one, everyone, places_taken) for one in islice(cycle(episodes), number)))


async def one_too_many(number):
    """Return the error of a session beyond those that the server takes."""
    clients = [WorldsmithEnv(base_url=url, **PATIENCE) for _ in range(number)]
    await asyncio.gather(*(client.reset(index=0) for client in clients))
    try:
        async with WorldsmithEnv(base_url=url, **PATIENCE) as env:
            await env.reset(index=0)
    except RuntimeError as error:
        return str(error)
    finally:
        await asyncio.gather(*(client.close() for client in clients))
    return "none"


def readme_loop():
    """Return figures and reward of an honest episode that the README's loop plays, and its figures by Environment."""
    honest = next(one for one in episodes if one["kind"] == "honest" and places[one["task_id"]] == 0)
    readme = Path("README.md").read_text("utf-8")
    loop = textwrap.dedent(
        readme[readme.index("    from worldsmith_env import") : readme.index("\nFor chat templates")]
    )
    left = iter(honest["messages"])
    names = {"policy": lambda messages, tools: next(left) if len(tools) == 2 else None}
    exec(loop.replace("http://127.0.0.1:8100", url), names)
    return [names["figures"], names["reward"], honest["figures"]]


def main():
    results = asyncio.run(play_all(int(sessions)))
    result = {
        "episodes": [figures for figures, _, _ in results],
        "states": [state for _, state, _ in results],
        "payloads": [
            json.dumps(ask("/worldsmith/task_range", split="train")),
            *("\n".join(sent) for _, _, sent in results),
        ],
        "loop": readme_loop(),
        "refused": asyncio.run(one_too_many(int(sessions))),
    }
    Path(out_file).write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
