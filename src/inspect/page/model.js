// The model: gpt() of src/microgpt.cpp in JavaScript, for every form of attention that trains here. Read the two side
// by side. A list of numbers is a Float64Array; a Matrix has one row for each number that linear() makes.

class Matrix {
  constructor(rows, cols, data) {
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  row(i) {
    return this.data.subarray(i * this.cols, (i + 1) * this.cols);
  }
}

// --- A model from the page's data ------------------------------------------------------------------------------------

function numbersOfBase64(text, Numbers) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Numbers(bytes.buffer);
}

// m is one of data.models. Its matrices share one list of numbers, in the order of m.parameters.
function decodeModel(m, numbers = numbersOfBase64(m.weights, Float64Array)) {
  const w = {};
  let at = 0;
  for (const { name, rows, cols } of m.parameters) {
    w[name] = new Matrix(rows, cols, numbers.subarray(at, at + rows * cols));
    at += rows * cols;
  }
  const tokens = new Map(m.characters.map((character, i) => [character, i]));
  return { config: m.config, characters: m.characters, tokens, bos: m.characters.length, visible: m.visible, numbers, w };
}

// The tokens that predict: BOS, and as many characters as the block has room for.
function encode(model, text) {
  const tokens = [model.bos];
  for (const character of text) {
    if (!model.tokens.has(character)) throw new Error(`the character '${character}' is not in the model's alphabet`);
    tokens.push(model.tokens.get(character));
  }
  return tokens;
}

function label(model, token) {
  return token === model.bos ? "." : model.characters[token];
}

// Whether position t may look at position s.
function allows(model, t, s) {
  return s <= t && (model.visible === null || model.visible[t][s] === "1");
}

// --- Operations ------------------------------------------------------------------------------------------------------

function add(a, b) {
  return a.map((x, i) => x + b[i]);
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function linear(x, w) {
  const y = new Float64Array(w.rows);
  for (let i = 0; i < w.rows; i++) y[i] = dot(w.row(i), x);
  return y;
}

// Scores of -Infinity get no weight. If there are no others, no position gets any.
function softmax(scores) {
  const max = Math.max(...scores);
  if (max === -Infinity) return new Float64Array(scores.length);
  const exps = Float64Array.from(scores, (score) => Math.exp(score - max));
  const total = exps.reduce((sum, x) => sum + x, 0);
  return exps.map((x) => x / total);
}

function rmsnorm(x) {
  const scale = (dot(x, x) / x.length + 1e-5) ** -0.5;
  return x.map((xi) => xi * scale);
}

function activate(x, name) {
  return x.map((xi) => (xi > 0 ? (name === "squared_relu" ? xi * xi : xi) : 0));
}

// Rotates the pairs (2i, 2i + 1) of x, in place, by an angle that grows with the position (RoPE).
function rotate(x, position, base) {
  for (let i = 0; i < x.length; i += 2) {
    const angle = position * base ** (-i / x.length);
    const [a, b] = [x[i], x[i + 1]];
    x[i] = a * Math.cos(angle) - b * Math.sin(angle);
    x[i + 1] = a * Math.sin(angle) + b * Math.cos(angle);
  }
}

// --- Queries, keys and values ----------------------------------------------------------------------------------------

// Of one position, by head: {q_h: [H], k_h: [H], v_h: [H]}. Heads of a group share their key and value.
function queriesKeysValues(x, matrix, config, position) {
  return config.attention === "mla" ? latent(x, matrix, config, position) : grouped(x, matrix, config, position);
}

function slices(x, n) {
  const size = x.length / n;
  return Array.from({ length: n }, (_, i) => x.slice(i * size, (i + 1) * size));
}

function grouped(x, matrix, config, position) {
  const { n_head: H, n_kv_head: G } = config;
  const q = slices(linear(x, matrix("attn_wq")), H);
  const k = slices(linear(x, matrix("attn_wk")), G);
  const v = slices(linear(x, matrix("attn_wv")), G);
  if (config.rope) for (const each of [...q, ...k]) rotate(each, position, config.rope_base);
  const ofGroup = (all) => q.map((_, h) => all[Math.floor((h * G) / H)]);
  return { q_h: q, k_h: ofGroup(k), v_h: ofGroup(v) };
}

// Multi-head latent attention: keys and values are made from one short vector, c_kv; an extra part of each key, which
// all heads share, is rotated.
function latent(x, matrix, config, position) {
  const H = config.n_head;
  const c_q = linear(x, matrix("attn_wdq"));
  const c_kv = linear(x, matrix("attn_wdkv"));
  let q_h = slices(linear(c_q, matrix("attn_wuq")), H);
  let k_h = slices(linear(c_kv, matrix("attn_wuk")), H);
  const v_h = slices(linear(c_kv, matrix("attn_wuv")), H);
  if (config.rope_dim > 0) {
    const q_rope = slices(linear(c_q, matrix("attn_wqr")), H);
    const k_rope = linear(x, matrix("attn_wkr"));
    for (const each of [...q_rope, k_rope]) rotate(each, position, config.rope_base);
    q_h = q_h.map((q, h) => Float64Array.of(...q, ...q_rope[h]));
    k_h = k_h.map((k) => Float64Array.of(...k, ...k_rope));
  }
  return { q_h, k_h, v_h };
}

// --- The model: in go tokens, out come scores for each possible next one ---------------------------------------------

// What a reader may change: heads that are switched off, by "layer:head" -> null for zeros, or the D numbers that stand
// in for the output; and cells that are forbidden, as "layer:head:t:s".
const unchanged = { off: new Map(), forbidden: new Set() };

// Returns the logits [T][V]; the weights [L][H][T][t + 1]; and by layer what happened at each position, for the
// inspector. positions[t] has x_residual, q_h, k_h, v_h, attn_logits[h], attn_weights[h], head_out[h], x_attn.
function forward(model, tokens, { off, forbidden } = unchanged) {
  const { config, w } = model;
  const { n_layer, n_head: H, n_embd: C } = config;
  const layers = Array.from({ length: n_layer }, () => ({ positions: [] }));
  const logits = tokens.map((token_id, pos_id) => {
    const tok_emb = w.wte.row(token_id);
    let x = config.rope ? tok_emb : add(tok_emb, w.wpe.row(pos_id));
    x = rmsnorm(x);

    for (let li = 0; li < n_layer; li++) {
      const matrix = (name) => w[`layer${li}.${name}`];
      const { positions } = layers[li];

      // 1) Multi-head attention.
      let x_residual = x;
      x = rmsnorm(x);
      const { q_h, k_h, v_h } = queriesKeysValues(x, matrix, config, pos_id);
      const at = { x_residual, q_h, k_h, v_h, attn_logits: [], attn_weights: [], head_out: [] };
      positions.push(at);
      const D = C / H;
      const sqrt_key_dim = Math.sqrt(q_h[0].length);
      const x_attn = new Float64Array(C); // the heads' results stand side by side
      for (let h = 0; h < H; h++) {
        const isSeen = (s) => allows(model, pos_id, s) && !forbidden.has(`${li}:${h}:${pos_id}:${s}`);
        const score = (p, s) => (isSeen(s) ? dot(q_h[h], p.k_h[h]) / sqrt_key_dim : -Infinity);
        const attn_logits = Float64Array.from(positions, score);
        const attn_weights = softmax(attn_logits);
        let head_out = new Float64Array(D); // the positions' v_h, each times its weight, added up
        positions.forEach((p, s) => p.v_h[h].forEach((value, j) => (head_out[j] += attn_weights[s] * value)));
        if (off.has(`${li}:${h}`)) head_out = off.get(`${li}:${h}`) ?? new Float64Array(D);
        at.attn_logits.push(attn_logits);
        at.attn_weights.push(attn_weights);
        at.head_out.push(head_out);
        x_attn.set(head_out, h * D);
      }
      at.x_attn = x_attn;
      x = add(linear(x_attn, matrix("attn_wo")), x_residual);

      // 2) MLP.
      x_residual = x;
      x = rmsnorm(x);
      x = linear(x, matrix("mlp_fc1"));
      x = activate(x, config.activation);
      x = linear(x, matrix("mlp_fc2"));
      x = add(x, x_residual);
    }
    return linear(x, w.lm_head);
  });
  const weights = layers.map(({ positions }) =>
    Array.from({ length: H }, (_, h) => positions.map((position) => position.attn_weights[h])));
  return { logits, weights, layers };
}

// --- Loss, probabilities, new names ----------------------------------------------------------------------------------

// -log p(target), computed from the logits, so that it is finite however small p is.
function crossEntropy(logits, target) {
  const max = Math.max(...logits);
  return max + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - max), 0)) - logits[target];
}

// The loss of each prediction within the block: of every character, and of BOS at the end.
function losses(model, text, changes = unchanged) {
  const all = encode(model, text);
  const tokens = all.slice(0, model.config.block_size);
  const { logits } = forward(model, tokens, changes);
  return logits.map((each, t) => crossEntropy(each, all[t + 1] ?? model.bos));
}

function documentLoss(model, text, changes = unchanged) {
  const all = losses(model, text, changes);
  return all.reduce((sum, loss) => sum + loss, 0) / all.length;
}

function probabilities(logits, temperature = 1) {
  return softmax(logits.map((logit) => logit / temperature));
}

// New names, as `microgpt sample` draws them. Every name begins with the prompt.
function sample(model, { seed = "42", temperature = 0.5, num = 20, prompt = "" } = {}, changes = unchanged) {
  const random = new PythonRandom(seed);
  const begin = encode(model, prompt).slice(1);
  return Array.from({ length: num }, () => {
    const tokens = [model.bos, ...begin];
    while (tokens.length <= model.config.block_size) {
      const logits = forward(model, tokens, changes).logits.at(-1);
      const token = random.choice(probabilities(logits, temperature));
      if (token === model.bos) break;
      tokens.push(token);
    }
    return tokens.slice(1).map((token) => model.characters[token]).join("");
  });
}
