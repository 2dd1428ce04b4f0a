// What the nodes on the tape mean: attn_weights[head 2][s=1], probability of m, wte[a][3]; and where in the model they
// were made.

class Labels {
  constructor(model, tape) {
    this.model = model;
    this.tape = tape;
    this.labels = []; // by node number: { name, index }
    this.places = []; // { from, position, layer, part }: of the nodes from that number on
  }

  // --- Asking --------------------------------------------------------------------------------------------------------

  // A weight is no node: see Graph.weight().
  of(thing) {
    if (thing.op !== "weight") return this.labels[thing.number];
    const row = thing.parameter.name === "lm_head" ? this.letter(thing.i) : thing.i;
    return { name: thing.parameter.name, index: `[${row}][${thing.j}]` };
  }

  textOf(thing) {
    const { name, index } = this.of(thing);
    return index === "" || index.startsWith("[") ? name + index : `${name} ${index}`;
  }

  // { position, layer, part }, null where there is none. Embeddings and weights belong to no position.
  placeOf(thing) {
    if (thing.op === "parameter" || thing.op === "weight") return { position: null, layer: null, part: "" };
    let k = this.places.length - 1;
    while (this.places[k].from > thing.number) k--;
    return this.places[k];
  }

  letter(token) {
    return nextLabel(this.model, token);
  }

  // --- Writing down, as the model computes ---------------------------------------------------------------------------

  begin(position, layer, part) {
    this.places.push({ from: this.tape.nodes.length, position, layer, part });
  }

  name(values, name, index = (i) => `[${i}]`) {
    values.forEach((value, i) => (this.labels[value.number] = { name, index: index(i) }));
  }

  nameOne(value, name, index = "") {
    this.labels[value.number] = { name, index };
  }

  embedding(token_id, pos_id, { tok_emb, pos_emb, embedded, x }) {
    this.name(tok_emb, "wte", (j) => `[${this.letter(token_id)}][${j}]`);
    this.name(pos_emb, "wpe", (j) => `[${pos_id}][${j}]`);
    this.name(embedded, "tok_emb + pos_emb");
    this.norm(x, "x");
  }

  // rmsnorm(x) is x[i] * scale, with scale = (dot(x, x) / n + 1e-5) ** -0.5.
  norm(x, name) {
    this.name(x, name);
    const scale = x[0].children[1];
    const [sum] = scale.children;
    const [mean] = sum.children;
    this.nameOne(scale, "1 / root mean square");
    this.nameOne(sum, "mean square + 1e-5");
    this.nameOne(mean, "mean square");
    this.nameOne(mean.children[0], "sum of squares");
  }

  // softmax(x) is exp(x[i]) * total ** -1.
  softmax(probs, name, of, index) {
    this.name(probs, name, index);
    for (const [i, { children }] of probs.entries()) {
      const [exp, share] = children;
      this.nameOne(exp, `exp(${of})`, index(i));
      this.nameOne(share, "1 / sum of exps");
      this.nameOne(share.children[0], "sum of exps");
    }
  }

  head(h, attn_logits, attn_weights) {
    const index = (s) => `[head ${h}][s=${s}]`;
    for (const [s, logit] of attn_logits.entries()) this.nameOne(logit.children[0], "q · k", index(s));
    this.name(attn_logits, "attn_logits", index);
    this.softmax(attn_weights, "attn_weights", "attn_logit", index);
  }

  attention(D, { x_norm, q, k, v, x_attn, attn_out, x }) {
    const byHead = (i) => `[head ${Math.floor(i / D)}][${i % D}]`;
    this.norm(x_norm, "x_norm");
    this.name(q, "q", byHead);
    this.name(k, "k", byHead);
    this.name(v, "v", byHead);
    this.name(x_attn, "head_out", byHead);
    this.name(attn_out, "attn_out");
    this.name(x, "x");
  }

  mlp({ x_norm, hidden, active, mlp_out, x }) {
    this.norm(x_norm, "x_norm");
    this.name(hidden, "hidden");
    this.name(active, "relu(hidden)²"); // or what follows, if the ReLU is not squared
    this.name(
      active.map((y) => (y.op === "pow" ? y.children[0] : y)),
      "relu(hidden)",
    );
    this.name(mlp_out, "mlp_out");
    this.name(x, "x");
  }

  logits(logits) {
    this.name(logits, "logit", (token) => `of ${this.letter(token)}`);
  }

  // cross_entropy is -log(p) of the target. The probabilities of all tokens lie on the tape before the log, each after
  // its 1 / sum of exps.
  prediction(logits, target, loss) {
    const of = (token) => `of ${this.letter(token)}`;
    const [log] = loss.children;
    const probs = logits.map((_, token) => this.tape.nodes[log.number + 1 - 2 * (logits.length - token)]);
    this.softmax(probs, "probability", "logit", of);
    this.nameOne(log, "log(p)", of(target));
    this.nameOne(loss, "loss", of(target));
  }

  documentLoss(loss) {
    this.nameOne(loss.children[0], "sum of losses");
    this.nameOne(loss, "loss", "of the name");
  }
}
