#!/usr/bin/env python3
"""The door out: a model of this project in PyTorch.

    pytorch_gpt.py MODEL [NAMES] [--steps N]         MODEL was written by microgpt train --save or train-fast --save

Reads the model, and prints its loss on the held-out names of NAMES, with all digits. It is the loss that `microgpt eval
MODEL --data NAMES --dtype f64 --digits 17` prints, up to rounding. With --steps it trains on the other names for N steps
first, from where the model stands: from here on everything is PyTorch's, its GPUs, its optimizers and its torchrun.
"""
import argparse
import json
import random
import struct

import torch
import torch.nn.functional as F


def read_safetensors(path):
    """The file's metadata, and its tensors by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = torch.frombuffer(data[begin:end], dtype=torch.float64).reshape(entry["shape"])
    return metadata, tensors


class GPT(torch.nn.Module):
    """gpt() of src/microgpt.cpp, for (B,T) tokens at once."""

    def __init__(self, metadata, tensors):
        super().__init__()
        if metadata.get("mask", "full") != "full" or metadata.get("kv_latent", "0") != "0":
            raise SystemExit("this script knows no masks and no latent attention")
        self.n_layer, self.n_head = int(metadata["n_layer"]), int(metadata["n_head"])
        self.rope = metadata.get("pos", "learned") == "rope"
        self.activation = {"relu": F.relu, "squared_relu": lambda x: F.relu(x) ** 2}[metadata["activation"]]
        # Module does not allow dots in names.
        weights = {name.replace(".", "_"): torch.nn.Parameter(x) for name, x in tensors.items() if name[:5] != "adam."}
        self.weights = torch.nn.ParameterDict(weights)

    def forward(self, tokens):
        w = self.weights
        x = w["wte"][tokens]
        if not self.rope:
            x = x + w["wpe"][: tokens.shape[1]]
        x = rmsnorm(x)
        for i in range(self.n_layer):
            q, k, v, o, fc1, fc2 = (w[f"layer{i}_{name}"] for name in "attn_wq attn_wk attn_wv attn_wo mlp_fc1 mlp_fc2".split())
            x = x + self.attention(rmsnorm(x), q, k, v) @ o.T
            x = x + self.activation(rmsnorm(x) @ fc1.T) @ fc2.T
        return x @ w["lm_head"].T

    def attention(self, x, wq, wk, wv):
        B, T, C = x.shape
        D = C // self.n_head
        q, k, v = ((x @ w.T).view(B, T, -1, D).transpose(1, 2) for w in (wq, wk, wv))  # (B,H,T,D), or G for H
        if self.rope:
            q, k = rotated(q), rotated(k)
        k, v = (y.repeat_interleave(self.n_head // y.shape[1], dim=1) for y in (k, v))
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        scores = (q @ k.transpose(2, 3) / D**0.5).masked_fill(future, float("-inf"))
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C)


def rmsnorm(x):
    return x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt()


def rotated(x):
    """RoPE: neighbours x[2i], x[2i+1] are a pair, rotated by position * 10000^(-2i/D)."""
    T, D = x.shape[-2:]
    angles = torch.arange(T, dtype=x.dtype, device=x.device)[:, None] * 10000.0 ** (
        -torch.arange(0, D, 2, dtype=x.dtype, device=x.device) / D)
    a, b, cos, sin = x[..., 0::2], x[..., 1::2], angles.cos(), angles.sin()
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


def split(names):
    """The same held-out names as everywhere in this project: src/base/split.cpp."""
    distinct = list(dict.fromkeys(names))
    random.Random(42).shuffle(distinct)
    cut = len(distinct) - len(distinct) // 10
    return distinct[:cut], distinct[cut:]


def batch_of(names, characters, block_size):
    """(B,T) inputs and targets. Where a name has ended, the target is -100, which PyTorch's loss leaves out."""
    bos = len(characters)
    rows = [[bos] + [characters.index(c) for c in name] + [bos] for name in names]
    T = min(block_size, max(len(row) - 1 for row in rows))
    pad = lambda row, fill: row[:T] + [fill] * (T - len(row))
    return torch.tensor([pad(row[:-1], bos) for row in rows]), torch.tensor([pad(row[1:], -100) for row in rows])


def total_loss(model, names, characters, block_size):
    """The sum of -log p(next token) over all predictions, and how many they are."""
    inputs, targets = batch_of(names, characters, block_size)
    loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="sum")
    return loss, int((targets != -100).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("names", nargs="?", default="data/names.txt")
    parser.add_argument("--steps", type=int, default=0)
    arguments = parser.parse_args()
    metadata, tensors = read_safetensors(arguments.model)
    model, characters, block_size = GPT(metadata, tensors), metadata["characters"], int(metadata["block_size"])
    with open(arguments.names, encoding="utf-8") as file:
        training, held_out = split([line.strip() for line in file if line.strip()])

    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for step in range(arguments.steps):
        loss, count = total_loss(model, random.sample(training, 32), characters, block_size)
        (loss / count).backward()
        optimizer.step()
        optimizer.zero_grad()

    with torch.no_grad():
        sums = [total_loss(model, held_out[i : i + 256], characters, block_size) for i in range(0, len(held_out), 256)]
    print(f"held-out loss: {sum(float(loss) for loss, _ in sums) / sum(count for _, count in sums)!r}")


if __name__ == "__main__":
    main()
