// Run in the page: the largest difference between what it computes and `expected`, by kind of number. A difference that
// is no number, or lists of different lengths, count as infinite, which is null in JSON.
function largest(ours, theirs) {
  if (typeof theirs === "number") return Number.isFinite(ours) ? Math.abs(ours - theirs) : Infinity;
  if (ours?.length !== theirs.length) return Infinity;
  return theirs.reduce((max, each, i) => Math.max(max, largest(ours[i], each)), 0);
}

function run(name, changes = unchanged) {
  const { model } = state.models[0];
  return forward(model, encode(model, name).slice(0, model.config.block_size), changes);
}

function compareUntouched({ names, logits, weights, losses, means }) {
  const { model } = state.models[0];
  const runs = names.map((name) => run(name));
  const ours = names.map((name) => documentLoss(model, name));
  return {
    logits: Math.max(...runs.map((each, i) => largest(each.logits, logits[i]))),
    weights: Math.max(...runs.map((each, i) => largest(each.weights, weights[i]))),
    losses: largest(ours, losses),
    means: largest(meanOutputs(model, names).flat(), means),
  };
}

function compareSilenced({ names, silenced }) {
  const { model } = state.models[0];
  const differences = silenced.map(({ layer, head, losses, logits }) => {
    const changes = { off: new Map([[`${layer}:${head}`, null]]), forbidden: new Set() };
    const ours = names.map((name) => documentLoss(model, name, changes));
    return Math.max(largest(ours, losses), ...logits.map((each, i) => largest(run(names[i], changes).logits, each)));
  });
  return { silenced: Math.max(...differences) };
}

// In all heads; and, in models of one layer, in one head.
function compareForbidden({ names, forbidden, forbidden_in_head }) {
  const keys = headsOf(state.models[0].model).map(({ key }) => key);
  const changesOf = (cells) => ({ off: new Map(), forbidden: new Set(cells) });
  const everywhere = forbidden.flatMap(({ cells, logits }) => {
    const changes = changesOf(keys.flatMap((key) => cells.map(([t, s]) => `${key}:${t}:${s}`)));
    return logits.map((each, i) => largest(run(names[i], changes).logits, each));
  });
  const inOneHead = forbidden_in_head.flatMap(({ head, t, s, logits }) => {
    const changes = changesOf([`0:${head}:${t}:${s}`]);
    return logits.map((each, i) => largest(run(names[i], changes).logits[t], each));
  });
  return { forbidden: Math.max(...everywhere), forbidden_in_head: Math.max(0, ...inOneHead) };
}

// What section 3 shows of each head, beside `microgpt inspect --text`.
function compareRows({ names, rows }) {
  const differences = rows.map(({ layer, head, at, strongest: order, scores, query, output, written: reaches }) => {
    change({ text: names[0], layer, head, at });
    const facts = headFacts(state.shown);
    const ours = strongest(facts.weights, facts.seen, 5);
    const theirs = [order, scores, query, output, reaches];
    const scoresOf = ours.map((s) => facts.scores[s]);
    const writes = headWrites(state.shown.model, state.shown.now, { layer, head }, at);
    return largest([ours, scoresOf, facts.query, facts.here.head_out[head], writes], theirs);
  });
  return { rows: Math.max(...differences) };
}

// What the parts of the model add to every logit, and all losses without each part. In the page, too, the parts add up.
function compareWhy({ names, why }) {
  const { model } = state.models[0];
  const now = run(names[0]);
  const t = now.logits.length - 1;
  const tokens = [...now.logits[t].keys()];
  const parts = tokens.map((token) => logitParts(model, now, t, token));
  const adds = partsOf(model).map((_, i) => parts.map((each) => each[i].adds));
  const losses = partsOf(model).map(({ key }) => {
    const { logits } = run(names[0], { off: new Map([[key, null]]), forbidden: new Set() });
    return tokens.map((token) => crossEntropy(logits[t], token));
  });
  const sums = parts.map((each) => each.reduce((sum, part) => sum + part.adds, 0));
  return {
    why_adds: largest(adds, why.adds),
    why_losses: largest(losses, why.losses),
    why_sums: largest(sums, now.logits[t]) <= 1e-12 ? 0 : Infinity,
  };
}

// Every number of the picture at the last position of a name, for check.py to compute again: [how it is made, in all
// digits; the same number of the model; the row of weights that is named, or null].
function cellsInFull(name) {
  change({ text: name, at: name.length });
  const { now, model } = state.shown;
  const { at } = state;
  const before = { fixed, productsText };
  fixed = String;
  productsText = (row, by) => row.map((x, j) => `${x} · ${by[j]}`).join(" + ");
  const cells = cellLists(state.shown);
  const ofModel = ({ box, name, index }, i) => {
    const [layer, head] = box.split(/[: ]/);
    if (box === "embedding") return name === "x" ? now.embedded[at][i] : undefined;
    if (box === "next") return { logits: now.logits, probs: now.probs }[name][at][i];
    const here = (box.includes("mlp") ? now.mlps : now.layers)[layer][at];
    const list = here[{ q: "q_h", k: "k_h", v: "v_h" }[name] ?? name];
    return /^\d+$/.test(head) && name !== "x_norm" ? list?.[head][index[i]] : list?.[i];
  };
  const rowOf = (line) => {
    const [, matrix, row] = line.match(/ = (\S+)\[(\d+)\] · /) ?? [];
    return matrix ? [...model.w[matrix].row(Number(row))] : null;
  };
  const all = cells.lists.flatMap((list) =>
    list.nodes.map((_, i) => {
      const line = cellLine(cells, list, i);
      return [line, ofModel(list, i) ?? null, rowOf(line)];
    }),
  );
  ({ fixed, productsText } = before);
  return all;
}

function isSame(ours, theirs) {
  return JSON.stringify(ours) === JSON.stringify(theirs) ? 0 : Infinity;
}

// The largest difference between two lists as a share of the number itself. What cancels to less than a millionth of a
// millionth of the largest number has no digits left to compare.
function largestShare(ours, theirs) {
  if (ours.length !== theirs.length) return Infinity;
  const floor = 1e-12 * Math.max(...theirs.map(Math.abs));
  return theirs.reduce((max, each, i) => Math.max(max, largest(ours[i], each) / Math.max(Math.abs(each), floor)), 0);
}

function labelsOf(run, loss) {
  const labels = new Labels(run, loss);
  return Array.from({ length: loss + 1 }, (_, number) => labels.textOf({ number }));
}

// A text that is read on from another one is as if read anew; so is its tape, with its labels.
function compareKept({ names }) {
  const { model } = state.models[0];
  const [reading, losing] = [0, 1].map(() => new Run(model, unchanged, new Tape(model.numbers)));
  const texts = names.slice(0, 5).map((name) => [...name]);
  const differences = texts.flatMap((text) => [text.slice(0, 2), text, text, text.slice(0, -1)]).map((letters) => {
    const tokens = encode(model, letters.join(""));
    const within = tokens.slice(0, model.config.block_size);
    const anew = new Run(model);
    const loss = anew.documentLoss(tokens);
    const same = losing.documentLoss(tokens) === loss && losing.tape.data[loss] === anew.tape.data[loss];
    const tapes = [anew, losing].map(({ tape }) => [tape.size, tape.numEdges, tape.places, [...tape.rows]]);
    const labels = [anew, losing].map((run) => hasGraph(model) && labelsOf(run, loss));
    return (same ? 0 : Infinity) + isSame(...tapes) + isSame(...labels) + isSame(reading.read(within), forward(model, within));
  });
  return { kept: Math.max(...differences) };
}

// The tape of the program's scalar engine, node by node, and every gradient as the sum of what the parents add.
function compareTape(name, { ops, data, grads, children, parameter_grads }) {
  const graph = new Graph(state.models[0].model, name);
  const nodes = Array.from({ length: graph.tape.size }, (_, number) => graph.node(number));
  const sum = (thing) => graph.parentsOf(thing).reduce((total, { amount }) => total + amount, 0);
  const passed = nodes.filter((node) => graph.reached.includes(node.number) && node !== graph.loss);
  const weights = Object.values(graph.model.w)
    .filter((matrix) => !["wte", "wpe"].includes(matrix.name))
    .map((matrix) => graph.parameter(matrix.at + matrix.data.length - 1));
  const all = [...passed, ...weights];
  const list = (key, things) => things.map((thing) => thing[key]);
  const numbers = { data: [list("data", nodes), data], grads: [list("grad", nodes), grads] };
  numbers.parameter_grads = [[...graph.grads], parameter_grads];
  const differences = Object.entries(numbers).map(([kind, lists]) => [kind, largest(...lists)]);
  return {
    ...Object.fromEntries(differences),
    share: Math.max(...Object.values(numbers).map((lists) => largestShare(...lists))),
    nodes: isSame(list("op", nodes), ops),
    children: isSame(nodes.map(({ number }) => graph.tape.childrenOf(number)), children),
    contributions: isSame(all.map(sum), list("grad", all)),
  };
}

function compareTapes({ names, tapes }) {
  const found = tapes.map((tape, i) => compareTape(names[i], tape));
  const kinds = Object.keys(found[0] ?? {});
  return Object.fromEntries(kinds.map((kind) => [`tape_${kind}`, Math.max(...found.map((each) => each[kind]))]));
}

function compare(expected) {
  const numbers = [compareUntouched, compareSilenced, compareForbidden, compareRows, compareWhy];
  const parts = [...numbers, compareKept, compareTapes];
  return Object.assign({}, ...parts.map((part) => part(expected)));
}
