// Run in the page: the largest difference between what it computes and `expected`, by kind of number. A difference that
// is no number, or lists of different lengths, count as infinite, which is null in JSON.
function largest(ours, theirs) {
  if (typeof theirs === "number") return Number.isFinite(ours) ? Math.abs(ours - theirs) : Infinity;
  if (ours?.length !== theirs.length) return Infinity;
  return theirs.reduce((max, each, i) => Math.max(max, largest(ours[i], each)), 0);
}

function run(name, changes = unchanged) {
  return forward(page.model, encode(page.model, name).slice(0, page.model.config.block_size), changes);
}

function compareUntouched({ names, logits, weights, losses }) {
  const runs = names.map((name) => run(name));
  const ofHeads = (at) => at[0].q_h.map((_, h) => at.map((each) => each.attn_weights[h]));
  const weightsOfAll = ({ layers }) => layers.map(ofHeads);
  return {
    logits: largest(runs.map((each) => each.logits), logits),
    weights: largest(runs.map(weightsOfAll), weights),
    losses: largest(names.map((name) => documentLoss(page.model, name)), losses),
  };
}

function compareSilenced({ names, silenced }) {
  const differences = silenced.map(({ layer, head, losses, logits }) => {
    const changes = { off: new Map([[`${layer}:${head}`, null]]), forbidden: new Set() };
    const ours = names.map((name) => documentLoss(page.model, name, changes));
    return Math.max(largest(ours, losses), ...logits.map((each, i) => largest(run(names[i], changes).logits, each)));
  });
  return { silenced: Math.max(...differences) };
}

// In all heads.
function compareForbidden({ names, forbidden }) {
  const keys = headsOf(page.model).map(({ key }) => key);
  const differences = forbidden.flatMap(({ cells, logits }) => {
    const all = keys.flatMap((key) => cells.map(([t, s]) => `${key}:${t}:${s}`));
    const changes = { off: new Map(), forbidden: new Set(all) };
    return logits.map((each, i) => largest(run(names[i], changes).logits, each));
  });
  return { forbidden: Math.max(...differences) };
}

// What is shown of each head in numbers, beside `microgpt inspect --text`.
function compareRows({ names, rows }) {
  const differences = rows.map(({ layer, head, at, strongest: order, scores, query, output, written }) => {
    change({ text: names[0], layer, head, at });
    const facts = headFacts(shown);
    const ours = strongest(facts.weights, facts.seen, 5);
    const writes = headWrites(page.model, shown.now, { layer, head }, at);
    const shownHere = [ours, ours.map((s) => facts.scores[s]), facts.query, facts.output, writes];
    return largest(shownHere, [order, scores, query, output, written]);
  });
  return { rows: Math.max(...differences) };
}

// What the parts of the model add to every logit, and all losses without each part.
function compareWhy({ names, why }) {
  const { model } = page;
  const now = run(names[0]);
  const t = now.logits.length - 1;
  const tokens = [...now.logits[t].keys()];
  const parts = tokens.map((token) => logitParts(model, now, t, token));
  const losses = partsOf(model).map(({ key }) => {
    const { logits } = run(names[0], { off: new Map([[key, null]]), forbidden: new Set() });
    return tokens.map((token) => crossEntropy(logits[t], token));
  });
  return {
    why_adds: largest(partsOf(model).map((_, i) => parts.map((each) => each[i].adds)), why.adds),
    why_losses: largest(losses, why.losses),
  };
}

function isSame(ours, theirs) {
  return JSON.stringify(ours) === JSON.stringify(theirs) ? 0 : Infinity;
}

// The largest difference between two lists as a share of the number itself. What cancels to less than a millionth of a
// millionth of the largest number has no digits left to compare.
function largestShare(ours, theirs) {
  const floor = 1e-12 * Math.max(...theirs.map(Math.abs));
  return theirs.reduce((max, each, i) => Math.max(max, largest(ours[i], each) / Math.max(Math.abs(each), floor)), 0);
}

// The tape of the program's scalar engine, node by node, parameters first; and gradients as the sum of what parents add.
function compareTape(name, { ops, data, grads, children }) {
  const graph = new Graph(page.model, name);
  const parameters = Array.from({ length: page.model.numbers.length }, (_, at) => -1 - at);
  const nodes = [...parameters, ...Array(graph.tape.size).keys()];
  const reached = new Set(graph.reached);
  // Some of all that backward() came by; and of the parameters those of embeddings, and some others.
  const isWayBack = (node) => reached.has(node) && node !== graph.loss;
  const isTried = (node, i) => (node < 0 ? i < 700 || i % 97 === 0 : i % 7 === 0 && isWayBack(node));
  const some = nodes.filter(isTried);
  const gradient = (node) => graph.gradient(node);
  const sum = (node) => graph.parentsOf(node).reduce((total, { amount }) => total + amount, 0);
  const numbers = { data: [nodes.map((node) => graph.data(node)), data], grads: [nodes.map(gradient), grads] };
  const differences = Object.entries(numbers).map(([kind, lists]) => [kind, largest(...lists)]);
  return {
    ...Object.fromEntries(differences),
    share: Math.max(...Object.values(numbers).map((lists) => largestShare(...lists))),
    ops: isSame(nodes.map((node) => graph.op(node)), ops),
    children: isSame(nodes.map((each) => graph.childrenOf(each).map(({ node }) => graph.number(node))), children),
    contributions: isSame(some.map(sum), some.map(gradient)),
    labels: nodes.every((node) => graph.label(node)) ? 0 : Infinity,
  };
}

function compareTapes({ names, tapes }) {
  const found = tapes.map((tape, i) => compareTape(names[i], tape));
  const kinds = Object.keys(found[0] ?? {});
  return Object.fromEntries(kinds.map((kind) => [`tape_${kind}`, Math.max(...found.map((each) => each[kind]))]));
}

function compare(expected) {
  const parts = [compareUntouched, compareSilenced, compareForbidden, compareRows, compareWhy, compareTapes];
  return Object.assign({}, ...parts.map((part) => part(expected)));
}
