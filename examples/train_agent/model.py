"""SmolLM2 (a Llama) in plain PyTorch: one forward for training, one with a static cache for rollouts, LoRA on top.

Weights and tokenizer come from a folder with a GGUF file, through transformers; only adapters are saved.
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.bias import causal_lower_right

RANK, ALPHA = 16, 32


class Linear(nn.Module):
    """A frozen weight with a low-rank adapter; `merged` holds both in one while rolling out."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        out, into = weight.shape
        self.a = nn.Parameter(torch.randn(RANK, into, device=weight.device) / into**0.5)
        self.b = nn.Parameter(torch.zeros(out, RANK, device=weight.device))
        self.merged: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.merged is not None:
            return F.linear(x, self.merged)
        low = F.linear(x, self.a.to(x.dtype))
        return F.linear(x, self.weight) + F.linear(low, self.b.to(x.dtype)) * (ALPHA / RANK)

    def merge(self, on: bool) -> None:
        self.merged = (self.weight + (self.b @ self.a).to(self.weight.dtype) * (ALPHA / RANK)) if on else None


def norm(x: Tensor, weight: Tensor) -> Tensor:
    return F.rms_norm(x.float(), x.shape[-1:], weight.float(), 1e-5).to(x.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions; x is (batch, heads, length, size), cos and sin (batch, 1, length, size)."""
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos + turned * sin


class Layer(nn.Module):
    def __init__(self, weights: dict[str, Tensor], heads: int, kv: int) -> None:
        super().__init__()
        self.heads, self.kv = heads, kv
        self.q, self.k, self.v, self.o = (Linear(weights[f"self_attn.{n}_proj.weight"]) for n in "qkvo")
        self.gate, self.up, self.down = (Linear(weights[f"mlp.{n}_proj.weight"]) for n in ("gate", "up", "down"))
        self.before = nn.Parameter(weights["input_layernorm.weight"], requires_grad=False)
        self.after = nn.Parameter(weights["post_attention_layernorm.weight"], requires_grad=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, cache=None) -> Tensor:
        batch, length, width = x.shape
        h = norm(x, self.before)
        q = rotate(self.q(h).view(batch, length, self.heads, -1).transpose(1, 2), cos, sin)
        k = rotate(self.k(h).view(batch, length, self.kv, -1).transpose(1, 2), cos, sin)
        v = self.v(h).view(batch, length, self.kv, -1).transpose(1, 2)
        if cache is None:
            group = self.heads // self.kv
            k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            seen = cache(q, k, v)
        x = x + self.o(seen.transpose(1, 2).reshape(batch, length, width))
        h = norm(x, self.after)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Cache:
    """Keys and values of all slots at one layer; where each slot stands is told before a step."""

    def __init__(self, slots: int, kv: int, longest: int, size: int, device: str) -> None:
        shape = (slots, kv, longest, size)
        self.k = torch.zeros(shape, dtype=torch.bfloat16, device=device)
        self.v = torch.zeros(shape, dtype=torch.bfloat16, device=device)

    def step(self, at: Tensor, mask: Tensor, end: int):
        """Return the attention of one token a slot: write it at `at` (slots), see what `mask` allows up to `end`."""
        slots = torch.arange(at.shape[0], device=at.device)

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            batch, heads, _, size = q.shape
            kv = k.shape[1]
            self.k[slots, :, at] = k[:, :, 0]
            self.v[slots, :, at] = v[:, :, 0]
            # Heads that share keys become further queries: nothing is repeated.
            queries = q.reshape(batch, kv, heads // kv, size)
            keys, values = self.k[:, :, :end], self.v[:, :, :end]
            return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask).reshape(q.shape)

        return attend

    def read(self, slot: int, start: int):
        """Return the attention of a run of tokens of one slot, from position `start`."""

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            end = start + k.shape[2]
            self.k[slot, :, start:end] = k[0]
            self.v[slot, :, start:end] = v[0]
            group = q.shape[1] // k.shape[1]
            keys = self.k[slot : slot + 1, :, :end].repeat_interleave(group, 1)
            values = self.v[slot : slot + 1, :, :end].repeat_interleave(group, 1)
            return F.scaled_dot_product_attention(q, keys, values, attn_mask=causal_lower_right(k.shape[2], end))

        return attend


class Model(nn.Module):
    """The whole model; `hidden` for training, `step` for rollouts, `logits` of chosen places."""

    def __init__(self, weights: dict[str, Tensor], heads: int, kv: int, layers: int, theta: float) -> None:
        super().__init__()
        self.embedding = nn.Parameter(weights["model.embed_tokens.weight"], requires_grad=False)
        parts = [
            {n.removeprefix(f"model.layers.{i}."): w for n, w in weights.items() if n.startswith(f"model.layers.{i}.")}
            for i in range(layers)
        ]
        self.layers = nn.ModuleList(Layer(part, heads, kv) for part in parts)
        self.final = nn.Parameter(weights["model.norm.weight"], requires_grad=False)
        self.kv, self.size, self.theta = kv, self.embedding.shape[1] // heads, theta

    def angles(self, at: Tensor) -> tuple[Tensor, Tensor]:
        steps = torch.arange(0, self.size, 2, device=at.device, dtype=torch.float32) / self.size
        angle = at[..., None].float() * self.theta**-steps
        angle = torch.cat((angle, angle), dim=-1)[:, None]
        return angle.cos().to(self.embedding.dtype), angle.sin().to(self.embedding.dtype)

    def hidden(self, ids: Tensor) -> Tensor:
        """Return the last layer's states of whole sequences (batch, length, width)."""
        cos, sin = self.angles(torch.arange(ids.shape[1], device=ids.device)[None])
        x = F.embedding(ids, self.embedding)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return norm(x, self.final)

    def logits(self, states: Tensor) -> Tensor:
        return F.linear(states, self.embedding)

    def caches(self, slots: int, longest: int) -> list[Cache]:
        device = str(self.embedding.device)
        return [Cache(slots, self.kv, longest, self.size, device) for _ in self.layers]

    @torch.no_grad()
    def step(self, ids: Tensor, at: Tensor, caches: list[Cache], end: int) -> Tensor:
        """Read one token a slot (slots) at positions `at`; return the states (slots, width).

        `end` is a bound of all positions: how much of the cache is looked at. A slot that takes no part is written to
        beyond its end, and over by its next token.
        """
        mask = (torch.arange(end, device=ids.device) <= at[:, None])[:, None, None]
        cos, sin = self.angles(at[:, None])
        x = F.embedding(ids[:, None], self.embedding)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cos, sin, cache.step(at, mask, end))
        return norm(x, self.final)[:, 0]

    @torch.no_grad()
    def read(self, ids: Tensor, slot: int, start: int, caches: list[Cache]) -> Tensor:
        """Read a run of tokens (length) of one slot from position `start`; return the last one's state (width)."""
        cos, sin = self.angles(torch.arange(start, start + len(ids), device=ids.device)[None])
        x = F.embedding(ids[None], self.embedding)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cos, sin, cache.read(slot, start))
        return norm(x[:, -1], self.final)[0]

    def merge(self, on: bool) -> None:
        for module in self.modules():
            if isinstance(module, Linear):
                module.merge(on)

    def adapters(self) -> list[nn.Parameter]:
        return [p for p in self.parameters() if p.requires_grad]

    def save(self, path: Path) -> None:
        """Write the adapters, in half precision: about 10 MB."""
        kept = {n: p.detach().to(torch.bfloat16).cpu() for n, p in self.named_parameters() if p.requires_grad}
        torch.save(kept, path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)

    def load(self, path: Path) -> None:
        """Read adapters that `save` wrote."""
        kept = torch.load(path, map_location=self.embedding.device, weights_only=True)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name in kept:
                    parameter.copy_(kept[name])


def load(folder: Path, device: str = "cuda"):
    """Return (model, tokenizer) from a folder that holds one GGUF file of a Llama."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (file,) = folder.glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file.name)
    theirs = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file.name, dtype=torch.bfloat16)
    c = theirs.config
    weights = {name: weight.to(device) for name, weight in theirs.state_dict().items()}
    theta = getattr(c, "rope_theta", None) or c.rope_parameters["rope_theta"]
    model = Model(weights, c.num_attention_heads, c.num_key_value_heads, c.num_hidden_layers, theta)
    return model, tokenizer
