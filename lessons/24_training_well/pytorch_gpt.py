#!/usr/bin/env python3
"""The door out: a model of this project in PyTorch, and the way back.

    pytorch_gpt.py MODEL [NAMES] [--steps N] [--save FILE]
    torchrun --nproc_per_node 2 pytorch_gpt.py MODEL ...       two processes share the names of each step

MODEL was written by microgpt train --save. The script trains it for N steps from where it stands,
with PyTorch's optimizer, on the names that are not held out. Then it prints the loss on those that are, with all
digits: the same as `microgpt eval MODEL --data NAMES --dtype f64 --digits 17`, up to rounding. FILE is again a model
for microgpt. Only the means of our Adam are not in it, which train --resume would need.
"""
import argparse
import json
import os
import random
import struct

import torch
import torch.nn.functional as F

ACTIVATIONS = {"relu": F.relu, "squared_relu": lambda x: F.relu(x) ** 2}

# What this script knows, by field of a model's file. The first of each is meant by a file without that field.
KNOWN = {
    "activation": list(ACTIVATIONS), "pos": ["learned", "rope"], "mask": ["full"], "kv_latent": ["0"],
    "training.column": [""], "training.lower": ["no"]}


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


def write_safetensors(path, metadata, tensors):
    """The length of the header, the header as JSON, and the numbers, 8 bytes each. Replaces a file all at once."""
    header, numbers = {"__metadata__": metadata}, bytearray()
    for name, tensor in tensors.items():
        begin = len(numbers)
        numbers += tensor.detach().numpy().tobytes()
        header[name] = {"dtype": "F64", "shape": list(tensor.shape), "data_offsets": [begin, len(numbers)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(f"{path}.part", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + numbers)
    os.replace(f"{path}.part", path)


class GPT(torch.nn.Module):
    """gpt() of src/microgpt.cpp, for (B,T) tokens at once."""

    def __init__(self, metadata, tensors):
        super().__init__()
        self.n_layer, self.n_head = int(metadata["n_layer"]), int(metadata["n_head"])
        self.rope = metadata.get("pos", "learned") == "rope"
        self.activation = ACTIVATIONS[metadata["activation"]]
        self.names = [name for name in tensors if not name.startswith("adam.")]
        # Module does not allow dots in names.
        self.weights = torch.nn.ParameterDict({name.replace(".", "_"): tensors[name] for name in self.names})

    def tensors(self):
        return {name: self.weights[name.replace(".", "_")] for name in self.names}

    def forward(self, tokens):
        w = self.weights
        x = w["wte"][tokens]
        if not self.rope:
            x = x + w["wpe"][: tokens.shape[1]]
        x = rmsnorm(x)
        for i in range(self.n_layer):
            matrices = "attn_wq attn_wk attn_wv attn_wo mlp_fc1 mlp_fc2".split()
            q, k, v, o, fc1, fc2 = (w[f"layer{i}_{name}"] for name in matrices)
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


def read_names(path, letters):
    with open(path, encoding="utf-8-sig") as file:
        names = [line.strip() for line in file if line.strip()]
    unknown = set("".join(names)) - set(letters)
    if unknown:
        raise SystemExit(f"pytorch_gpt.py: the model does not know {sorted(unknown)}, which stand in {path}")
    return names


def split(names):
    """The same held-out names as everywhere in this project: src/base/split.h."""
    distinct = list(dict.fromkeys(names))
    random.Random(42).shuffle(distinct)
    cut = len(distinct) - len(distinct) // 10
    return distinct[:cut], distinct[cut:]


def losses(model, names, metadata):
    """By name (B): the sum of -log p(next token) over its predictions, and how many they are.

    Inputs and targets are (B,T). Where a name has ended, the target is -100, which PyTorch's loss leaves out.
    """
    letters = metadata["characters"]
    bos = len(letters)
    rows = [[bos] + [letters.index(c) for c in name] + [bos] for name in names]
    T = min(int(metadata["block_size"]), max(len(row) - 1 for row in rows))
    pad = lambda row, fill: row[:T] + [fill] * (T - len(row))
    targets = torch.tensor([pad(row[1:], -100) for row in rows])
    logits = model(torch.tensor([pad(row[:-1], bos) for row in rows]))
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none").sum(1), (targets != -100).sum(1)


def train(model, batches, learning_rate, metadata):
    """A step for each batch of names. Its loss is the mean of its names' means, as in microgpt train.

    With torchrun, a batch is this process's share, and DistributedDataParallel gives every process the mean of all
    gradients. The shares are equally large, so that is the gradient of all names. (For GPUs, say nccl for gloo, and
    move model and tokens to a device.)
    """
    shared = torch.nn.parallel.DistributedDataParallel(model) if torch.distributed.is_initialized() else model
    optimizer = torch.optim.AdamW(model.parameters())
    for step, names in enumerate(batches):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - step / len(batches))
        total, count = losses(shared, names, metadata)
        optimizer.zero_grad()
        (total / count).mean().backward()
        optimizer.step()


def held_out_loss(model, names, metadata):
    """The mean over all predictions, as in microgpt eval."""
    with torch.no_grad():
        sums = [[x.sum() for x in losses(model, names[i : i + 256], metadata)] for i in range(0, len(names), 256)]
    return float(sum(total for total, _ in sums) / sum(count for _, count in sums))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("names", nargs="?", help="[those that the model was trained on]")
    parser.add_argument("--steps", type=int, default=0, help="[0: only the loss]")
    parser.add_argument("--batch", type=int, default=32, help="names of a step, in all processes together [32]")
    parser.add_argument("--lr", type=float, default=0.001, help="learning rate of the first step; falls to 0 [0.001]")
    parser.add_argument("--save", metavar="FILE", help="write the model here")
    arguments = parser.parse_args()
    rank, processes = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))  # torchrun says so
    if arguments.batch % processes != 0:
        raise SystemExit(f"pytorch_gpt.py: {processes} processes cannot have equal shares of {arguments.batch} names")
    if processes > 1:
        torch.distributed.init_process_group("gloo")

    if arguments.save and rank == 0:
        open(f"{arguments.save}.part", "wb").close()  # if there is no such folder, this fails before the training
    metadata, tensors = read_safetensors(arguments.model)
    for field, known in KNOWN.items():
        if metadata.get(field, known[0]) not in known:
            raise SystemExit(f"pytorch_gpt.py: this script does not know {field} {metadata[field]}")
    model = GPT(metadata, tensors)
    path = arguments.names or metadata.get("training.data", "data/names.txt")
    training, held_out = split(read_names(path, metadata["characters"]))
    places = range(rank, arguments.steps * arguments.batch, processes)
    names = [training[i % len(training)] for i in places]
    share = arguments.batch // processes
    train(model, [names[i : i + share] for i in range(0, len(names), share)], arguments.lr, metadata)
    if rank == 0:
        seen = "training.step" in metadata and metadata.get("training.hold-out") != "yes"
        print(f"{'loss, not held out' if seen else 'held-out loss'}: {held_out_loss(model, held_out, metadata)!r}")
        if arguments.save:
            write_safetensors(arguments.save, metadata, model.tensors())


if __name__ == "__main__":
    main()
