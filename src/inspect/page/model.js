// The model: gpt() of src/microgpt.cpp on a tape, for every form of attention that trains here. Read the two side by
// side. All of the page stands on this one: reading, what-if, the graph of a loss, and training.

// Rows and columns of the parameters, from number `at` on. linear() makes a number for each row.
class Matrix {
  constructor(name, rows, cols, at, numbers) {
    Object.assign(this, { name, rows, cols, at, data: numbers.subarray(at, at + rows * cols) });
  }

  row(i) {
    return this.data.subarray(i * this.cols, (i + 1) * this.cols);
  }
}

// What the MLP does to its hidden numbers, by its name in files: on the tape, and the labels of what that makes, the
// result last. Another one is another line, and a method of Tape if it needs a new operation.
const activations = {
  relu: { apply: (tape, x) => x.map((xi) => tape.relu(xi)), labels: ["relu(hidden)"] },
  squared_relu: {
    apply: (tape, x) => activations.relu.apply(tape, x).map((y) => tape.pow(y, 2)),
    labels: ["relu(hidden)", "relu(hidden)²"],
  },
};

// --- A model from the page's data ------------------------------------------------------------------------------------

function numbersOfBase64(text, Numbers) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Numbers(bytes.buffer);
}

// The same model with other numbers. Its tape serves one run after the other, so that its lists need not grow anew.
function withNumbers(model, numbers) {
  const w = {};
  let at = 0;
  for (const { name, rows, cols } of model.parameters) {
    w[name] = new Matrix(name, rows, cols, at, numbers);
    at += rows * cols;
  }
  return { ...model, numbers, w, tape: new Tape(numbers) };
}

// m is one of data.models. Its matrices share one list of numbers, in the order of m.parameters.
function decodeModel(m, numbers = numbersOfBase64(m.weights, Float64Array)) {
  const { config, characters, visible, parameters } = m;
  if (!Object.hasOwn(activations, config.activation)) {
    throw new Error(`this page does not know the activation '${config.activation}'`);
  }
  const tokens = new Map(characters.map((character, i) => [character, i]));
  return withNumbers({ config, characters, tokens, bos: characters.length, visible, parameters }, numbers);
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

// Whether position t may look at position s.
function allows(model, t, s) {
  return s <= t && (model.visible === null || model.visible[t][s] === "1");
}

function slices(x, n) {
  const size = x.length / n;
  const parts = [];
  for (let at = 0; at < x.length; at += size) parts.push(x.slice(at, at + size));
  return parts;
}

// --- The model: in go tokens, out come scores for each possible next one ---------------------------------------------

// What a reader may change: parts of the model that are switched off, by their key in partsOf() -> null for zeros, or,
// of a head, the D numbers that stand in for its output; and cells that are forbidden, as "layer:head:t:s".
const unchanged = { off: new Map(), forbidden: new Set() };

// One text, read token by token. What was computed stays, as nodes, until the tape serves another run: positions[t] has
// the embedding and the logits, layers[li][t] the attention of a layer, mlps[li][t] its MLP, numbers[t] what of these
// read() returns.
class Run {
  constructor(model, changes = unchanged, tape = model.tape) {
    tape.clear();
    const lists = () => Array.from({ length: model.config.n_layer }, () => []);
    Object.assign(this, { model, changes, tape, positions: [], layers: lists(), mlps: lists(), numbers: [] });
  }

  // Returns the logits [T][V]; layers [L][T], what happened at each position: x_residual, q_h, k_h, v_h,
  // attn_logits[h], attn_weights[h], head_out[h], x_attn and more; of these the weights [L][H][T][t + 1]; embedded
  // [T][C], with which the residual stream begins; and mlps [L][T], of each MLP active, mlp_out and x, the stream after
  // it. As far as the text begins as the last one did, nothing is computed anew.
  read(tokens) {
    const { positions, layers, mlps, numbers, tape } = this;
    const same = tokens.findIndex((token, t) => token !== positions[t]?.token_id);
    this.backTo(same < 0 ? tokens.length : same);
    for (let t = positions.length; t < tokens.length; t++) {
      const logits = this.gpt(tokens[t]);
      const mlpsHere = mlps.map(({ [t]: { active, mlp_out, x } }) => ({ active, mlp_out, x }));
      const here = { logits, embedded: positions[t].x, layers: layers.map((each) => each[t]), mlps: mlpsHere };
      numbers.push(numbersOf(here, tape));
    }
    const ofLayers = (name) => layers.map((_, li) => numbers.map((at) => at[name][li]));
    const attention = ofLayers("layers");
    return {
      logits: numbers.map(({ logits }) => logits),
      embedded: numbers.map(({ embedded }) => embedded),
      layers: attention,
      mlps: ofLayers("mlps"),
      weights: attention.map((all) => all[0].q_h.map((_, h) => all.map(({ attn_weights }) => attn_weights[h]))),
    };
  }

  // Forgets what was read from a position on.
  backTo(position) {
    const { begin } = this.positions[position] ?? {};
    if (begin) this.tape.clear(begin);
    else if (position > 0) this.tape.clear(this.positions[position - 1].end);
    for (const list of [this.positions, ...this.layers, ...this.mlps, this.numbers]) list.length = position;
  }

  // The logits after one more token.
  gpt(token_id) {
    const { tape, positions } = this;
    const { config, w } = this.model;
    const pos_id = positions.length;
    const begin = tape.mark();
    tape.begin(pos_id, null, "embedding");
    const tok_emb = tape.row(w.wte, token_id);
    const pos_emb = config.rope ? null : tape.row(w.wpe, pos_id);
    const embedded = config.rope ? tok_emb : tape.add(tok_emb, pos_emb);
    const x_embedded = this.unlessOff("embedding", tape.rmsnorm(embedded));
    let x = x_embedded;
    for (let li = 0; li < config.n_layer; li++) {
      tape.begin(pos_id, li, "attention");
      x = this.attention(x, li);
      tape.begin(pos_id, li, "MLP");
      x = this.mlp(x, li);
    }
    tape.begin(pos_id, null, "logits");
    const logits = tape.linear(x, w.lm_head);
    positions.push({ begin, token_id, pos_id, tok_emb, pos_emb, embedded, x: x_embedded, logits, end: tape.mark() });
    return logits;
  }

  // 1) Multi-head attention. The positions of this layer hold what earlier ones keep; here comes one more.
  attention(x_residual, li) {
    const { tape, model, layers } = this;
    const matrix = (name) => model.w[`layer${li}.${name}`];
    const x_norm = tape.rmsnorm(x_residual);
    const t = layers[li].length;
    const queriesKeysValues = model.config.attention === "mla" ? latent : grouped;
    const at = { x_residual, x_norm, ...queriesKeysValues(tape, x_norm, matrix, model.config, t) };
    layers[li].push(at);
    const heads = at.q_h.map((_, h) => this.attentionHead(li, h));
    for (const name of ["attn_logits", "attn_weights", "head_out"]) at[name] = heads.map((head) => head[name]);
    at.x_attn = [].concat(...at.head_out); // the heads' results stand side by side
    at.attn_out = tape.linear(at.x_attn, matrix("attn_wo"));
    at.x = tape.add(at.attn_out, x_residual);
    return at.x;
  }

  // Head h at the last position.
  attentionHead(li, h) {
    const { tape } = this;
    const positions = this.layers[li];
    const q_h = positions.at(-1).q_h[h];
    const scale = 1 / Math.sqrt(q_h.length);
    const attn_logits = positions.map(({ k_h }, s) =>
      this.sees(li, h, s) ? tape.timesNumber(tape.dot(q_h, k_h[h]), scale) : tape.constant(-Infinity),
    );
    const attn_weights = tape.softmax(attn_logits);
    const v_h = positions.map((at) => at.v_h[h]);
    const mixed = v_h[0].map((_, j) => tape.dot(attn_weights, v_h.map((v) => v[j])));
    return { attn_logits, attn_weights, head_out: this.unlessOff(`${li}:${h}`, mixed) };
  }

  // What a part of the model makes, or what stands in for it.
  unlessOff(key, made) {
    const instead = this.changes.off.get(key); // undefined, null or numbers
    return instead === undefined ? made : made.map((_, j) => this.tape.constant(instead?.[j] ?? 0));
  }

  // Whether head h looks from the last position at position s.
  sees(li, h, s) {
    const t = this.layers[li].length - 1;
    const { forbidden } = this.changes;
    return allows(this.model, t, s) && !(forbidden.size > 0 && forbidden.has(`${li}:${h}:${t}:${s}`));
  }

  // 2) MLP.
  mlp(x_residual, li) {
    const { tape, mlps } = this;
    const { config, w } = this.model;
    const x_norm = tape.rmsnorm(x_residual);
    const hidden = tape.linear(x_norm, w[`layer${li}.mlp_fc1`]);
    const active = activations[config.activation].apply(tape, hidden);
    const mlp_out = this.unlessOff(`${li}:mlp`, tape.linear(active, w[`layer${li}.mlp_fc2`]));
    const x = tape.add(mlp_out, x_residual);
    mlps[li].push({ x_norm, hidden, active, mlp_out, x });
    return x;
  }

  // The mean loss of the predictions within the block: of every token after BOS, and of BOS at the end. What is known
  // of an earlier text that began alike stays.
  documentLoss(tokens) {
    const { tape, model, positions } = this;
    const losses = tokens.slice(0, model.config.block_size).map((token_id, pos_id) => {
      const target = tokens[pos_id + 1] ?? model.bos;
      const isKnown = positions[pos_id]?.token_id === token_id;
      if (isKnown && positions[pos_id].target === target) return positions[pos_id].loss;
      this.backTo(pos_id + isKnown);
      if (isKnown) tape.clear(positions[pos_id].predicted);
      else this.gpt(token_id);
      const predicted = tape.mark();
      tape.begin(pos_id, null, "loss");
      const loss = tape.crossEntropy(positions[pos_id].logits, target);
      Object.assign(positions[pos_id], { predicted, target, loss, end: tape.mark() });
      return loss;
    });
    this.backTo(losses.length);
    tape.begin(null, null, "");
    return tape.mean(losses);
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
  if (typeof nodes === "number") return tape.data[nodes];
  if (Array.isArray(nodes)) return nodes.map((each) => numbersOf(each, tape));
  return Object.fromEntries(Object.entries(nodes).map(([name, each]) => [name, numbersOf(each, tape)]));
}

// What happens where a text is read, as Run.read() returns it.
function forward(model, tokens, changes = unchanged) {
  return new Run(model, changes).read(tokens);
}

// --- The parts of a logit --------------------------------------------------------------------------------------------

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
  return Array.from({ length: matrix.rows }, (_, i) =>
    dot(matrix.row(i).subarray(hs, hs + head_out.length), head_out),
  );
}

// No norm stands between the last layer and lm_head, so the logit of a token is the sum of what the parts add to it.
function logitParts(model, run, t, token) {
  const row = model.w.lm_head.row(token);
  return partsOf(model).map((part) => {
    const { key, layer, head } = part;
    if (key === "embedding") return { ...part, adds: dot(run.embedded[t], row) };
    const written = head === undefined ? run.mlps[layer][t].mlp_out : headWrites(model, run, part, t);
    return { ...part, adds: dot(written, row) };
  });
}

function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

function documentLoss(model, text, changes = unchanged) {
  const run = new Run(model, changes);
  return run.tape.data[run.documentLoss(encode(model, text))];
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
  const begin = encode(model, prompt);
  return Array.from({ length: num }, () => {
    const run = new Run(model, changes);
    const tokens = [...begin];
    for (let t = 0; t < Math.min(tokens.length, model.config.block_size); t++) {
      const logits = run.gpt(tokens[t]);
      if (t + 1 < tokens.length) continue;
      const token = random.choice(probabilities(numbersOf(logits, run.tape), temperature));
      if (token !== model.bos) tokens.push(token);
    }
    return tokens.slice(1).map((token) => model.characters[token]).join("");
  });
}
