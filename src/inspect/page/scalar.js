// The program's scalar engine: gpt() and document_loss() of src/microgpt.cpp, on a tape of Values. Read the two side by
// side. Like the program it runs plain multi-head attention with learned positions and no mask: what canTrain() allows.
// `labels` writes down what the nodes mean; nothing is computed from that.

class ScalarModel {
  constructor(model) {
    this.config = model.config;
    this.tape = new Tape();
    this.labels = new Labels(model, this.tape);
    this.gradients = gradientOf(model);
    this.parameters = {};
    for (const [name, matrix] of Object.entries(model.w)) {
      this.parameters[name] = new Parameter(this.tape, name, matrix, this.gradients.w[name]);
    }
  }

  // tokens: BOS and the name. What comes after the last is BOS.
  documentLoss(tokens) {
    const { block_size, n_layer, vocab_size } = this.config;
    const keys = Array.from({ length: n_layer }, () => []);
    const values = Array.from({ length: n_layer }, () => []);
    const losses = tokens.slice(0, block_size).map((token_id, pos_id) => {
      const logits = this.gpt(token_id, pos_id, keys, values);
      const target = tokens[pos_id + 1] ?? vocab_size - 1;
      this.labels.begin(pos_id, null, "loss");
      const loss = ops.crossEntropy(logits, target);
      this.labels.prediction(logits, target, loss);
      return loss;
    });
    this.labels.begin(null, null, "");
    const loss = ops.mean(losses);
    this.labels.documentLoss(loss);
    return loss;
  }

  gpt(token_id, pos_id, keys, values) {
    const { wte, wpe, lm_head } = this.parameters;
    this.labels.begin(pos_id, null, "embedding");
    const tok_emb = wte.row(token_id);
    const pos_emb = wpe.row(pos_id);
    const embedded = ops.add(tok_emb, pos_emb);
    let x = ops.rmsnorm(embedded);
    this.labels.embedding(token_id, pos_id, { tok_emb, pos_emb, embedded, x });

    for (let li = 0; li < this.config.n_layer; li++) {
      this.labels.begin(pos_id, li, "attention");
      x = this.attention(x, li, keys[li], values[li]);
      this.labels.begin(pos_id, li, "MLP");
      x = this.mlp(x, li);
    }
    this.labels.begin(pos_id, null, "logits");
    const logits = ops.linear(x, lm_head);
    this.labels.logits(logits);
    return logits;
  }

  // 1) Multi-head attention. keys and values hold the earlier positions of this layer.
  attention(x_residual, li, keys, values) {
    const matrix = (name) => this.parameters[`layer${li}.${name}`];
    const { n_head: H, n_embd: C } = this.config;
    const D = C / H;
    const x_norm = ops.rmsnorm(x_residual);
    const q = ops.linear(x_norm, matrix("attn_wq"));
    const k = ops.linear(x_norm, matrix("attn_wk"));
    const v = ops.linear(x_norm, matrix("attn_wv"));
    keys.push(k);
    values.push(v);
    const x_attn = [];
    for (let h = 0; h < H; h++) {
      const slice = (list) => list.slice(h * D, (h + 1) * D);
      const q_h = slice(q);
      const attn_logits = keys.map((k) => ops.dot(q_h, slice(k)).over(D ** 0.5));
      const attn_weights = ops.softmax(attn_logits);
      const v_h = values.map(slice);
      for (let j = 0; j < D; j++) {
        const v_j = v_h.map((each) => each[j]);
        x_attn.push(ops.dot(attn_weights, v_j));
      }
      this.labels.head(h, attn_logits, attn_weights);
    }
    const attn_out = ops.linear(x_attn, matrix("attn_wo"));
    const x = ops.add(attn_out, x_residual);
    this.labels.attention(D, { x_norm, q, k, v, x_attn, attn_out, x });
    return x;
  }

  // 2) MLP.
  mlp(x_residual, li) {
    const matrix = (name) => this.parameters[`layer${li}.${name}`];
    const x_norm = ops.rmsnorm(x_residual);
    const hidden = ops.linear(x_norm, matrix("mlp_fc1"));
    const active = ops.activate(hidden, this.config.activation);
    const mlp_out = ops.linear(active, matrix("mlp_fc2"));
    const x = ops.add(mlp_out, x_residual);
    this.labels.mlp({ x_norm, hidden, active, mlp_out, x });
    return x;
  }
}
