"""An export in the hands of verl itself: its dataset, its tools, its agent loop and its reward manager."""

import asyncio
import re
import socket
import sys
import threading
from itertools import islice
from pathlib import Path

import pytest
import uvicorn

from tests.task_draws import candidates, save_recorded
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.world.files import save_world

pytestmark = [pytest.mark.heavy, pytest.mark.filterwarnings("default")]

UNSAID = {"worldsmith_messages": [{"role": "assistant", "content": "I give up."}]}
TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}"
    "{% for m in messages %}{% if m.role == 'tool' %}<|im_start|>user\n<tool_response>\n{{ m.content }}\n"
    "</tool_response><|im_end|>\n{% else %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="module")
def verl():
    return pytest.importorskip("verl", reason="pip install verl==0.9.1 cachetools fastapi, and torch")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """An export of one world whose server runs: its folder and the world's tasks."""
    base = tmp_path_factory.mktemp("verl")
    world = generate(load_schema("town"), 1)
    folder, tasks = save_world(world, base), list(islice(candidates(world, Pages(world), 1, "small"), 4))
    save_recorded(folder, tasks)
    bound = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app([folder]), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    export(
        SeparateWorlds([folder]),
        "verl",
        base / "out",
        base_url=f"http://127.0.0.1:{bound.getsockname()[1]}",
        test_share=0,
    )
    yield base / "out", tasks
    server.should_exit = True
    thread.join(10)
    bound.close()


@pytest.fixture(scope="module")
def config(verl, served):
    """verl's own configuration under the overrides of run.sh."""
    from hydra import compose, initialize_config_dir

    script = (served[0] / "run.sh").read_text().replace("$HERE", str(served[0])).replace('"', "")
    lines = re.findall(r"^  (\S+=\S+) \\$", script, re.MULTILINE)
    overrides = [re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", line) for line in lines]
    assert len(overrides) > 20
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose("ppo_trainer", overrides)


@pytest.fixture(scope="module")
def tokenizer(verl):
    """Bytes as tokens, with the marks of a chat as special ones."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|pad|>")
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = TEMPLATE
    return made


def test_the_tool_agent_loop_searches_reads_and_is_paid(verl, served, config, tokenizer, monkeypatch):
    from omegaconf import open_dict
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap
    from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
    from verl.tools.tool_registry import load_all_tools
    from verl.trainer.ppo.reward import get_custom_reward_fn
    from verl.utils.dataset.rl_dataset import RLHFDataset
    from verl.workers.rollout.replica import TokenOutput

    out, tasks = served
    monkeypatch.delenv("WORLDSMITH_BASE_URL", raising=False)
    monkeypatch.setattr(sys, "path", [str(out), *sys.path])
    with open_dict(config):
        config.data.filter_overlong_prompts = False
        config.data.cache_dir = str(out / "cache")
    row = RLHFDataset(str(out / "train.parquet"), tokenizer, config.data)[0]
    task = next(task for task in tasks if task.task_id == row["extra_info"]["task_id"])
    assert row["raw_prompt"][-1]["content"] == task.question
    assert row["agent_name"] == "tool_agent"
    said = [
        '<tool_call>\n{"name": "web_search", "arguments": {"query": "town register"}}\n</tool_call>',
        '<tool_call>\n{"name": "web_extractor", "arguments": {"url": "URL"}}\n</tool_call>',
        task.table(),
    ]
    seen = []

    class Server:
        async def generate(self, prompt_ids, **_):
            seen.append(tokenizer.decode(prompt_ids))
            found = re.findall(r"https://\S+?\.example/\S*", seen[-1].rpartition("<tool_response>")[2])
            text = said[len(seen) - 1].replace("URL", found[0] if found else "")
            ids = tokenizer.encode(text + "<|im_end|>", add_special_tokens=False)
            return TokenOutput(token_ids=ids, log_probs=[0.0] * len(ids))

    loop = ToolAgentLoop(
        trainer_config=DictConfigWrap(config),
        server_manager=Server(),
        tokenizer=tokenizer,
        processor=None,
        dataset_cls=RLHFDataset,
        data_config=DictConfigWrap(config.data),
        tools=ToolListWrap(load_all_tools(str(out / "tools.yaml"), None)),
    )
    ended = asyncio.get_event_loop_policy().get_event_loop().run_until_complete(loop.run({}, **row))
    assert "Title: " in seen[1]
    assert "<tool_response>\n# " in seen[2]
    assert ended.extra_fields["worldsmith"] == {"web_search": 1, "web_extractor": 1, "opened": 1, "failed": 0}
    compute_score = get_custom_reward_fn(config)
    info = {**row["extra_info"], **ended.extra_fields, "num_turns": ended.num_turns}
    text = tokenizer.decode(ended.response_ids, skip_special_tokens=True)
    truth = row["reward_model"]["ground_truth"]
    paid = compute_score(data_source=row["data_source"], solution_str=text, ground_truth=truth, extra_info=info)
    assert (paid["score"], paid["closed_book"], paid["env_error"]) == (1.0, 0.0, 0.0)
    unsaid = text.removesuffix(task.table())
    assert unsaid != text
    lost = compute_score(data_source="", solution_str=unsaid, ground_truth=truth, extra_info={**info, **UNSAID})
    assert lost["score"] == 0.0
    # The messages alone tell what the agent says last: the decoded text may tell nothing.
    roles = [message["role"] for message in ended.extra_fields["worldsmith_messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    blind = compute_score(data_source="", solution_str="web_search", ground_truth=truth, extra_info=info)
    assert (blind["score"], blind["unread"]) == (1.0, 0.0)
