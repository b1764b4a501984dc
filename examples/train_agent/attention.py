"""Attention of many episodes at once, each over its own keys and only as far as it has come.

PyTorch's own attention takes one length for all, so that short episodes pay for the longest, and a mask, which keeps it
from its fast kernels. `attend` is a flash kernel in Triton where lengths are data: one CUDA graph serves all of them.

`python attention.py` compares it with the plain form on this machine.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 16
"""Tokens of one episode that are read together, where more than one is."""
SPLITS = 8
"""Parts that the keys of an episode are cut into while it chooses single tokens: else few programs would run long."""


@triton.jit
def _flash(
    q, k, v, out, weight, slot, start, longest, scale,
    TOKENS: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, SIZE: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """One block of tokens, one head of keys and all queries that share it, one part of the keys."""
    block, head, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    heads, parts = tl.num_programs(1), tl.num_programs(2)
    row, column, key = tl.arange(0, ROWS), tl.arange(0, SIZE), tl.arange(0, KEYS)
    first = tl.load(start + block)
    token = row // GROUP
    there = row < TOKENS * GROUP
    place = ((block * TOKENS + token) * heads + head) * GROUP + row % GROUP
    queries = tl.load(q + place[:, None] * SIZE + column, mask=there[:, None], other=0.0)
    base = (tl.load(slot + block).to(tl.int64) * heads + head) * longest
    share = tl.cdiv(tl.cdiv(first + TOKENS, parts), KEYS) * KEYS
    end = tl.minimum((part + 1) * share, first + TOKENS)
    best = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    weighted = tl.zeros((ROWS, SIZE), tl.float32)
    for at in range(part * share, end, KEYS):
        inside = (at + key < end)[:, None]
        where = (base + at + key)[:, None] * SIZE + column
        scores = tl.dot(queries, tl.trans(tl.load(k + where, mask=inside, other=0.0))) * scale
        scores = tl.where((at + key)[None] <= tl.minimum(first + token, end - 1)[:, None], scores, float("-inf"))
        now = tl.maximum(best, tl.max(scores, 1))
        # A row that sees nothing yet has no largest score; 0 keeps its powers at 0 instead of NaN.
        safe = tl.where(now == float("-inf"), 0.0, now)
        powers = tl.exp2(scores - safe[:, None])
        fade = tl.exp2(best - safe)
        values = tl.load(v + where, mask=inside, other=0.0)
        weighted = weighted * fade[:, None] + tl.dot(powers.to(values.dtype), values)
        total = total * fade + tl.sum(powers, 1)
        best = now
    place = ((block * heads + head) * parts + part) * ROWS + row
    nothing = total == 0.0
    tl.store(out + place[:, None] * SIZE + column, weighted / tl.where(nothing, 1.0, total)[:, None])
    tl.store(weight + place, tl.where(nothing, float("-inf"), best + tl.log2(tl.where(nothing, 1.0, total))))


def attend(q: Tensor, k: Tensor, v: Tensor, slot: Tensor, start: Tensor) -> Tensor:
    """Return what tokens see: each all keys of its slot up to its own.

    q (blocks, tokens, heads, size); k and v (slots, heads of keys, longest, size), where the tokens' own already are;
    slot and start (blocks): whose tokens a block holds, and the position of the first. Returns the shape of q.
    """
    if q.device.type == "cpu":
        return plain(q, k, v, slot, start)
    return flash(q, k, v, slot, start)


def flash(q: Tensor, k: Tensor, v: Tensor, slot: Tensor, start: Tensor) -> Tensor:
    """`attend` in Triton."""
    blocks, tokens, heads, size = q.shape
    shared, longest = k.shape[1], k.shape[2]
    group = heads // shared
    rows = max(16, triton.next_power_of_2(tokens * group))
    parts = SPLITS if tokens == 1 else 1
    out = torch.empty((blocks, shared, parts, rows, size), dtype=torch.float32, device=q.device)
    weight = torch.empty((blocks, shared, parts, rows), dtype=torch.float32, device=q.device)
    scale = size**-0.5 * 1.4426950408889634  # powers are of 2, not of e
    _flash[(blocks, shared, parts)](
        q.contiguous(), k, v, out, weight, slot, start, longest, scale,
        TOKENS=tokens, GROUP=group, ROWS=rows, SIZE=size, KEYS=64,
    )  # fmt: skip
    if parts > 1:
        out = out * (weight * 0.6931471805599453).softmax(2)[..., None]
    states = out.sum(2)[:, :, : tokens * group].reshape(blocks, shared, tokens, group, size)
    return states.transpose(1, 2).reshape(q.shape).to(q.dtype)


def plain(q: Tensor, k: Tensor, v: Tensor, slot: Tensor, start: Tensor) -> Tensor:
    """`attend` in plain PyTorch, block by block."""
    out = torch.empty_like(q)
    group = q.shape[2] // k.shape[1]
    for i, (s, first) in enumerate(zip(slot.tolist(), start.tolist(), strict=True)):
        end = first + q.shape[1]
        keys, values = (c[s, :, :end].float().repeat_interleave(group, 0) for c in (k, v))
        scores = q[i].float().transpose(0, 1) @ keys.transpose(1, 2) * q.shape[3] ** -0.5
        ahead = torch.ones(q.shape[1], end, dtype=torch.bool, device=q.device).triu(first + 1)
        out[i] = (scores.masked_fill(ahead, float("-inf")).softmax(-1) @ values).transpose(0, 1).to(q.dtype)
    return out


def main() -> None:
    """Print the largest relative error of the kernel over lengths, for single tokens and blocks."""
    # Without a GPU set TRITON_INTERPRET=1; Triton's interpreter knows no bfloat16.
    device, kind = ("cuda", torch.bfloat16) if torch.cuda.is_available() else ("cpu", torch.float32)
    torch.manual_seed(0)
    for tokens in (1, BLOCK):
        worst = 0.0
        for longest in (64, 200, 1000):
            k, v = torch.randn(2, 5, 3, longest, 64, device=device).to(kind)
            slot = torch.tensor([0, 4, 2, 2, 1, 3], device=device)
            start = torch.tensor([0, longest - tokens, 1, 63 - tokens, longest // 2, 17], device=device)
            q = torch.randn(len(slot), tokens, 9, 64, device=device).to(kind)
            ours, theirs = flash(q, k, v, slot, start).float(), plain(q, k, v, slot, start).float()
            worst = max(worst, float((ours - theirs).norm() / theirs.norm()))
        print(f"{tokens} tokens: relative error {worst:.1e}")


if __name__ == "__main__":
    main()
