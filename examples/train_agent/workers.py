"""Environments in processes beside the GPU: a world's episodes all in one process, so that they share its simulator.

A line with a question over encyclopedia paragraphs instead of a task is played in `encyclopedia.Episode`.
"""

import multiprocessing
import os
import zlib
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any


def serve(pipe: Connection, worlds: Path) -> None:
    """Answer ("reset", slot, line, seed), ("step", slot, message) and ("cut", slot), until the pipe closes."""
    # bm25s loads jax where it is installed, and jax would take the GPU's memory in every worker.
    os.environ |= {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    from encyclopedia import Episode
    from prepare import world_folder

    from worldsmith.simulate.simulator import Simulator
    from worldsmith.tasks import Task
    from worldsmith.train.environment import Environment
    from worldsmith.world.files import load_world

    simulators: dict[str, Simulator] = {}
    running: dict[int, Environment | Episode] = {}
    while True:
        try:
            kind, slot, *rest = pipe.recv()
        except EOFError:
            return
        if kind == "reset":
            line, seed = rest
            if "world" in line:
                task = Task.from_json(line)
                if task.world not in simulators:
                    simulators[task.world] = Simulator(load_world(world_folder(worlds, task.world)))
                simulator = simulators[task.world]
                running[slot] = Environment(simulator.world, task, simulator, seed=seed)
            else:
                running[slot] = Episode(line)
            pipe.send((slot, running[slot].reset()))
            continue
        environment = running[slot]
        step = environment.cut() if kind == "cut" else environment.step(rest[0])
        figures = None
        if step.done:
            figures = step.figures if isinstance(environment, Episode) else figures_of(environment, step)
        pipe.send((slot, step.observation, figures))


def figures_of(environment, step) -> dict[str, Any]:
    """Return what is kept of an episode in a world."""
    from worldsmith.train.failures import failures

    score, searches = step.score, sum(call.tool == "web_search" for call in environment.calls)
    return {
        "reward": step.reward.total,
        "training_reward": training_reward(step.reward),
        "masked": float(step.reward.mask),
        "item_f1": score.item.f1,
        "row_f1": score.row.f1,
        "nonkey_f1": score.nonkey.f1,
        # To say nothing scores 1 where no row is right (the score's rule), but is no table.
        "success": float(score.success and score.has_table),
        "finished": float(score.has_table),
        "cut": float(step.reward.terms["truncated"] < 0),
        "searches": searches,
        "reads": len(environment.calls) - searches,
        "turns": environment.turns,
        "failures": failures(environment.task, score, environment.observations),
    }


def training_reward(reward) -> float:
    """Return what an episode is worth to grpo.py: what earns nothing is worth as little as no table, cut off or not.

    The package's reward gives 0 to a made-up table, which beats an honest search that is cut off, so a weak policy
    learns to make tables up.
    """
    from worldsmith.scoring.reward import NO_TABLE

    terms = reward.terms
    earned = terms["cells"] + terms["rows"] + terms["whole"]
    return reward.total if reward.mask or earned > 0 else NO_TABLE


class Workers:
    """As many processes as there are cores to spare."""

    def __init__(self, worlds: Path, count: int | None = None) -> None:
        self.pipes: list[Connection] = []
        self.processes: list[BaseProcess] = []
        context = multiprocessing.get_context("spawn")
        for _ in range(count or max(1, (os.cpu_count() or 2) - 2)):
            ours, theirs = context.Pipe()
            self.processes.append(context.Process(target=serve, args=(theirs, worlds), daemon=True))
            self.processes[-1].start()
            theirs.close()  # else it would not notice that ours is closed
            self.pipes.append(ours)
        self.place: dict[int, int] = {}

    def reset(self, slot: int, line: dict, seed: int) -> None:
        # A world's tasks go to one worker: its pages and index are made once.
        self.place[slot] = zlib.crc32(line.get("world", line.get("question")).encode()) % len(self.pipes)
        self.pipes[self.place[slot]].send(("reset", slot, line, seed))

    def step(self, slot: int, message: str) -> None:
        self.pipes[self.place[slot]].send(("step", slot, message))

    def cut(self, slot: int) -> None:
        self.pipes[self.place[slot]].send(("cut", slot))

    def answers(self, wait: float | None):
        """Yield what has been answered; with `wait`, for up to so many seconds until there is something."""
        for pipe in connection.wait(self.pipes, wait):
            try:
                while pipe.poll():
                    yield pipe.recv()
            except EOFError:
                process = self.processes[self.pipes.index(pipe)]
                process.join()
                raise RuntimeError(f"{process.name} ended with exit code {process.exitcode}: see its error") from None

    def close(self) -> None:
        """End the processes."""
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.join()
