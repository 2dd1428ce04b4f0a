// The graph of a name's loss: gpt() and document_loss() of src/microgpt.cpp on a tape of Values, and questions about it,
// as the debugger's commands `graph`, `why` and `parents` answer them. Like the program's scalar engine it runs plain
// multi-head attention with learned positions and no mask: what canTrain() allows.

class Graph {
  constructor(model, text) {
    this.model = model;
    this.tape = new Tape();
    this.labels = []; // by node number: { name, index }, what the number means
    this.places = []; // { from, position, layer, part }: where the nodes from that number on were made
    this.gradients = gradientOf(model);
    this.parameters = Object.fromEntries(
      Object.entries(model.w).map(([name, w]) => [name, new Parameter(this.tape, name, w, this.gradients.w[name])]),
    );
    this.loss = this.documentLoss(encode(model, text));
    this.loss.backward();
  }

  // --- The model, as in src/microgpt.cpp; named() and its like only give the nodes their labels ----------------------

  documentLoss(tokens) {
    const n = Math.min(this.model.config.block_size, tokens.length);
    const keys = Array.from({ length: this.model.config.n_layer }, () => []);
    const values = keys.map(() => []);
    const losses = tokens.slice(0, n).map((token, pos_id) => {
      const logits = this.gpt(token, pos_id, keys, values);
      const target = tokens[pos_id + 1] ?? this.model.bos;
      this.begin(pos_id, null, "loss");
      return this.namedLoss(ops.crossEntropy(logits, target), logits, target);
    });
    this.begin(null, null, "");
    const loss = ops.mean(losses);
    this.named(loss.children, "sum of the losses", () => "");
    return this.named([loss], "loss", () => "of the name")[0];
  }

  gpt(token_id, pos_id, keys, values) {
    this.begin(pos_id, null, "embedding");
    const tok_emb = this.named(this.parameters.wte.row(token_id), "wte", (j) => `[${this.letter(token_id)}][${j}]`);
    const pos_emb = this.named(this.parameters.wpe.row(pos_id), "wpe", (j) => `[${pos_id}][${j}]`);
    let x = this.named(ops.add(tok_emb, pos_emb), "tok_emb + pos_emb");
    x = this.namedNorm(ops.rmsnorm(x), "x");
    for (let li = 0; li < this.model.config.n_layer; li++) {
      this.begin(pos_id, li, "attention");
      x = this.attention(x, li, keys[li], values[li]);
      this.begin(pos_id, li, "MLP");
      x = this.mlp(x, li);
    }
    this.begin(pos_id, null, "logits");
    return this.named(ops.linear(x, this.parameters.lm_head), "logit", (token) => `of ${this.letter(token)}`);
  }

  attention(x_residual, li, keys, values) {
    const { n_head: H, n_embd: C } = this.model.config;
    const D = C / H;
    const matrix = (name) => this.parameters[`layer${li}.${name}`];
    const byHead = (i) => `[head ${Math.floor(i / D)}][${i % D}]`;
    const x = this.namedNorm(ops.rmsnorm(x_residual), "x_norm");
    const q = this.named(ops.linear(x, matrix("attn_wq")), "q", byHead);
    keys.push(this.named(ops.linear(x, matrix("attn_wk")), "k", byHead));
    values.push(this.named(ops.linear(x, matrix("attn_wv")), "v", byHead));
    const x_attn = [];
    for (let h = 0; h < H; h++) {
      const part = (list) => list.slice(h * D, (h + 1) * D);
      const attn_logits = keys.map((k) => ops.dot(part(q), part(k)).over(D ** 0.5));
      const attn_weights = this.namedWeights(ops.softmax(attn_logits), h);
      for (let j = h * D; j < (h + 1) * D; j++) {
        x_attn.push(ops.dot(attn_weights, values.map((v) => v[j])));
      }
    }
    this.named(x_attn, "head_out", byHead);
    const attn_out = this.named(ops.linear(x_attn, matrix("attn_wo")), "attn_out");
    return this.named(ops.add(attn_out, x_residual), "x");
  }

  mlp(x_residual, li) {
    const matrix = (name) => this.parameters[`layer${li}.${name}`];
    let x = this.namedNorm(ops.rmsnorm(x_residual), "x_norm");
    x = this.named(ops.linear(x, matrix("mlp_fc1")), "hidden");
    const relu = this.tape.nodes.length;
    x = ops.activate(x, this.model.config.activation);
    this.named(this.tape.nodes.slice(relu, relu + x.length), "relu(hidden)");
    if (this.model.config.activation === "squared_relu") this.named(x, "relu(hidden)²");
    x = this.named(ops.linear(x, matrix("mlp_fc2")), "mlp_out");
    return this.named(ops.add(x, x_residual), "x");
  }

  // --- What the nodes mean --------------------------------------------------------------------------------------------

  begin(position, layer, part) {
    this.places.push({ from: this.tape.nodes.length, position, layer, part });
  }

  letter(token) {
    return nextLabel(this.model, token);
  }

  named(values, name, index = (i) => `[${i}]`) {
    values.forEach((value, i) => (this.labels[value.number] = { name, index: index(i) }));
    return values;
  }

  // rmsnorm(x) is x[i] * scale, with scale = (dot(x, x) / n + 1e-5) ** -0.5.
  namedNorm(x, name) {
    const scale = x[0].children[1];
    const [sum] = scale.children;
    const [mean] = sum.children;
    const alone = () => "";
    this.named([scale], "1 / root mean square", alone);
    this.named([sum], "mean square + 1e-5", alone);
    this.named([mean], "mean square", alone);
    this.named(mean.children, "sum of squares", alone);
    return this.named(x, name);
  }

  // softmax(x) is exp(x[i]) * total ** -1.
  namedSoftmax(probs, of, index) {
    this.named(probs.map((p) => p.children[0]), `exp(${of})`, index);
    this.named(probs.map((p) => p.children[1]), "1 / sum of exps", () => "");
    this.named(probs[0].children[1].children, "sum of exps", () => "");
  }

  namedWeights(attn_weights, h) {
    const index = (s) => `[head ${h}][s=${s}]`;
    this.namedSoftmax(attn_weights, "attn_logit", index);
    const attn_logits = attn_weights.map((weight) => weight.children[0].children[0]);
    this.named(attn_logits.map((logit) => logit.children[0]), "q · k", index);
    this.named(attn_logits, "attn_logits", index);
    return this.named(attn_weights, "attn_weights", index);
  }

  // The loss is -log(p) of the target; the probabilities of all tokens stand before the log on the tape.
  namedLoss(loss, logits, target) {
    const of = (token) => `of ${this.letter(token)}`;
    const [log] = loss.children;
    const probs = logits.map((_, i) => this.tape.nodes[log.number - 1 - 2 * (logits.length - 1 - i)]);
    this.namedSoftmax(probs, "logit", of);
    this.named(probs, "probability", of);
    this.named([log], "log(probability)", () => of(target));
    return this.named([loss], "loss", () => of(target))[0];
  }

  // Of a node: { position, layer, part }, null where it has none. Embeddings and weights belong to no position.
  placeOf(thing) {
    const nowhere = { position: null, layer: null, part: "" };
    if (thing.op === "parameter" || thing.op === "weight") return nowhere;
    return this.places.filter(({ from }) => from <= thing.number).at(-1);
  }

  labelOf(thing) {
    if (thing.op !== "weight") return this.labels[thing.number];
    const row = thing.parameter.name === "lm_head" ? this.letter(thing.i) : thing.i;
    return { name: thing.parameter.name, index: `[${row}][${thing.j}]` };
  }

  // --- Down and up ----------------------------------------------------------------------------------------------------

  // [{ child, local }]: the nodes that it was computed from, then the weights that it read. A weight is no node; here it
  // becomes a thing with data and grad like one.
  childrenOf({ children, local_grads, row, op }) {
    const nodes = (children ?? []).map((child, i) => ({ child, local: local_grads[i] }));
    if (op !== "linear") return nodes;
    const weights = Array.from(row.locals, (local, j) => ({ child: this.weight(row.parameter, row.i, j), local }));
    return [...nodes, ...weights];
  }

  weight(parameter, i, j) {
    return { op: "weight", parameter, i, j, data: parameter.data.row(i)[j], grad: parameter.grad.row(i)[j] };
  }

  // Why the gradient is what it is: [{ parent, i, local, amount }] for every node whose child i it is, in the order in
  // which backward() adds the amounts. Rows of a linear layer share one list of children, which is searched once.
  parentsOf(thing) {
    const found = [];
    const { order } = this.tape;
    let searched = null;
    let places = [];
    for (let k = order.length - 1; k >= 0; k--) {
      const parent = order[k];
      if (thing.op === "weight") {
        const { row } = parent;
        const isRead = parent.op === "linear" && row.parameter === thing.parameter && row.i === thing.i;
        places = isRead ? [parent.children.length + thing.j] : [];
      } else if (parent.children !== searched) {
        searched = parent.children;
        places = placesOf(thing, searched);
      }
      for (const i of places) {
        const local = thing.op === "weight" ? parent.row.locals[thing.j] : parent.local_grads[i];
        found.push({ parent, i, local, amount: local * parent.grad });
      }
    }
    return found;
  }

  // The thing at the end of a path: the index of a child at each step down from the loss. Ends where the path does not
  // fit: [{ thing, i, local }], the loss first.
  follow(path) {
    const steps = [{ thing: this.loss, i: 0, local: 1 }];
    for (const i of path) {
      const next = this.childrenOf(steps.at(-1).thing)[i];
      if (next === undefined) break;
      steps.push({ thing: next.child, i, local: next.local });
    }
    return steps;
  }

  // The path on which most of its gradient came: at each step up, to the parent that added most. null if the loss was
  // not computed from it.
  pathTo(thing) {
    const path = [];
    while (thing !== this.loss) {
      const parents = this.parentsOf(thing);
      if (parents.length === 0) return null;
      const { parent, i } = parents.reduce((most, each) => (Math.abs(each.amount) > Math.abs(most.amount) ? each : most));
      path.unshift(i);
      thing = parent;
    }
    return path;
  }

  // What a reader names: "#17", "layer0.attn_wq[2][3]", or a label, of the nodes at that position first.
  find(text, position) {
    const wanted = text.trim();
    if (/^#\d+$/.test(wanted)) return this.tape.nodes[Number(wanted.slice(1))] ?? null;
    const nodes = this.tape.order.filter((node) => labelText(this.labelOf(node)) === wanted);
    const found = nodes.find((node) => this.placeOf(node).position === position) ?? nodes[0];
    return found ?? this.findWeight(wanted);
  }

  findWeight(text) {
    const [, name, i, j] = text.match(/^([\w.]+)\[(.+)\]\[(\d+)\]$/) ?? [];
    const parameter = this.parameters[name];
    if (parameter === undefined) return null;
    const rows = Array.from({ length: parameter.data.rows }, (_, token) => token);
    const row = rows.find((r) => String(r) === i || (parameter.data.rows === this.model.config.vocab_size && this.letter(r) === i));
    if (row === undefined || Number(j) >= parameter.data.cols) return null;
    return name === "wte" || name === "wpe" ? parameter.rows.get(row)?.[j] ?? null : this.weight(parameter, row, Number(j));
  }
}

function placesOf(node, children) {
  const places = [];
  for (let i = children.length - 1; i >= 0; i--) if (children[i] === node) places.push(i);
  return places;
}

function labelText({ name, index }) {
  return index === "" || index.startsWith("[") ? name + index : `${name} ${index}`;
}
