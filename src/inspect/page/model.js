// The model: gpt() of src/microgpt.cpp in JavaScript, for every form of attention that trains here. Read the two side
// by side. A list of numbers is an Array; a Matrix has one row for each number that linear() makes.

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
  const { config, characters, visible } = m;
  return { config, characters, tokens, bos: characters.length, visible, numbers, w };
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

// y[i] is the dot product of row i and x.
function linear(x, { rows, cols, data }) {
  const y = [];
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = 0; j < cols; j++) sum += data[i * cols + j] * x[j];
    y.push(sum);
  }
  return y;
}

// Scores of -Infinity get no weight. If there are no others, no position gets any.
function softmax(scores) {
  const max = Math.max(...scores);
  if (max === -Infinity) return scores.map(() => 0);
  const exps = scores.map((score) => Math.exp(score - max));
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
    q_h = q_h.map((q, h) => [...q, ...q_rope[h]]);
    k_h = k_h.map((k) => [...k, ...k_rope]);
  }
  return { q_h, k_h, v_h };
}

// --- The model: in go tokens, out come scores for each possible next one ---------------------------------------------

// What a reader may change: heads that are switched off, by "layer:head" -> null for zeros, or the D numbers that stand
// in for the output; and cells that are forbidden, as "layer:head:t:s".
const unchanged = { off: new Map(), forbidden: new Set() };

// Returns the logits [T][V]; the weights [L][H][T][t + 1]; and by layer what happened at each position, for the
// inspector. positions[t] has x_residual, q_h, k_h, v_h, attn_logits[h], attn_weights[h], head_out[h], x_attn.
function forward(model, tokens, changes = unchanged) {
  const { config, w } = model;
  const layers = Array.from({ length: config.n_layer }, () => ({ positions: [] }));
  const logits = tokens.map((token_id, pos_id) => {
    const tok_emb = [...w.wte.row(token_id)];
    let x = config.rope ? tok_emb : add(tok_emb, w.wpe.row(pos_id));
    x = rmsnorm(x);
    layers.forEach(({ positions }, li) => {
      x = attentionBlock(x, model, li, positions, changes);
      x = mlpBlock(x, model, li);
    });
    return linear(x, w.lm_head);
  });
  const weights = layers.map(({ positions }) => headsOf(config).map((h) => positions.map((at) => at.attn_weights[h])));
  return { logits, weights, layers };
}

function headsOf({ n_head }) {
  return Array.from({ length: n_head }, (_, h) => h);
}

// 1) Multi-head attention. `positions` holds what earlier positions keep of this layer; here comes one more.
function attentionBlock(x_residual, model, li, positions, changes) {
  const { config, w } = model;
  const matrix = (name) => w[`layer${li}.${name}`];
  const x = rmsnorm(x_residual);
  const at = { x_residual, ...queriesKeysValues(x, matrix, config, positions.length) };
  positions.push(at);
  const heads = headsOf(config).map((h) => attentionHead(model, li, h, positions, changes));
  for (const name of ["attn_logits", "attn_weights", "head_out"]) at[name] = heads.map((head) => head[name]);
  at.x_attn = at.head_out.flat(); // the heads' results stand side by side
  return add(linear(at.x_attn, matrix("attn_wo")), x_residual);
}

// Head h at the last of the positions.
function attentionHead(model, li, h, positions, { off, forbidden }) {
  const t = positions.length - 1;
  const q_h = positions[t].q_h[h];
  const sqrt_key_dim = Math.sqrt(q_h.length);
  const isForbidden = (s) => forbidden.size > 0 && forbidden.has(`${li}:${h}:${t}:${s}`);
  const score = ({ k_h }, s) =>
    allows(model, t, s) && !isForbidden(s) ? dot(q_h, k_h[h]) / sqrt_key_dim : -Infinity;
  const attn_logits = positions.map(score);
  const attn_weights = softmax(attn_logits);
  const mixed = new Array(model.config.n_embd / model.config.n_head).fill(0); // v_h, each times its weight, added up
  positions.forEach(({ v_h }, s) => v_h[h].forEach((value, j) => (mixed[j] += attn_weights[s] * value)));
  const key = `${li}:${h}`;
  const head_out = off.has(key) ? [...(off.get(key) ?? mixed.map(() => 0))] : mixed;
  return { attn_logits, attn_weights, head_out };
}

// 2) MLP.
function mlpBlock(x_residual, { config, w }, li) {
  let x = rmsnorm(x_residual);
  x = linear(x, w[`layer${li}.mlp_fc1`]);
  x = activate(x, config.activation);
  x = linear(x, w[`layer${li}.mlp_fc2`]);
  return add(x, x_residual);
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
