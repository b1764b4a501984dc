"""Compare the texts of an export to sft with what transformers makes of them: `sft_texts.py EXPORT TEMPLATE`."""

import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

EXPORT, TEMPLATE = map(Path, sys.argv[1:])
letters = sorted(pre_tokenizers.ByteLevel.alphabet())
core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
core.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core)
template = TEMPLATE.read_text("utf-8")
same = 0
for split in ("train", "test"):
    rows, texts = (
        [json.loads(line) for line in (folder / f"{split}.jsonl").open(encoding="utf-8")]
        for folder in (EXPORT, EXPORT / "rendered")
    )
    for row, text in zip(rows, texts, strict=True):
        made = {"tools": json.loads(row["tools"]), "chat_template": template}
        written = tokenizer.apply_chat_template(row["messages"], tokenize=False, **made)
        encoded = tokenizer.apply_chat_template(
            row["messages"], return_dict=True, return_assistant_tokens_mask=True, **made
        )
        trained = bytes(t for t, mask in zip(encoded["input_ids"], encoded["assistant_masks"], strict=True) if mask)
        masked = tokenizer.decode([*trained])
        spoken = "".join(text["text"][start:end] for start, end in text["spans"])
        if "strftime_now" not in template:
            assert written == text["text"], (written[:3000], text["text"][:3000])
        assert "".join(masked.split()) == "".join(spoken.split()), (masked[-600:], spoken[-600:])
        same += 1
sys.stdout.write(f"{same} texts are the same\n")
