"""The files of this folder, computed with PyTorch in float64 from the inputs in them, with autograd for all gradients.

    make.py [--write]        compares the files with what comes out now; --write writes them anew

Multi-head, multi-query and grouped-query attention are torch.nn.functional.multi_head_attention_forward, which
torch.nn.MultiheadAttention is made of; shared heads are repeated for it. Latent attention is written out, after
DeepSeek-V2 (2024), equations 37 to 47.
"""
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

FOLDER = pathlib.Path(__file__).parent
sys.path.append(str(FOLDER.parents[2] / "lessons/24_training_well"))
from pytorch_gpt import read_safetensors, write_safetensors  # noqa: E402

TOLERANCE = 1e-12  # of the larger of 1 and a tensor's largest number: see tests/attention_oracle_test.cpp


# --- Attention --------------------------------------------------------------------------------------------------------


def is_learned(name):
    return name in ("x", "kv") or name.startswith("w_")


def is_input(name):
    return is_learned(name) or name in ("mask", "key_padding_mask", "grad_out")


def complete(inputs, metadata):
    """The inputs, and all that follows from them: out, attn, grad.*, and of latent attention c_kv and k_rope."""
    t = {name: tensor.clone().requires_grad_(is_learned(name)) for name, tensor in inputs.items()}
    t.setdefault("kv", t["x"])
    made = (latent if "w_dkv" in t else grouped)(t, hidden(t, metadata), metadata)
    learned = [name for name in inputs if is_learned(name)]
    gradients = torch.autograd.grad(made["out"], [t[name] for name in learned], t["grad_out"])
    made.update({"grad." + name: gradient for name, gradient in zip(learned, gradients)})
    return {**inputs, **{name: tensor.detach() for name, tensor in made.items()}}


def hidden(t, metadata):
    """(B,N,M), true where a query must not see a key."""
    (B, N, _), M = t["x"].shape, t["kv"].shape[1]
    seen = torch.ones(B, N, M, dtype=torch.bool)
    if "mask" in t:
        seen &= t["mask"].bool()
    if "key_padding_mask" in t:
        seen &= t["key_padding_mask"].bool()[:, None, :]
    if metadata.get("mask") == "causal":
        seen &= torch.ones(N, M, dtype=torch.bool).tril()
    return ~seen


def grouped(t, hide, metadata):
    C, H = t["x"].shape[-1], int(metadata["n_head"])
    G = t["w_k"].shape[0] // (C // H)

    def repeated(w):
        return w.reshape(G, C // H, C).repeat_interleave(H // G, 0).reshape(C, C)

    x, kv = t["x"].transpose(0, 1), t["kv"].transpose(0, 1)  # positions first
    out, attn = F.multi_head_attention_forward(
        x, kv, kv, C, H, None, None, None, None, False, 0.0, t["w_o"], None, training=False,
        attn_mask=hide.repeat_interleave(H, 0), need_weights=True, average_attn_weights=False,
        use_separate_proj_weight=True, q_proj_weight=t["w_q"], k_proj_weight=repeated(t["w_k"]),
        v_proj_weight=repeated(t["w_v"]))
    return {"out": out.transpose(0, 1), "attn": attn}


def latent(t, hide, metadata):
    H = int(metadata["n_head"])

    def heads(x):  # (B,N,H*n) to (B,H,N,n)
        return x.unflatten(-1, (H, -1)).transpose(1, 2)

    c_q, c_kv = F.linear(t["x"], t["w_dq"]), F.linear(t["kv"], t["w_dkv"])
    q, k, v = heads(F.linear(c_q, t["w_uq"])), heads(F.linear(c_kv, t["w_uk"])), heads(F.linear(c_kv, t["w_uv"]))
    made = {"c_kv": c_kv}
    if "w_kr" in t:
        base = float(metadata["rope_base"])
        made["k_rope"] = rotated(F.linear(t["kv"], t["w_kr"]), base)
        q = torch.cat((q, rotated(heads(F.linear(c_q, t["w_qr"])), base)), -1)
        k = torch.cat((k, made["k_rope"][:, None].expand(-1, H, -1, -1)), -1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    made["attn"] = scores.masked_fill(hide[:, None], -math.inf).softmax(-1)
    made["out"] = F.linear((made["attn"] @ v).transpose(1, 2).flatten(-2), t["w_o"])
    return made


def rotated(x, base):
    """(...,N,R): the pair (2i, 2i+1) as a complex number, rotated by position* base^(-2i/R)."""
    N, R = x.shape[-2:]
    angles = torch.arange(N).double()[:, None] * base ** (-torch.arange(0, R, 2).double() / R)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


# --- The files --------------------------------------------------------------------------------------------------------


def difference(made, expected):
    """As tests/attention_oracle_test.cpp has it; infinity for another shape and for what is not a number."""
    if made.shape != expected.shape or not made.isfinite().all() or not expected.isfinite().all():
        return math.inf
    return float((made - expected).abs().max() / max(1.0, float(expected.abs().max())))


def compare(path, made, golden):
    """Prints how far the golden file is from what was made. True if that is rounding."""
    off = {name: difference(made[name], golden[name]) if name in made else math.inf for name in golden}
    worst = max(off, key=off.get)
    print(f"{path.stem:30}  {off[worst]:.1e}  {'ok' if off[worst] <= TOLERANCE else 'FAILED: ' + worst}")
    return off[worst] <= TOLERANCE


def main():
    torch.set_default_dtype(torch.float64)
    right = []
    for path in sorted(FOLDER.glob("*.safetensors")):
        metadata, golden = read_safetensors(path)
        made = complete({name: tensor for name, tensor in golden.items() if is_input(name)}, metadata)
        right.append(compare(path, made, golden))
        if "--write" in sys.argv:
            write_safetensors(path, metadata, made)
    print(f"{sum(right)} of {len(right)} files agree with PyTorch {torch.__version__} to within {TOLERANCE}")
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
