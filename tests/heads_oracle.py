"""A second opinion on `microgpt heads`: every figure of its JSON computed again with PyTorch, one document at a time.

    heads_oracle.py MODEL NAMES JSON        JSON is what heads MODEL --data NAMES --prune --json printed

Knows every kind of attention and every mask without random keys. Prints the largest difference; exits with 1 if that
is more than 1e-9.
"""
import itertools
import json
import math
import sys

import torch
import torch.nn.functional as F

sys.path.append("lessons/24_training_well")
from oracle import rotated  # noqa: E402
from pytorch_gpt import read_safetensors, rmsnorm  # noqa: E402

PLACES = "self previous bos equal after_equal".split()


# --- The model --------------------------------------------------------------------------------------------------------


def sees(mask, t, s):
    """Whether position t sees position s <= t."""
    kind, *numbers = mask.split(":")
    numbers = [int(n) for n in numbers]
    if kind == "full":
        return True
    if kind == "block":
        return s // numbers[0] == t // numbers[0] or s < numbers[0]
    near = t - s < numbers[0]
    return {"local": near, "strided": near or (t - s) % numbers[-1] == 0, "global": near or s < numbers[-1]}[kind]


class Model:
    def __init__(self, path):
        self.meta, self.w = read_safetensors(path)
        self.n_layer, self.n_head = int(self.meta["n_layer"]), int(self.meta["n_head"])
        self.block_size = int(self.meta["block_size"])
        self.heads = list(itertools.product(range(self.n_layer), range(self.n_head)))

    def n_kv_head(self):
        return int(self.meta.get("n_kv_head", "0")) or self.n_head

    def run(self, tokens, outputs={}):
        """The logits; weights[layer] (H,T,T); heads[layer] (H,T,D). `outputs` replaces those of some heads."""
        w, T, H = self.w, len(tokens), self.n_head
        x = w["wte"][tokens] + (w["wpe"][:T] if "wpe" in w else 0)
        x = rmsnorm(x)
        all_weights, all_heads = [], []
        mask = self.meta.get("mask", "full")
        hidden = torch.tensor([[s > t or not sees(mask, t, s) for s in range(T)] for t in range(T)])
        for i in range(self.n_layer):
            of = lambda name: w[f"layer{i}.{name}"]
            q, k, v = self.qkv(rmsnorm(x), of)  # (H,T,.)
            scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(hidden, -math.inf)
            weights = scores.softmax(-1)
            heads = weights @ v
            all_weights.append(weights)
            all_heads.append(heads)
            mixed = torch.stack([outputs[i, h].expand(T, -1) if (i, h) in outputs else heads[h] for h in range(H)])
            x = x + mixed.transpose(0, 1).flatten(1) @ of("attn_wo").T
            active = F.relu(rmsnorm(x) @ of("mlp_fc1").T)
            x = x + (active if self.meta["activation"] == "relu" else active**2) @ of("mlp_fc2").T
        return x @ w["lm_head"].T, all_weights, all_heads

    def qkv(self, x, of):
        H = self.n_head
        by_head = lambda y, n: y.unflatten(-1, (n, -1)).transpose(0, 1)
        if int(self.meta.get("kv_latent", "0")):
            c_q, c_kv = x @ of("attn_wdq").T, x @ of("attn_wdkv").T
            q, k, v = (by_head(c @ of(name).T, H) for c, name in ((c_q, "attn_wuq"), (c_kv, "attn_wuk"), (c_kv, "attn_wuv")))
            if int(self.meta.get("rope_dim", "0")):
                q_rope = rotated(by_head(c_q @ of("attn_wqr").T, H), 10000.0)
                k_rope = rotated(x @ of("attn_wkr").T, 10000.0)
                q, k = torch.cat((q, q_rope), -1), torch.cat((k, k_rope.expand(H, -1, -1)), -1)
            return q, k, v
        q, k, v = (by_head(x @ of(name).T, n) for name, n in (("attn_wq", H), ("attn_wk", self.n_kv_head()), ("attn_wv", self.n_kv_head())))
        if self.meta.get("pos", "learned") == "rope":
            q, k = rotated(q, 10000.0), rotated(k, 10000.0)
        return q, k.repeat_interleave(H // k.shape[0], 0), v.repeat_interleave(H // v.shape[0], 0)


# --- The measures -----------------------------------------------------------------------------------------------------


def mean_and_error(values):
    n = len(values)
    mean = sum(values) / n
    return mean, math.sqrt(sum((x - mean) ** 2 for x in values) / (n - 1) / n)


def document_measures(tokens, rows, mask):
    """The measures of one head in one document; rows are its weights. Each is a pair: value, even."""
    sums, entropies = {}, []
    for t, row in enumerate(rows):
        seen = [s for s in range(t + 1) if sees(mask, t, s)]
        where = {
            "self": [t], "previous": [t - 1], "bos": [0],
            "equal": [s for s in range(t) if tokens[s] == tokens[t]],
            "after_equal": [s + 1 for s in range(t) if tokens[s] == tokens[t]],
        }
        for name, places in where.items():
            places = [s for s in places if s in seen]
            sums.setdefault("mass_" + name, []).append((sum(row[s] for s in places), len(places) / len(seen)))
        sums.setdefault("distance", []).append((sum(row[s] * (t - s) for s in seen), sum(t - s for s in seen) / len(seen)))
        if len(seen) > 1:
            entropies.append(-sum(row[s] * math.log(row[s]) for s in seen if row[s] > 0) / math.log(len(seen)))
    measures = {name: tuple(sum(x) / len(x) for x in zip(*pairs)) for name, pairs in sums.items()}
    if entropies:
        measures["entropy"] = (sum(entropies) / len(entropies), 1.0)
    return measures


def scores(model, documents, outputs={}):
    """(loss, accuracy) by document."""
    result = []
    is_task = "=" in model.meta["characters"]
    for text, tokens in documents:
        T = min(model.block_size, len(tokens) - 1)
        logits, targets = model.run(tokens[:T], outputs)[0], torch.tensor(tokens[1 : T + 1])
        counted = range(text.index("=") + 1, min(T, len(text))) if is_task else range(T)
        right = sum(int(logits[t].argmax() == targets[t]) for t in counted)
        result.append((float(F.cross_entropy(logits, targets)), right / len(counted)))
    return result


def mean(numbers):
    return sum(numbers) / len(numbers)


def main():
    model = Model(sys.argv[1])
    characters = model.meta["characters"]
    with open(sys.argv[3], encoding="utf-8") as file:
        theirs = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        names = [line.strip() for line in file if line.strip()][: theirs["documents"]]
    bos = len(characters)
    documents = [(name, [bos] + [characters.index(c) for c in name] + [bos]) for name in names]
    worst = 0.0

    def compare(what, ours, other):
        nonlocal worst
        worst = max(worst, abs(ours - other))
        if not abs(ours - other) <= 1e-9:
            sys.exit(f"{what} is {other}, and here {ours}")

    of_heads = {id: [] for id in model.heads}
    outputs = {id: [] for id in model.heads}
    for _, tokens in documents:
        T = min(model.block_size, len(tokens) - 1)
        _, weights, heads = model.run(tokens[:T])
        for i, h in model.heads:
            of_heads[i, h].append(document_measures(tokens, weights[i][h].tolist(), model.meta.get("mask", "full")))
            outputs[i, h].append(heads[i][h])
    zero = torch.zeros(model.w["wte"].shape[1] // model.n_head, dtype=torch.float64)
    whole = scores(model, documents)
    for record in theirs["layers"]:
        id = (record["layer"], record["head"])
        compare(f"group of {id}", id[1] * model.n_kv_head() // model.n_head, record["group"])
        for name in ["entropy", "distance"] + ["mass_" + place for place in PLACES]:
            pairs = [measures[name] for measures in of_heads[id] if name in measures]
            value, error = mean_and_error([pair[0] for pair in pairs])
            compare(f"{name} of {id}", value, record[name]["value"])
            compare(f"error of {name} of {id}", error, record[name]["stderr"])
            compare(f"even {name} of {id}", mean([pair[1] for pair in pairs]), record[name]["even"])
        for how, output in ("zeroed", zero), ("mean", torch.cat(outputs[id]).mean(0)):
            without = scores(model, documents, {id: output})
            effect = record["importance"][how]
            for column, what in (0, "loss"), (1, "accuracy"):
                value, error = mean_and_error([b[column] - a[column] for a, b in zip(whole, without)])
                compare(f"{what} of {id} {how}", value, effect[what])
                compare(f"error of {what} of {id} {how}", error, effect[what + "_stderr"])

    half = len(documents) // 2
    chosen_on, reported_on = documents[:half], documents[half:]
    out = []
    for step in theirs["prune"]:
        if out or step["removed"]:
            left = [id for id in model.heads if id not in out]
            losses = {id: mean([x[0] for x in scores(model, chosen_on, {j: zero for j in out + [id]})]) for id in left}
            out.append(min(left, key=losses.get))
        if [list(id) for id in out] != step["removed"]:
            sys.exit(f"pruning took out {step['removed']}, and here {out}")
        loss, accuracy = (mean(column) for column in zip(*scores(model, reported_on, {id: zero for id in out})))
        compare(f"loss without {out}", loss, step["loss"])
        compare(f"accuracy without {out}", accuracy, step["accuracy"])
    print(f"heads of {sys.argv[1]}: the same here, largest difference {worst:.1e}")


if __name__ == "__main__":
    main()
