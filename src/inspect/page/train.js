// Training in the page: document_loss(), backward and Adam of src/microgpt.cpp, for plain multi-head attention with
// learned positions. The program finds gradients on a tape. Here they are written out, layer by layer, as in
// src/tensor/gpt.cpp; the losses are the same.
//
// All positions of a document lie one after the other in long lists: position t of x, of width C, begins at x[t * C].

// y[t] = W x[t] for t < n.
function linearForward(y, x, w, n) {
  const { rows, cols, data } = w;
  for (let t = 0; t < n; t++) {
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let j = 0; j < cols; j++) sum += data[i * cols + j] * x[t * cols + j];
      y[t * rows + i] = sum;
    }
  }
}

// dx[t] = W^T dy[t], and dW grows by dy[t] times x[t].
function linearBackward(dx, dw, dy, x, w, n) {
  const { rows, cols, data } = w;
  dx.fill(0, 0, n * cols);
  for (let t = 0; t < n; t++) {
    for (let i = 0; i < rows; i++) {
      const dyi = dy[t * rows + i];
      for (let j = 0; j < cols; j++) {
        dx[t * cols + j] += dyi * data[i * cols + j];
        dw.data[i * cols + j] += dyi * x[t * cols + j];
      }
    }
  }
}

function rmsnormForward(y, scale, x, C, n) {
  for (let t = 0; t < n; t++) {
    let squares = 0;
    for (let j = 0; j < C; j++) squares += x[t * C + j] ** 2;
    scale[t] = (squares / C + 1e-5) ** -0.5;
    for (let j = 0; j < C; j++) y[t * C + j] = x[t * C + j] * scale[t];
  }
}

// dx grows by dy * scale - x * scale^3 * (mean of dy * x).
function rmsnormBackward(dx, dy, x, scale, C, n) {
  for (let t = 0; t < n; t++) {
    let mean = 0;
    for (let j = 0; j < C; j++) mean += (dy[t * C + j] * x[t * C + j]) / C;
    for (let j = 0; j < C; j++) dx[t * C + j] += dy[t * C + j] * scale[t] - x[t * C + j] * scale[t] ** 3 * mean;
  }
}

// weights[h * T * T + t * T + s], the softmax of the scores of head h at position t; x_attn, the values mixed.
function attentionForward(a, { n_head: H, n_embd: C, block_size: T }, n) {
  const D = C / H;
  a.x_attn.fill(0, 0, n * C);
  for (let h = 0; h < H; h++) {
    for (let t = 0; t < n; t++) {
      const row = (h * T + t) * T;
      let max = -Infinity;
      for (let s = 0; s <= t; s++) {
        let score = 0;
        for (let j = h * D; j < (h + 1) * D; j++) score += a.q[t * C + j] * a.k[s * C + j];
        a.weights[row + s] = score / Math.sqrt(D);
        max = Math.max(max, a.weights[row + s]);
      }
      let total = 0;
      for (let s = 0; s <= t; s++) total += a.weights[row + s] = Math.exp(a.weights[row + s] - max);
      for (let s = 0; s <= t; s++) {
        const weight = (a.weights[row + s] /= total);
        for (let j = h * D; j < (h + 1) * D; j++) a.x_attn[t * C + j] += weight * a.v[s * C + j];
      }
    }
  }
}

// From dx_attn: dv = weights * dout, dweights = dout . v, dscores = weights * (dweights - their weighted mean), and
// from these dq and dk.
function attentionBackward(d, a, { n_head: H, n_embd: C, block_size: T }, n) {
  const D = C / H;
  for (const each of [d.q, d.k, d.v]) each.fill(0, 0, n * C);
  const dweights = new Float64Array(n);
  for (let h = 0; h < H; h++) {
    for (let t = 0; t < n; t++) {
      const row = (h * T + t) * T;
      let mean = 0;
      for (let s = 0; s <= t; s++) {
        const weight = a.weights[row + s];
        dweights[s] = 0;
        for (let j = h * D; j < (h + 1) * D; j++) {
          dweights[s] += d.x_attn[t * C + j] * a.v[s * C + j];
          d.v[s * C + j] += weight * d.x_attn[t * C + j];
        }
        mean += weight * dweights[s];
      }
      for (let s = 0; s <= t; s++) {
        const dscore = (a.weights[row + s] * (dweights[s] - mean)) / Math.sqrt(D);
        for (let j = h * D; j < (h + 1) * D; j++) {
          d.q[t * C + j] += dscore * a.k[s * C + j];
          d.k[s * C + j] += dscore * a.q[t * C + j];
        }
      }
    }
  }
}

class Trainer {
  // The model's weights are trained in place. `how` is data.train; names are taken in order, again and again.
  constructor(model, names, how) {
    if (!canTrain(model)) throw new Error("only plain multi-head attention with learned positions trains in the page");
    this.model = model;
    this.how = how;
    this.names = names;
    this.steps = 0;
    const size = model.numbers.length;
    this.grad = gradientOf(model);
    this.m = new Float64Array(size);
    this.v = new Float64Array(size);
    const { n_layer, n_embd: C, n_head: H, block_size: T, vocab_size: V } = model.config;
    const list = (width) => new Float64Array(T * width);
    const layer = () => ({
      scale1: list(1), x_norm1: list(C), q: list(C), k: list(C), v: list(C), weights: list(H * T), x_attn: list(C),
      x_mid: list(C), scale2: list(1), x_norm2: list(C), hidden: list(4 * C), active: list(4 * C), x_out: list(C),
    });
    const layers = Array.from({ length: n_layer }, layer);
    this.a = { embedded: list(C), scale0: list(1), x: list(C), probs: list(V), layers };
    this.d = { x: list(C), x_norm: list(C), part: list(C), embedded: list(C), x_attn: list(C), q: list(C), k: list(C),
               v: list(C), hidden: list(4 * C), active: list(4 * C) };
  }

  // One document: forward, backward, Adam. Returns its loss before the step.
  step() {
    const all = encode(this.model, this.names[this.steps % this.names.length]);
    const n = Math.min(all.length, this.model.config.block_size);
    const targets = [...all.slice(1), this.model.bos];
    const loss = this.forward(all, targets, n);
    this.backward(all, targets, n);
    this.update();
    return loss;
  }

  forward(tokens, targets, n) {
    const { a, model: { config, w } } = this;
    const { n_embd: C, vocab_size: V, n_layer } = config;
    for (let t = 0; t < n; t++) {
      for (let j = 0; j < C; j++) a.embedded[t * C + j] = w.wte.data[tokens[t] * C + j] + w.wpe.data[t * C + j];
    }
    rmsnormForward(a.x, a.scale0, a.embedded, C, n);
    let x = a.x;
    for (let li = 0; li < n_layer; li++) {
      const l = a.layers[li];
      const matrix = (name) => w[`layer${li}.${name}`];
      rmsnormForward(l.x_norm1, l.scale1, x, C, n);
      linearForward(l.q, l.x_norm1, matrix("attn_wq"), n);
      linearForward(l.k, l.x_norm1, matrix("attn_wk"), n);
      linearForward(l.v, l.x_norm1, matrix("attn_wv"), n);
      attentionForward(l, config, n);
      linearForward(l.x_mid, l.x_attn, matrix("attn_wo"), n);
      for (let i = 0; i < n * C; i++) l.x_mid[i] += x[i];

      rmsnormForward(l.x_norm2, l.scale2, l.x_mid, C, n);
      linearForward(l.hidden, l.x_norm2, matrix("mlp_fc1"), n);
      const isSquared = config.activation === "squared_relu";
      for (let i = 0; i < n * 4 * C; i++) {
        const positive = Math.max(l.hidden[i], 0);
        l.active[i] = isSquared ? positive * positive : positive;
      }
      linearForward(l.x_out, l.active, matrix("mlp_fc2"), n);
      for (let i = 0; i < n * C; i++) l.x_out[i] += l.x_mid[i];
      x = l.x_out;
    }
    linearForward(a.probs, x, w.lm_head, n);
    let loss = 0;
    for (let t = 0; t < n; t++) {
      const logits = a.probs.subarray(t * V, (t + 1) * V);
      loss += crossEntropy(logits, targets[t]) / n;
      logits.set(softmax(logits));
    }
    return loss;
  }

  // Each step is that of forward, from the last to the first. d.x is the gradient of the residual stream.
  backward(tokens, targets, n) {
    const { a, d, grad, model: { config, w } } = this;
    const { n_embd: C, vocab_size: V, n_layer } = config;
    for (let t = 0; t < n; t++) a.probs[t * V + targets[t]] -= 1;
    for (let i = 0; i < n * V; i++) a.probs[i] /= n;
    linearBackward(d.x, grad.w.lm_head, a.probs, a.layers[n_layer - 1].x_out, w.lm_head, n);
    for (let li = n_layer - 1; li >= 0; li--) {
      const l = a.layers[li];
      const x = li === 0 ? a.x : a.layers[li - 1].x_out;
      const back = (name, dx, dy, from) => {
        const full = `layer${li}.${name}`;
        linearBackward(dx, grad.w[full], dy, from, w[full], n);
      };
      back("mlp_fc2", d.active, d.x, l.active);
      for (let i = 0; i < n * 4 * C; i++) {
        const slope = config.activation === "squared_relu" ? 2 * l.hidden[i] : 1;
        d.hidden[i] = l.hidden[i] > 0 ? d.active[i] * slope : 0;
      }
      back("mlp_fc1", d.x_norm, d.hidden, l.x_norm2);
      rmsnormBackward(d.x, d.x_norm, l.x_mid, l.scale2, C, n);

      back("attn_wo", d.x_attn, d.x, l.x_attn);
      attentionBackward(d, l, config, n);
      back("attn_wq", d.x_norm, d.q, l.x_norm1);
      for (const [name, dy] of [["attn_wk", d.k], ["attn_wv", d.v]]) {
        back(name, d.part, dy, l.x_norm1);
        for (let i = 0; i < n * C; i++) d.x_norm[i] += d.part[i];
      }
      rmsnormBackward(d.x, d.x_norm, x, l.scale1, C, n);
    }
    d.embedded.fill(0, 0, n * C);
    rmsnormBackward(d.embedded, d.x, a.embedded, a.scale0, C, n);
    for (let t = 0; t < n; t++) {
      for (let j = 0; j < C; j++) {
        grad.w.wte.data[tokens[t] * C + j] += d.embedded[t * C + j];
        grad.w.wpe.data[t * C + j] += d.embedded[t * C + j];
      }
    }
  }

  // Adam: Adam::update() of src/microgpt.cpp.
  update() {
    const { m, v, how: { beta1, beta2, eps }, model: { numbers: data }, grad: { numbers: grad } } = this;
    const rate = learningRate(this.how, this.steps);
    this.steps++;
    const m_correction = 1 - beta1 ** this.steps;
    const v_correction = 1 - beta2 ** this.steps;
    for (let i = 0; i < data.length; i++) {
      m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
      v[i] = beta2 * v[i] + (1 - beta2) * grad[i] * grad[i];
      data[i] -= (rate * m[i]) / m_correction / (Math.sqrt(v[i] / v_correction) + eps);
      grad[i] = 0;
    }
  }
}

function canTrain(model) {
  const { attention, rope } = model.config;
  return attention === "mha" && !rope && model.visible === null;
}

// After the last planned step the rate stays 0.
function learningRate({ learning_rate, num_steps, schedule }, step) {
  const progress = Math.min(step / num_steps, 1);
  return learning_rate * (schedule === "cosine" ? 0.5 * (1 + Math.cos(Math.PI * progress)) : 1 - progress);
}

// Zeros in the shape of the model's matrices.
function gradientOf(model) {
  const numbers = new Float64Array(model.numbers.length);
  const w = {};
  let at = 0;
  for (const [name, { rows, cols }] of Object.entries(model.w)) {
    w[name] = new Matrix(rows, cols, numbers.subarray(at, at + rows * cols));
    at += rows * cols;
  }
  return { numbers, w };
}

// The same model with weights drawn anew, as initialize() of src/base/parameters.h draws them.
function freshModel(model, how, random) {
  const fresh = { ...model, ...gradientOf(model) };
  for (const [name, { data }] of Object.entries(fresh.w)) {
    const stddev = how.zero_projections && /attn_wo|mlp_fc2/.test(name) ? 0 : how.init_std;
    for (let i = 0; i < data.length; i++) data[i] = random.gauss(0, stddev);
  }
  return fresh;
}
