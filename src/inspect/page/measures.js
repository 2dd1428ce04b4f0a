// Measures of a row of weights, as in src/inspect/heads.h, for what is computed in the page.

// The loss of one who knows nothing, and gives every token the same probability.
function guessingLoss(model) {
  return Math.log(model.bos + 1);
}

// -sum of a ln a as a share of its largest, ln(visible positions); of a row that sees more than one.
function rowEntropy(weights, seen) {
  const entropy = seen.reduce((sum, s) => sum - (weights[s] > 0 ? weights[s] * Math.log(weights[s]) : 0), 0);
  return entropy / Math.log(seen.length);
}

// The positions that t sees, with what the reader forbade taken out.
function seenFrom(model, layer, head, t, { forbidden } = unchanged) {
  return Array.from({ length: t + 1 }, (_, s) => s).filter(
    (s) => allows(model, t, s) && !forbidden.has(`${layer}:${head}:${t}:${s}`),
  );
}

// The n largest weights of the visible positions; equal ones in the order of their positions.
function strongest(weights, seen, n) {
  return [...seen].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, n);
}

// That of a list of which `of` says most; of equal ones the first.
function most(list, of) {
  return list.reduce((a, b) => (of(b) > of(a) ? b : a));
}

// Which of some chances is the largest.
function likeliest(probs) {
  return most([...probs.keys()], (token) => probs[token]);
}

// A head's output, D numbers, averaged over all positions of all names that the model can read.
function meanOutputs(model, names) {
  const { n_layer, n_head: H, n_embd: C } = model.config;
  const sums = Array.from({ length: n_layer }, () => new Float64Array(C));
  let rows = 0;
  for (const name of names) {
    if ([...name].some((character) => !model.tokens.has(character))) continue;
    const { layers } = forward(model, encode(model, name).slice(0, model.config.block_size));
    rows += layers[0].length;
    layers.forEach((positions, li) =>
      positions.forEach(({ x_attn }) => x_attn.forEach((x, i) => (sums[li][i] += x))),
    );
  }
  return sums.map((sum) =>
    slices(sum.map((x) => x / Math.max(rows, 1)), H),
  );
}

// A set with one thing more, or without it.
function toggled(set, key) {
  return new Set(set.has(key) ? [...set].filter((each) => each !== key) : [...set, key]);
}

// n of a list, evenly spread over it and in its order; all of a shorter one.
function spread(list, n) {
  const place = (i) => Math.floor((i * n) / list.length);
  return list.length <= n ? list : list.filter((_, i) => place(i) !== place(i + 1));
}
