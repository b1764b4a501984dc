"""What `Environment` pays the scripted models."""

from tests.frameworks.odd_episodes import WORLD
from tests.scripted_models import POLICIES
from worldsmith.episode import figures, sent_message
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.environment import Environment


def played(task, name):
    """Return the figures of a policy's episode; it is cut where the policy says that its message is."""
    world = SeparateWorlds([WORLD]).open(task.world)
    environment = Environment(world, task, Simulator(world))
    messages = environment.reset()
    while True:
        reply = POLICIES[name](task, {"messages": messages})
        message = reply["message"]
        step = environment.cut(message) if reply["finish_reason"] == "length" else environment.step(message)
        if step.done:
            return figures(step, environment)
        messages += [sent_message(message), *step.messages]
