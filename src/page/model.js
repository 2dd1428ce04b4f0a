// The model: gpt() of src/microgpt.cpp on a tape, for every form of attention that trains here. Read the two side by
// side. All of the page stands on this one: reading, what-if, and the graph of a loss.

// Rows and columns of the parameters, from number `at` on. linear() makes a number for each row.
class Matrix {
  constructor(name, rows, cols, at, numbers) {
    Object.assign(this, { name, rows, cols, at, data: numbers.subarray(at, at + rows * cols) });
  }

  row(i) {
    return this.data.subarray(i * this.cols, (i + 1) * this.cols);
  }

  // The same as Values of a tape.
  valuesOf(i) {
    return Array.from({ length: this.cols }, (_, j) => -1 - (this.at + i * this.cols + j));
  }
}

// What the MLP does to each of its hidden numbers, by its name in files. Another one is another line, and a method of
// Tape if it needs a new operation.
const activations = {
  relu: (tape, x) => tape.relu(x),
  squared_relu: (tape, x) => tape.pow(tape.nameOne(tape.relu(x), "relu(hidden)"), 2),
};

// `about` is the page's data. The matrices share one list of numbers, in the order of about.parameters.
function decodeModel({ config, characters, visible, parameters, weights }) {
  if (!Object.hasOwn(activations, config.activation)) {
    throw new Error(`this page does not know the activation '${config.activation}'`);
  }
  const numbers = new Float64Array(Uint8Array.from(atob(weights), (c) => c.charCodeAt(0)).buffer);
  const w = {};
  let at = 0;
  for (const { name, rows, cols } of parameters) {
    w[name] = new Matrix(name, rows, cols, at, numbers);
    at += rows * cols;
  }
  const tokens = new Map(characters.map((character, i) => [character, i]));
  return { config, characters, tokens, bos: characters.length, visible, numbers, w };
}

// The tokens that predict: BOS, and as many characters as the block has room for.
function encode(model, text) {
  return [model.bos, ...Array.from(text, (character) => model.tokens.get(character))];
}

// A token as a reader can see it. In maps BOS is a dot, as in the program.
const labelled = (bos) => ({ characters }, token) => (characters[token] ?? bos).trim() || "␣";
const [shortLabel, longLabel, nextLabel] = [".", "BOS", "end"].map(labelled);

// Whether in this layer position t may look at position s.
function allows(model, layer, t, s) {
  const rows = model.visible[layer % model.visible.length]; // null: all
  return s <= t && (rows === null || rows[t][s] === "1");
}

function slices(x, n) {
  const size = x.length / n;
  return Array.from({ length: n }, (_, i) => x.slice(i * size, (i + 1) * size));
}

// --- The model: in go tokens, out come scores for each possible next one ---------------------------------------------

// What a reader may change: parts of the model that are switched off, by their key in partsOf() -> null for zeros, or,
// of a head, the numbers that stand in for its output; and cells that are forbidden, as "layer:head:t:s".
const unchanged = { off: new Map(), forbidden: new Set() };

// One text, read token by token, as nodes of a tape: positions[t] has the embedding and the logits, layers[li][t] the
// attention of a layer, mlps[li][t] its MLP.
class Run {
  constructor(model, changes = unchanged, names = null) {
    const lists = () => Array.from({ length: model.config.n_layer }, () => []);
    const tape = new Tape(model.numbers, names);
    Object.assign(this, { model, changes, tape, positions: [], layers: lists(), mlps: lists() });
  }

  // The logits after one more token.
  gpt(token_id) {
    const { tape, positions } = this;
    const { config, w } = this.model;
    const pos_id = positions.length;
    const first = tape.size;
    tape.begin(pos_id, null, "embedding");
    let x = w.wte.valuesOf(token_id);
    if (!config.rope) x = tape.name(tape.add(x, w.wpe.valuesOf(pos_id)), "tok_emb + pos_emb");
    const embedded = (x = tape.name(this.unlessOff("embedding", tape.rmsnorm(x)), "x"));
    for (let li = 0; li < config.n_layer; li++) {
      tape.begin(pos_id, li, "attention");
      x = this.attention(x, li);
      tape.begin(pos_id, li, "MLP");
      x = this.mlp(x, li);
    }
    tape.begin(pos_id, null, "logits");
    const logits = tape.name(tape.linear(x, w.lm_head), "logit", (token) => ` of ${nextLabel(this.model, token)}`);
    positions.push({ first, embedded, logits });
    return logits;
  }

  // 1) Multi-head attention. The positions of this layer hold what earlier ones keep; here comes one more.
  attention(x_residual, li) {
    const { tape, model, layers } = this;
    const matrix = (name) => model.w[`layer${li}.${name}`];
    const x_norm = tape.name(tape.rmsnorm(x_residual), "x_norm");
    const queriesKeysValues = model.config.attention === "mla" ? latent : grouped;
    const at = { x_residual, ...queriesKeysValues(tape, x_norm, matrix, model.config, layers[li].length) };
    layers[li].push(at);
    const heads = at.q_h.map((_, h) => this.attentionHead(li, h));
    for (const name of ["attn_logits", "attn_weights", "head_out"]) at[name] = heads.map((head) => head[name]);
    at.x_attn = at.head_out.flat(); // the heads' results stand side by side
    at.attn_out = tape.name(tape.linear(at.x_attn, matrix("attn_wo")), "attn_out");
    at.x = tape.name(tape.add(at.attn_out, x_residual), "x");
    return at.x;
  }

  // Head h at the last position.
  attentionHead(li, h) {
    const { tape, model } = this;
    const positions = this.layers[li];
    const t = positions.length - 1;
    const { q_h, k_h, v_h } = positions[t];
    const ofNumber = (j) => `[head ${h}][${j}]`;
    const ofPosition = (s) => `[head ${h}][s=${s}]`;
    for (const [name, list] of Object.entries({ q: q_h, k: k_h, v: v_h })) tape.name(list[h], name, ofNumber);
    const scale = 1 / Math.sqrt(q_h[h].length);
    const attn_logits = positions.map((at, s) => {
      const sees = allows(model, li, t, s) && !this.changes.forbidden.has(`${li}:${h}:${t}:${s}`);
      if (!sees) return tape.constant(-Infinity);
      return tape.timesNumber(tape.nameOne(tape.dot(q_h[h], at.k_h[h]), "q · k", ofPosition(s)), scale);
    });
    tape.name(attn_logits, "attn_logits", ofPosition);
    const attn_weights = tape.name(tape.softmax(attn_logits, ofPosition), "attn_weights", ofPosition);
    const mixed = v_h[h].map((_, j) => tape.dot(attn_weights, positions.map((at) => at.v_h[h][j])));
    const head_out = tape.name(this.unlessOff(`${li}:${h}`, mixed), "head_out", ofNumber);
    return { attn_logits, attn_weights, head_out };
  }

  // What a part of the model makes, or what stands in for it.
  unlessOff(key, made) {
    const instead = this.changes.off.get(key); // undefined, null or numbers
    return instead === undefined ? made : made.map((_, j) => this.tape.constant(instead?.[j] ?? 0));
  }

  // 2) MLP.
  mlp(x_residual, li) {
    const { tape } = this;
    const { config, w } = this.model;
    const x_norm = tape.name(tape.rmsnorm(x_residual), "x_norm");
    const hidden = tape.name(tape.linear(x_norm, w[`layer${li}.mlp_fc1`]), "hidden");
    const active = tape.name(hidden.map((each) => activations[config.activation](tape, each)), "active");
    const mlp_out = tape.name(this.unlessOff(`${li}:mlp`, tape.linear(active, w[`layer${li}.mlp_fc2`])), "mlp_out");
    const x = tape.name(tape.add(mlp_out, x_residual), "x");
    this.mlps[li].push({ active, mlp_out, x });
    return x;
  }

  // The mean loss of the predictions within the block: of every token after BOS, and of BOS at the end.
  documentLoss(tokens) {
    const { tape, model } = this;
    this.losses = tokens.slice(0, model.config.block_size).map((token_id, pos_id) => {
      const logits = this.gpt(token_id);
      const target = tokens[pos_id + 1] ?? model.bos;
      const of = (token) => ` of ${nextLabel(model, token)}`;
      tape.begin(pos_id, null, "loss");
      const probs = tape.name(tape.softmax(logits, of), "probability", of);
      const log = tape.nameOne(tape.log(probs[target]), "log(p)", of(target));
      return tape.nameOne(tape.timesNumber(log, -1), "loss", of(target));
    });
    tape.begin(null, null, "");
    const sum = tape.nameOne(tape.sum(this.losses), "sum of losses");
    return tape.nameOne(tape.timesNumber(sum, 1 / this.losses.length), "loss", " of the whole text");
  }
}

// --- Queries, keys and values ----------------------------------------------------------------------------------------

// Of one position, by head: {q_h: [H], k_h: [H], v_h: [H]}. Heads of a group share their key and value.
function grouped(tape, x, matrix, config, position) {
  const { n_head: H, n_kv_head: G, rope, rope_base } = config;
  const rotated = (all) => (rope ? all.map((each) => tape.rotate(each, position, rope_base)) : all);
  const q = slices(tape.linear(x, matrix("attn_wq")), H);
  const k = slices(tape.linear(x, matrix("attn_wk")), G);
  const v = slices(tape.linear(x, matrix("attn_wv")), G);
  const ofGroup = (all) => q.map((_, h) => all[Math.floor((h * G) / H)]);
  return { q_h: rotated(q), k_h: ofGroup(rotated(k)), v_h: ofGroup(v) };
}

// Multi-head latent attention: keys and values are made from one short vector, c_kv; an extra part of each key, which
// all heads share, is rotated.
function latent(tape, x, matrix, { n_head: H, rope_dim, rope_base }, position) {
  const c_q = tape.linear(x, matrix("attn_wdq"));
  const c_kv = tape.linear(x, matrix("attn_wdkv"));
  const q_h = slices(tape.linear(c_q, matrix("attn_wuq")), H);
  const k_h = slices(tape.linear(c_kv, matrix("attn_wuk")), H);
  const v_h = slices(tape.linear(c_kv, matrix("attn_wuv")), H);
  if (rope_dim === 0) return { q_h, k_h, v_h };
  const q_rope = slices(tape.linear(c_q, matrix("attn_wqr")), H);
  const k_rope = tape.rotate(tape.linear(x, matrix("attn_wkr")), position, rope_base);
  return {
    q_h: q_h.map((q, h) => [...q, ...tape.rotate(q_rope[h], position, rope_base)]),
    k_h: k_h.map((k) => [...k, ...k_rope]),
    v_h,
  };
}

// --- Numbers instead of nodes ----------------------------------------------------------------------------------------

// Nodes in lists and records, as their numbers.
function numbersOf(nodes, tape) {
  if (typeof nodes === "number") return tape.value(nodes);
  if (Array.isArray(nodes)) return nodes.map((each) => numbersOf(each, tape));
  return Object.fromEntries(Object.entries(nodes).map(([name, each]) => [name, numbersOf(each, tape)]));
}

// What happens where tokens are read: the logits [T][V]; embedded [T][C], with which the residual stream begins; and
// layers [L][T] and mlps [L][T], as Run has them.
function forward(model, tokens, changes = unchanged) {
  const run = new Run(model, changes);
  for (const token of tokens) run.gpt(token);
  const ofPositions = (name) => run.positions.map((at) => numbersOf(at[name], run.tape));
  const [layers, mlps] = [run.layers, run.mlps].map((all) => numbersOf(all, run.tape));
  return { logits: ofPositions("logits"), embedded: ofPositions("embedded"), layers, mlps };
}

function documentLoss(model, text, changes = unchanged) {
  const run = new Run(model, changes);
  return run.tape.value(run.documentLoss(encode(model, text)));
}

function probabilities(logits, temperature = 1) {
  const max = Math.max(...logits);
  const exps = logits.map((logit) => Math.exp((logit - max) / temperature));
  const total = exps.reduce((sum, x) => sum + x, 0);
  return exps.map((x) => x / total);
}

// -log p(target), computed from the logits, so that it is finite however small p is.
function crossEntropy(logits, target, temperature = 1) {
  const differences = logits.map((logit) => (logit - logits[target]) / temperature);
  const max = Math.max(...differences);
  return max + Math.log(differences.reduce((sum, x) => sum + Math.exp(x - max), 0));
}

// New names, as `microgpt sample` draws them. Every name begins with the prompt.
function sample(model, { seed = "42", temperature = 0.5, num = 20, prompt = "" } = {}, changes = unchanged) {
  const random = new PythonRandom(seed);
  return Array.from({ length: num }, () => {
    const run = new Run(model, changes);
    const tokens = encode(model, prompt);
    for (let t = 0; t < Math.min(tokens.length, model.config.block_size); t++) {
      const logits = run.gpt(tokens[t]);
      if (t + 1 < tokens.length) continue;
      const token = random.choice(probabilities(numbersOf(logits, run.tape), temperature));
      if (token !== model.bos) tokens.push(token);
    }
    return tokens.slice(1).map((token) => model.characters[token]).join("");
  });
}

// --- The parts of a logit --------------------------------------------------------------------------------------------

function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

// All that writes to the residual stream, in the order in which it does: {key, name} and, of heads, layer and head.
// A model of one layer needs no layers in the names.
function partsOf({ config: { n_layer, n_head, rope } }) {
  const parts = [{ key: "embedding", name: rope ? "letter" : "letter and position" }];
  for (let layer = 0; layer < n_layer; layer++) {
    const place = n_layer > 1 ? `layer ${layer}, ` : "";
    for (let head = 0; head < n_head; head++) {
      parts.push({ layer, head, key: `${layer}:${head}`, name: `${place}head ${head}` });
    }
    parts.push({ layer, key: `${layer}:mlp`, name: `${place}MLP` });
  }
  return parts;
}

function headsOf(model) {
  return partsOf(model).filter(({ head }) => head !== undefined);
}

// What a head adds to the residual stream at a position: its columns of attn_wo, times its output.
function headWrites(model, { layers }, { layer, head }, t) {
  const matrix = model.w[`layer${layer}.attn_wo`];
  const head_out = layers[layer][t].head_out[head];
  const hs = head * head_out.length;
  return Array.from({ length: matrix.rows }, (_, i) => dot(head_out, matrix.row(i).subarray(hs)));
}

// No norm stands between the last layer and lm_head, so the logit of a token is the sum of what the parts add to it.
function logitParts(model, run, t, token) {
  const row = model.w.lm_head.row(token);
  return partsOf(model).map((part) => {
    const { key, layer, head } = part;
    const isHead = head !== undefined;
    const written =
      key === "embedding" ? run.embedded[t] : isHead ? headWrites(model, run, part, t) : run.mlps[layer][t].mlp_out;
    return { ...part, adds: dot(written, row) };
  });
}
