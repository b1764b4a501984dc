"""Qwen2.5 or SmolLM2 (a Llama) in plain PyTorch: a forward for training, one over caches for rollouts, LoRA on top.

Weights and tokenizer come from a folder with a GGUF file, through transformers; only adapters are saved. Input and
output share one embedding, as upstream.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chat
import torch
import torch.nn.functional as F
from attention import BLOCK, attend
from torch import Tensor, nn

RANK, ALPHA = 16, 32
LEAST = 0.02
"""Share of the likeliest token's chance below which a token is never drawn."""


class Linear(nn.Module):
    """A frozen weight with a low-rank adapter; `merged` holds both in one while rolling out."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.bias = None if bias is None else nn.Parameter(bias, requires_grad=False)
        out, into = weight.shape
        self.a = nn.Parameter(torch.randn(RANK, into, device=weight.device) / into**0.5)
        self.b = nn.Parameter(torch.zeros(out, RANK, device=weight.device))
        self.merged: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        low = F.linear(x, self.a.to(x.dtype))
        return F.linear(x, self.weight, self.bias) + F.linear(low, self.b.to(x.dtype)) * (ALPHA / RANK)

    def rolled(self, x: Tensor) -> Tensor:
        return F.linear(x, self.merged, self.bias)

    @torch.no_grad()
    def merge(self) -> None:
        # In place: a CUDA graph goes on reading where it was captured.
        self.merged = torch.empty_like(self.weight) if self.merged is None else self.merged
        self.merged.copy_(self.weight + (self.b @ self.a).to(self.weight.dtype) * (ALPHA / RANK))


def norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return F.rms_norm(x.float(), x.shape[-1:], weight.float(), eps).to(x.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions; x is (..., length, heads, size), cos and sin (length, 1, size)."""
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention within whole sequences; all are (batch, length, heads, size)."""
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2)


class Layer(nn.Module):
    def __init__(self, weights: dict[str, Tensor], heads: int, kv: int, eps: float) -> None:
        super().__init__()
        self.heads, self.kv, self.eps = heads, kv, eps
        self.q, self.k, self.v, self.o = (
            Linear(weights[f"self_attn.{n}_proj.weight"], weights.get(f"self_attn.{n}_proj.bias")) for n in "qkvo"
        )
        self.gate, self.up, self.down = (Linear(weights[f"mlp.{n}_proj.weight"]) for n in ("gate", "up", "down"))
        self.before = nn.Parameter(weights["input_layernorm.weight"], requires_grad=False)
        self.after = nn.Parameter(weights["post_attention_layernorm.weight"], requires_grad=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        return self.over(x, cos, sin, causal, Linear.forward)

    def over(self, x: Tensor, cos: Tensor, sin: Tensor, attention: Callable, linear: Callable) -> Tensor:
        """Return the next states of x (..., length, width), by a way to attend and one to apply a Linear."""
        h = norm(x, self.before, self.eps)
        q = rotate(linear(self.q, h).unflatten(-1, (self.heads, -1)), cos, sin)
        k = rotate(linear(self.k, h).unflatten(-1, (self.kv, -1)), cos, sin)
        v = linear(self.v, h).unflatten(-1, (self.kv, -1))
        x = x + linear(self.o, attention(q, k, v).flatten(-2))
        h = norm(x, self.after, self.eps)
        return x + linear(self.down, F.silu(linear(self.gate, h)) * linear(self.up, h))


class Shape(NamedTuple):
    """What a model's weights don't say."""

    heads: int
    kv: int
    """Heads of keys and values."""
    layers: int
    theta: float
    eps: float
    context: int
    """Tokens that it was trained for."""


class Model(nn.Module):
    """The whole model: `hidden` for training, `read` for rollouts, `logits` of chosen places."""

    def __init__(self, weights: dict[str, Tensor], shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(weights["model.embed_tokens.weight"], requires_grad=False)
        parts = [
            {n.removeprefix(f"model.layers.{i}."): w for n, w in weights.items() if n.startswith(f"model.layers.{i}.")}
            for i in range(shape.layers)
        ]
        self.layers = nn.ModuleList(Layer(part, shape.heads, shape.kv, shape.eps) for part in parts)
        self.final = nn.Parameter(weights["model.norm.weight"], requires_grad=False)
        self.prior = torch.zeros(len(self.embedding), device=self.embedding.device)
        """Added to the logits of the vocabulary; see `vocabulary_prior`."""
        self.size = self.embedding.shape[1] // shape.heads

    def angles(self, at: Tensor) -> tuple[Tensor, Tensor]:
        steps = torch.arange(0, self.size, 2, device=at.device, dtype=torch.float32) / self.size
        angle = at[:, None].float() * self.shape.theta**-steps
        angle = torch.cat((angle, angle), dim=-1)[:, None]
        return angle.cos().to(self.embedding.dtype), angle.sin().to(self.embedding.dtype)

    def hidden(self, ids: Tensor) -> Tensor:
        """Return the last layer's states of whole sequences (batch, length, width)."""
        cos, sin = self.angles(torch.arange(ids.shape[1], device=ids.device))
        x = F.embedding(ids, self.embedding)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return norm(x, self.final, self.shape.eps)

    def logits(self, states: Tensor) -> Tensor:
        """Return the logits of states, in full precision."""
        return F.linear(states, self.embedding).float() + self.prior

    def caches(self, slots: int, longest: int) -> Tensor:
        """Return empty keys and values of all layers (layers, 2, slots, heads of keys, longest, size)."""
        shape = (len(self.layers), 2, slots, self.shape.kv, longest, self.size)
        return torch.zeros(shape, dtype=self.embedding.dtype, device=self.embedding.device)

    @torch.no_grad()
    def read(self, ids: Tensor, slot: Tensor, start: Tensor, caches: Tensor) -> Tensor:
        """Read blocks of tokens (blocks, tokens) into the caches; return their states (blocks, tokens, width).

        slot and start (blocks) say whose tokens a block holds, and the position of its first. Adapters are as `merge`
        left them. What a block holds beyond an episode's end is overwritten by what the episode reads next.
        """
        blocks, tokens = ids.shape
        places = start[:, None] + torch.arange(tokens, device=ids.device)
        cos, sin = self.angles(places.flatten())
        whose, at = slot.repeat_interleave(tokens, output_size=blocks * tokens), places.flatten()
        x = F.embedding(ids.flatten(), self.embedding)
        for layer, (keys, values) in zip(self.layers, caches, strict=True):

            def attention(q: Tensor, k: Tensor, v: Tensor, keys: Tensor = keys, values: Tensor = values) -> Tensor:
                keys[whose, :, at] = k
                values[whose, :, at] = v
                return attend(q.unflatten(0, (blocks, tokens)), keys, values, slot, start).flatten(0, 1)

            x = layer.over(x, cos, sin, attention, Linear.rolled)
        return norm(x, self.final, self.shape.eps).unflatten(0, (blocks, tokens))

    def merge(self) -> None:
        """Fold the adapters as they are now into the weights that `read` uses."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.merge()

    def adapters(self) -> list[nn.Parameter]:
        return [p for p in self.parameters() if p.requires_grad]

    def save(self, path: Path) -> None:
        """Write the adapters, in half precision: about 10 MB."""
        store({n: p.detach().to(torch.bfloat16).cpu() for n, p in self.named_parameters() if p.requires_grad}, path)

    def load(self, path: Path) -> None:
        """Read adapters that `save` wrote."""
        self.take(torch.load(path, map_location=self.embedding.device, weights_only=True))

    def held(self) -> dict[str, Tensor]:
        """Return the adapters as they are."""
        return {n: p.detach() for n, p in self.named_parameters() if p.requires_grad}

    def take(self, kept: dict[str, Tensor]) -> None:
        """Set the adapters."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name in kept:
                    parameter.copy_(kept[name])


def store(state: dict, path: Path) -> None:
    """Write what torch can save, whole or not at all."""
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)


def blocks_of(runs: list[tuple[int, int, list[int]]], device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return what `read` takes for runs of tokens (slot, start, tokens), and where the last token of each run is.

    The place is an index into the tokens of all blocks, flat.
    """
    ids, slot, start, last = [], [], [], []
    for whose, first, tokens in runs:
        last.append(len(ids) * BLOCK + len(tokens) - 1)
        for at in range(0, len(tokens), BLOCK):
            part = tokens[at : at + BLOCK]
            ids.append(part + [0] * (BLOCK - len(part)))
            slot.append(whose)
            start.append(first + at)
    tensors = (torch.tensor(each, device=device) for each in (ids, slot, start, last))
    return tuple(tensors)  # type: ignore[return-value]


def likely(logits: Tensor, kept: Tensor | None = None) -> Tensor:
    """Return logits (n, vocabulary) with unlikely tokens barred, but for the one of each row in kept (n, 1).

    Rare tokens resemble the marks of a call, so thousands of them together would take their place in some draws.
    """
    least = logits.amax(-1, keepdim=True) + math.log(LEAST)
    barred = logits.masked_fill(logits < least, float("-inf"))
    return barred if kept is None else barred.scatter(1, kept, logits.gather(1, kept))


def vocabulary_prior(embedding: Tensor, barred: list[int], marks: list[int]) -> Tensor:
    """Return what is added to logits: minus infinity for barred tokens, and for the marks of a call what those held.

    Qwen2.5-Coder never learned the two marks: with over 2,000 unused tokens they share one embedding, and with it the
    chance that a call begins. The marks get all of it.
    """
    prior = torch.zeros(len(embedding), device=embedding.device)
    prior[barred] = float("-inf")
    if marks:
        mark = embedding[marks[0]].float()
        alike = (embedding.float() - mark).norm(dim=1) < 0.05 * mark.norm()
        alike[marks] = True
        prior[alike] = float("-inf")
        prior[marks] = math.log(int(alike.sum()) / len(marks))
    return prior


def load(folder: Path, device: str = "cuda"):
    """Return (model, tokenizer) from a folder with one GGUF file of a Qwen2 or a Llama.

    Dequantising takes minutes, so that the weights are kept in weights.pt beside it.
    """
    if not (folder / "weights.pt").exists():
        _dequantise(folder)
    tokenizer = chat.tokenizer_of(folder)
    kept = torch.load(folder / "weights.pt", map_location=device, weights_only=True)
    model = Model(kept["weights"], Shape(**kept["shape"]))
    model.prior = vocabulary_prior(model.embedding, chat.barred(tokenizer), chat.marks(tokenizer))
    if device == "cuda":
        for layer in model.layers:  # one graph serves all layers; training is a half faster
            layer.compile(dynamic=True)
    return model, tokenizer


def _dequantise(folder: Path) -> None:
    from transformers import AutoModelForCausalLM

    (file,) = folder.glob("*.gguf")
    theirs = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file.name, dtype=torch.bfloat16)
    c = theirs.config
    theta = getattr(c, "rope_theta", None) or c.rope_parameters["rope_theta"]
    shape = Shape(
        c.num_attention_heads,
        c.num_key_value_heads,
        c.num_hidden_layers,
        theta,
        c.rms_norm_eps,
        c.max_position_embeddings,
    )
    weights = {name: weight for name, weight in theirs.state_dict().items() if name != "lm_head.weight"}
    store({"shape": shape._asdict(), "weights": weights}, folder / "weights.pt")
