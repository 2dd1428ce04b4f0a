// What the nodes on the tape mean: attn_weights[head 2][s=1], probability of m, wte[a][3]; and where in the model they
// were made.

class Labels {
  // Of all nodes on the tape of a run that computed the loss of a text. Those of an earlier text that began alike stay.
  constructor(run, loss) {
    // Labels by node: { name, index, i }; index(i), or index, is what stands behind the name.
    Object.assign(this, { model: run.model, tape: run.tape, labels: (run.labels ??= []) });
    for (const [t, position] of run.positions.entries()) {
      if (position.labelled === position.target) continue;
      position.labelled = position.target;
      this.embedding(position);
      for (const layer of run.layers) this.attention(layer[t]);
      for (const mlp of run.mlps) this.mlp(mlp[t]);
      this.prediction(position);
    }
    this.nameOne(this.child(loss), "sum of losses");
    this.nameOne(loss, "loss", "of the name");
  }

  // --- Asking --------------------------------------------------------------------------------------------------------

  // A parameter of a linear layer is no node: see Graph.parameter().
  of(thing) {
    if (thing.at === undefined) {
      const { name, index, i } = this.labels[thing.number];
      return { name, index: typeof index === "string" ? index : index(i) };
    }
    const { name, cols, at } = Object.values(this.model.w).findLast((matrix) => matrix.at <= thing.at);
    const i = Math.floor((thing.at - at) / cols);
    return { name, index: `[${name === "lm_head" ? this.letter(i) : i}][${(thing.at - at) % cols}]` };
  }

  textOf(thing) {
    const { name, index } = this.of(thing);
    return index === "" || index.startsWith("[") ? name + index : `${name} ${index}`;
  }

  // { position, layer, part }, null where there is none. Parameters belong to no position.
  placeOf(thing) {
    if (thing.op === "parameter") return { position: null, layer: null, part: "" };
    return this.tape.places.findLast(({ from }) => from <= thing.number);
  }

  letter(token) {
    return nextLabel(this.model, token);
  }

  // --- Writing down --------------------------------------------------------------------------------------------------

  child(node, i = 0) {
    return this.tape.childrenOf(node)[i];
  }

  name(nodes, name, index = (i) => `[${i}]`) {
    nodes.forEach((node, i) => (this.labels[node] = { name, index, i }));
  }

  nameOne(node, name, index = "") {
    this.labels[node] = { name, index };
  }

  embedding({ token_id, pos_id, tok_emb, pos_emb, embedded, x }) {
    this.name(tok_emb, "wte", (j) => `[${this.letter(token_id)}][${j}]`);
    this.name(pos_emb, "wpe", (j) => `[${pos_id}][${j}]`);
    this.name(embedded, "tok_emb + pos_emb");
    this.norm(x, "x");
  }

  // rmsnorm(x) is x[i] * scale, with scale = (dot(x, x) / n + 1e-5) ** -0.5.
  norm(x, name) {
    this.name(x, name);
    let node = this.child(x[0], 1);
    for (const part of ["1 / root mean square", "mean square + 1e-5", "mean square", "sum of squares"]) {
      this.nameOne(node, part);
      node = this.child(node);
    }
  }

  // softmax(x) is exp(x[i] - max) * total ** -1.
  softmax(probs, name, of, index) {
    this.name(probs, name, index);
    for (const [i, prob] of probs.entries()) {
      const [exp, share] = this.tape.childrenOf(prob);
      this.labels[exp] = { name: `exp(${of} - max)`, index, i };
      this.labels[this.child(exp)] = { name: `${of} - max`, index, i };
      this.nameOne(share, "1 / sum of exps");
      this.nameOne(this.child(share), "sum of exps");
    }
  }

  attention({ x_norm, q_h, k_h, v_h, attn_logits, attn_weights, head_out, attn_out, x }) {
    this.norm(x_norm, "x_norm");
    for (const h of q_h.keys()) {
      const lists = { q: q_h[h], k: k_h[h], v: v_h[h], head_out: head_out[h] };
      for (const [name, nodes] of Object.entries(lists)) this.name(nodes, name, (j) => `[head ${h}][${j}]`);
      const index = (s) => `[head ${h}][s=${s}]`;
      this.name(attn_logits[h].map((logit) => this.child(logit)), "q · k", index);
      this.name(attn_logits[h], "attn_logits", index);
      this.softmax(attn_weights[h], "attn_weights", "attn_logit", index);
    }
    this.name(attn_out, "attn_out");
    this.name(x, "x");
  }

  mlp({ x_norm, hidden, active, mlp_out, x }) {
    this.norm(x_norm, "x_norm");
    this.name(hidden, "hidden");
    let nodes = active;
    for (const name of activations[this.model.config.activation].labels.slice().reverse()) {
      this.name(nodes, name);
      nodes = nodes.map((node) => this.child(node));
    }
    this.name(mlp_out, "mlp_out");
    this.name(x, "x");
  }

  // The loss is -log(p) of the target. The probabilities of all tokens lie on the tape before the log, each after its
  // 1 / sum of exps.
  prediction({ logits, target, loss }) {
    const of = (token) => `of ${this.letter(token)}`;
    const log = this.child(loss);
    const probs = logits.map((_, token) => log + 1 - 2 * (logits.length - token));
    this.name(logits, "logit", of);
    this.softmax(probs, "probability", "logit", of);
    this.nameOne(log, "log(p)", of(target));
    this.nameOne(loss, "loss", of(target));
  }
}
