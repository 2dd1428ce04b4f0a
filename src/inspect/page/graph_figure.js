// A drawing of a walk down the graph: the nodes from the loss to the chosen one, those beside it, and its children.
// Only what is walked is drawn; of many children a few, and how many more there are.

// Sizes in pixels of the drawing, which is as wide as its place.
const nodeSizes = { gap: 8, moreWidth: 40, lineHeight: 17, edge: 34, fan: 58, groupGap: 18, narrow: 480 };

// Four digits, as the debugger writes numbers, or fewer.
function significant(x, digits = 4) {
  const isPlain = x === 0 || (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e4);
  const text = isPlain ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 1).replace(/\.?0+e/, "e");
  return text.replaceAll("-", "−");
}

// About as much of a text as fits, if a letter takes so many pixels.
function fitting(text, width, pixels) {
  const letters = [...text];
  const most = Math.max(3, Math.floor(width / pixels));
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

function placeText(graph, thing) {
  const { position, layer } = graph.labels.placeOf(thing);
  if (position === null) return "";
  return layer === null || graph.model.config.n_layer === 1
    ? `position ${position}`
    : `position ${position}, layer ${layer}`;
}

// What is new about the place of a child: where a walk down comes to another position, layer or part of the model.
function newPlace(graph, parent, child) {
  const [from, to] = [graph.labels.placeOf(parent), graph.labels.placeOf(child)];
  if (to.position === null) return "";
  const layer = to.layer === null || graph.model.config.n_layer === 1 ? "" : `layer ${to.layer}, `;
  const isSamePart = from.part === to.part && from.layer === to.layer;
  const words = [from.position === to.position ? "" : `position ${to.position}`, isSamePart ? "" : layer + to.part];
  return words.filter((word) => word !== "").join(", ");
}

// --- Where everything stands -----------------------------------------------------------------------------------------

// Nodes and parameters are two groups. Of each, as many as fit around the one at `center`, and stubs for the rest:
// [{ i, x, width } or { more, to, x, width }], `to` being the child that a click on the stub goes to.
function rowLayout(groups, center, width) {
  const { gap, groupGap } = nodeSizes;
  const ideal = width < nodeSizes.narrow ? 120 : 132;
  const share = (width - groupGap * (groups.length - 1)) / groups.length;
  const items = [];
  let x = 0;
  for (const { from, count } of groups) {
    for (const item of groupItems(from, count, center, share, ideal)) {
      items.push({ ...item, x });
      x += item.width + gap;
    }
    x += groupGap - gap;
  }
  const shift = (width - (x - groupGap)) / 2;
  return items.map((item) => ({ ...item, x: item.x + shift }));
}

function groupItems(from, count, center, share, ideal) {
  const { gap, moreWidth } = nodeSizes;
  const boxes = (first, n, width) => Array.from({ length: n }, (_, k) => ({ i: first + k, width }));
  if (count * (ideal + gap) - gap <= share) return boxes(from, count, ideal);
  const isTight = share < ideal + 2 * (moreWidth + gap); // room for one stub only
  const slots = isTight ? 1 : Math.floor((share - 2 * (moreWidth + gap) + gap) / (ideal + gap));
  const middle = center >= from && center < from + count ? center - from : 0;
  const first = Math.max(0, Math.min(middle - Math.floor(slots / 2), count - slots));
  const before = isTight ? 0 : first;
  const after = count - before - slots;
  const stub = (more, to) => (more > 0 ? [{ more, to: from + to, width: moreWidth }] : []);
  const room = share - (before > 0) * (moreWidth + gap) - (after > 0) * (moreWidth + gap);
  const width = Math.min((room + gap) / slots - gap, 1.3 * ideal);
  return [...stub(before, first - 1), ...boxes(from + first, slots, width), ...stub(after, (first + slots) % count)];
}

function groupsOf(children) {
  const nodes = children.filter(({ child }) => child.at === undefined).length;
  return [
    { from: 0, count: nodes },
    { from: nodes, count: children.length - nodes },
  ].filter(({ count }) => count > 0);
}

// --- Boxes and lines -------------------------------------------------------------------------------------------------

function signClass(x) {
  return x < 0 ? "down" : x > 0 ? "up" : "none";
}

// A treeitem. `about` tells its place in the tree: { level, i, count, isOpen, isCurrent, go }.
function treeItem(thing, about, ...drawn) {
  const { level, i, count, isOpen, isCurrent = false, isOnPath, go } = about;
  const how = {
    ...{ role: "treeitem", class: `node${isCurrent ? " current" : ""}${isOnPath ? " on-path" : ""}`, click: go },
    ...{ tabindex: isCurrent ? 0 : -1, "data-key": isCurrent ? "node" : null, "aria-selected": String(isCurrent) },
    ...{ "aria-level": level, "aria-posinset": i + 1, "aria-setsize": count },
    "aria-expanded": thing.arity > 0 ? String(isOpen) : null,
  };
  return svg("g", how, ...drawn);
}

function ancestorHeight(width) {
  return width < nodeSizes.narrow ? 46 : 30;
}

// One line: operation, label, data, grad; or two, where there is little room.
function ancestorBox(graph, thing, { y, width }, about) {
  const wide = Math.min(width, 480);
  const [left, right] = [(width - wide) / 2, (width + wide) / 2];
  const height = ancestorHeight(width);
  const isNarrow = width < nodeSizes.narrow;
  const [first, last] = [y + 19.5, isNarrow ? y + 36 : y + 19.5];
  const label = fitting(graph.labels.textOf(thing), isNarrow ? wide - 68 : wide - 270, 7);
  const grad = { class: signClass(thing.grad), x: right - 9, y: last, "text-anchor": "end" };
  const data = isNarrow ? { x: left + 58, y: last } : { x: right - 120, y: last, "text-anchor": "end" };
  return treeItem(
    thing,
    about,
    svg("rect", { class: "box", x: left + 0.5, y: y + 0.5, width: wide - 1, height: height - 1, rx: 6 }),
    svg("text", { class: "op", x: left + 9, y: first }, thing.op),
    svg("text", { class: "name", x: left + 58, y: first }, label),
    svg("text", data, `data ${significant(thing.data)}`),
    svg("text", grad, `grad ${significant(thing.grad)}`),
  );
}

const boxHeight = 5 * nodeSizes.lineHeight + 11;

// Five lines: name; index, or place; operation; data; grad.
function nodeBox(graph, thing, { x, y, width }, about) {
  const { name, index } = graph.labels.of(thing);
  const [left, right] = [x + 9, x + width - 9];
  const line = (i) => y + (i + 1) * nodeSizes.lineHeight;
  const row = (i, what, value, how) => [
    svg("text", { class: "quiet", x: left, y: line(i) }, what),
    svg("text", { class: how, x: right, y: line(i), "text-anchor": "end" }, value),
  ];
  return treeItem(
    thing,
    about,
    svg("rect", { class: "box", x: x + 0.5, y: y + 0.5, width: width - 1, height: boxHeight - 1, rx: 8 }),
    svg("text", { class: "name", x: left, y: line(0) }, fitting(name.replace(/^layer\d+\./, ""), width - 16, 7)),
    svg("text", { class: "quiet", x: left, y: line(1) }, fitting(index || placeText(graph, thing), width - 16, 6)),
    ...row(2, "op", thing.op, "op"),
    ...row(3, "data", significant(thing.data), null),
    ...row(4, "grad", significant(thing.grad), signClass(thing.grad)),
  );
}

function moreBox({ more, x, width }, y, go) {
  const middle = x + width / 2;
  const words = ["and", String(more), "more"];
  return svg(
    "g",
    { class: "more", "aria-hidden": "true", click: go },
    svg("rect", { class: "box", x: x + 0.5, y: y + 0.5, width: width - 1, height: boxHeight - 1, rx: 8 }),
    ...words.map((word, i) =>
      svg("text", { x: middle, y: y + boxHeight / 2 - 12 + i * 16, "text-anchor": "middle" }, word),
    ),
  );
}

// Words beside the end of a line.
function besideLine(x, y, isLeft, words) {
  const how = { x: isLeft ? x - 8 : x + 8, y: y - 7, "text-anchor": isLeft ? "end" : "start" };
  return svg("text", { class: "halo", ...how }, words);
}

// A line from (x1, y1) down to (x2, y2), with the local derivative beside its end, in as many digits as there is room
// for. `share` is its part of the largest.
function edgeLine({ x1, y1, x2, y2, room }, { local, amount, share }) {
  const texts = [4, 3, 2, 1].map((digits) => `× ${significant(local, digits)}`);
  const text = texts.find((each) => 7 * each.length < room) ?? texts.at(-1);
  const bend = (y2 - y1) * 0.55;
  const d = `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - 14 - bend * 0.6} ${x2} ${y2}`;
  const line = svg("path", { d, "stroke-width": (1 + 3.5 * share).toFixed(1) });
  return svg("g", { class: `edge ${signClass(amount)}` }, line, besideLine(x2, y2, x2 < x1, text));
}

// --- The drawing -----------------------------------------------------------------------------------------------------

// steps: as Graph.follow() gives them. isOpen: whether the chosen thing, the last, shows its children; `below` is the
// one to show in the middle of them. go(path) chooses the thing at a path, peek(i) shows child i of the chosen one.
function graphFigure(graph, steps, { width, isOpen, below, go, peek }) {
  const path = steps.slice(1).map(({ i }) => i);
  const walk = { graph, steps, path, width, isOpen, below, go, peek, edges: svg("g", { "aria-hidden": "true" }) };
  const { nodes: above, height } = ancestors(walk);
  const rows = chosenRows(walk, height);
  const size = { width, height: rows.height + 4, viewBox: `0 -2 ${width} ${rows.height + 4}` };
  const name = "The graph from the loss down to the chosen node";
  return svg("svg", { class: "graph", ...size, role: "tree", "aria-label": name }, walk.edges, ...above, ...rows.nodes);
}

// What stands above the chosen node, a line each.
function ancestors({ graph, steps, path, width, go, edges }) {
  const distance = ancestorHeight(width) + nodeSizes.edge;
  const above = steps.slice(0, -1);
  const nodes = above.map(({ thing, i, local }, level) => {
    const y = level * distance;
    const parent = above[level - 1]?.thing;
    const count = parent ? graph.childrenOf(parent).length : 1;
    if (parent) {
      const line = { x1: width / 2, y1: y - nodeSizes.edge, x2: width / 2, y2: y, room: 120 };
      const which = count > 1 ? `child [${i}] of ${count}` : "";
      edges.append(edgeLine(line, { local, amount: local * parent.grad, share: 0.5 }));
      edges.append(besideLine(width / 2, y, true, which));
      edges.append(besideLine(width / 2 + Math.min(width, 480) / 2, y, true, newPlace(graph, parent, thing)));
    }
    const about = { level: level + 1, i, count, isOpen: true, isOnPath: true, go: () => go(path.slice(0, level)) };
    return ancestorBox(graph, thing, { y, width }, about);
  });
  return { nodes, height: Math.max(0, above.length * distance - nodeSizes.edge) };
}

// The chosen node among the children of its parent, and its own children.
function chosenRows(walk, y) {
  const { graph, steps, path, width, isOpen } = walk;
  const { thing, i: chosen } = steps.at(-1);
  const parent = steps.at(-2)?.thing ?? null;
  const siblings = parent ? graph.childrenOf(parent) : [{ child: thing, local: 1 }];
  const top = parent ? y + nodeSizes.fan : 0;
  const from = { parent, x: width / 2, y, path: path.slice(0, -1) };
  const beside = childrenRow(walk, from, siblings, chosen, top);
  const children = isOpen ? graph.childrenOf(thing) : [];
  if (children.length === 0) return { nodes: beside.nodes, height: top + boxHeight };
  const { x, width: wide } = beside.items.find(({ i }) => i === chosen);
  const next = top + boxHeight + nodeSizes.fan;
  const below = childrenRow(walk, { parent: thing, x: x + wide / 2, y: top + boxHeight, path }, children, null, next);
  const at = beside.items.findIndex(({ i }) => i === chosen) + 1;
  const nodes = [...beside.nodes.slice(0, at), ...below.nodes, ...beside.nodes.slice(at)]; // a tree is read depth first
  return { nodes, height: next + boxHeight };
}

// `from` is their parent, null above the loss, with its path and where its lines begin.
function childrenRow(walk, from, children, chosen, y) {
  const { graph, width, isOpen, go, peek, edges } = walk;
  const amounts = children.map(({ local }) => local * (from.parent?.grad ?? 0));
  const largest = Math.max(...amounts.map(Math.abs), 1e-300);
  const pathOf = (i) => (from.parent ? [...from.path, i] : []);
  const items = rowLayout(groupsOf(children), chosen ?? walk.below, width);
  const nodes = items.map((item) => {
    if (item.more) return moreBox(item, y, () => (chosen === null ? peek(item.to) : go(pathOf(item.to))));
    const { child, local } = children[item.i];
    const amount = amounts[item.i];
    const x2 = item.x + item.width / 2;
    const room = Math.min(item.width - 6, (x2 < from.x ? x2 : width - x2) - 8);
    const line = { x1: from.x, y1: from.y, x2, y2: y, room };
    if (from.parent) edges.append(edgeLine(line, { local, amount, share: Math.abs(amount) / largest }));
    const isCurrent = item.i === chosen;
    const about = { level: from.path.length + 2, i: item.i, count: children.length, isOpen: isCurrent && isOpen };
    return nodeBox(graph, child, { ...item, y }, { ...about, isCurrent, go: () => go(pathOf(item.i)) });
  });
  return { items, nodes };
}
