"""Play episodes through Gymnasium: run in its environment, in an export's folder.

python gymnasium_rollout.py EPISODES.json OUT.json writes {"episodes": [figures], "loop": [figures and reward of the
README's loop, figures expected], "expected", "sync", "async": [rewards of the first episodes]}.
"""

import json
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, ".")

import gymnasium
import worldsmith_gym

episodes = json.loads(Path(sys.argv[1]).read_text("utf-8"))
rows = worldsmith_gym.task_rows("train.jsonl")
places = {rows[i]["task_id"]: i for i in range(len(rows))}


def played(messages, index):
    """Return the figures of an episode; the reward is theirs."""
    env = gymnasium.make(worldsmith_gym.ENV_ID)
    env.reset(options={"index": index})
    rewards = []
    for message in messages:
        _, reward, terminated, truncated, info = env.step(message)
        rewards.append(reward)
        if terminated or truncated:
            assert (sum(rewards), truncated) == (info["figures"]["score"], bool(info["figures"]["truncated"]))
            return info["figures"]
    raise AssertionError("the episode doesn't end")


def vector_rewards(cls, chosen, **options):
    """Return the rewards of episodes that a vector environment plays in step."""
    makers = [lambda row=rows[places[one["task_id"]]]: gymnasium.make(worldsmith_gym.ENV_ID, row=row) for one in chosen]
    env = cls(makers, **options)
    env.reset(seed=0)
    rewards, ended = [0.0] * len(chosen), [False] * len(chosen)
    turn = 0
    while not all(ended):
        texts = [one["messages"][turn] if turn < len(one["messages"]) else "" for one in chosen]
        _, paid, terminated, truncated, _ = env.step(tuple(texts))
        for i in range(len(chosen)):
            if not ended[i]:
                rewards[i] += float(paid[i])
                ended[i] = bool(terminated[i] or truncated[i])
        turn += 1
    env.close()
    return rewards


def main():
    readme = Path("README.md").read_text("utf-8")
    loop = textwrap.dedent(readme[readme.index("    import gymnasium") : readme.index("\nActions and")])
    honest = next(one for one in episodes if one["kind"] == "honest" and places.get(one["task_id"]) == 0)
    names = {"policy": lambda conversation: honest["messages"][sum(m["role"] == "assistant" for m in conversation)]}
    exec(loop, names)
    chosen = [one for one in episodes if one["task_id"] in places][:6]
    result = {
        "episodes": [played(one["messages"], places[one["task_id"]]) for one in episodes],
        "loop": [names["info"]["figures"], names["reward"], honest["figures"]],
        "expected": [one["figures"]["score"] for one in chosen],
        "sync": vector_rewards(gymnasium.vector.SyncVectorEnv, chosen),
        "async": vector_rewards(gymnasium.vector.AsyncVectorEnv, chosen, shared_memory=False),
    }
    Path(sys.argv[2]).write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
