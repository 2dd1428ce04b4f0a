// Run in the page: the largest difference between what it computes and `expected`, by kind of number. A difference that
// is no number, or lists of different lengths, count as infinite, which is null in JSON.
function largest(ours, theirs) {
  if (typeof theirs === "number") return Number.isFinite(ours) ? Math.abs(ours - theirs) : Infinity;
  if (ours?.length !== theirs.length) return Infinity;
  return theirs.reduce((max, each, i) => Math.max(max, largest(ours[i], each)), 0);
}

function compare(expected) {
  const { model } = state.models[0];
  const { names } = expected;
  const T = model.config.block_size;
  const logitsOf = (name, changes) => forward(model, encode(model, name).slice(0, T), changes).logits;
  const runs = names.map((name) => forward(model, encode(model, name).slice(0, T)));
  const found = {
    logits: largest(runs.map((run) => run.logits), expected.logits),
    weights: largest(runs.map((run) => run.weights), expected.weights),
    losses: largest(names.map((name) => documentLoss(model, name)), expected.losses),
    means: largest(meanOutputs(model, names).flat(), expected.means),
    silenced: 0, forbidden: 0, forbidden_in_head: 0, rows: 0,
  };
  const note = (kind, difference) => (found[kind] = Math.max(found[kind], difference));
  for (const { layer, head, losses, logits } of expected.silenced) {
    const changes = { off: new Map([[`${layer}:${head}`, null]]), forbidden: new Set() };
    note("silenced", largest(names.map((name) => documentLoss(model, name, changes)), losses));
    note("silenced", largest(logits.map((_, i) => logitsOf(names[i], changes)), logits));
  }
  for (const { cells, logits } of expected.forbidden) {
    const forbidden = new Set(headKeys(model).flatMap((key) => cells.map(([t, s]) => `${key}:${t}:${s}`)));
    note("forbidden", largest(logits.map((_, i) => logitsOf(names[i], { off: new Map(), forbidden })), logits));
  }
  for (const { head, t, s, logits } of expected.forbidden_in_head) {
    const changes = { off: new Map(), forbidden: new Set([`0:${head}:${t}:${s}`]) };
    note("forbidden_in_head", largest(logits.map((_, i) => logitsOf(names[i], changes)[t]), logits));
  }
  for (const { layer, head, at, strongest: order, scores, query, output, written: reaches } of expected.rows) {
    change({ text: names[0], layer, head, at });
    const facts = headFacts(state.shown);
    const ours = strongest(facts.weights, facts.seen, 5);
    note("rows", largest([ours, ours.map((s) => facts.scores[s]), facts.query, facts.here.head_out[head], written(state.shown)],
                         [order, scores, query, output, reaches]));
  }
  return found;
}
