// Graph: a walk from the loss of the text down to a single parameter, node by node. A node is shown between the nodes
// that it went into, above, and those that it was computed from, below.

// What an operation does, and its local gradients; by the number of children where that makes a difference.
const operations = {
  "+ 1": "It adds a fixed number to its child. The local gradient is 1.",
  "+ 2": "It adds its two children. Both local gradients are 1, so its gradient goes on unchanged.",
  "* 1": "It multiplies its child by a fixed number, and that number is the local gradient.",
  "* 2": "It multiplies its two children. The local gradient of each is the other one.",
  pow: "It raises its child to a fixed power p. The local gradient is p times the child to the power p − 1.",
  log: "It is the logarithm of its child. The local gradient is 1 divided by the child.",
  exp: "It is e to the power of its child. It is its own local gradient.",
  relu: "It is its child if that is positive, else 0. The local gradient is 1, or 0.",
  sum: "It adds all its children. Every local gradient is 1.",
  dot:
    "It multiplies two lists, number by number, and adds up the products. The local gradient of each number is " +
    "its partner in the other list.",
  parameter: "A step of training moves it against its gradient.",
};

let graph = null; // of the text that was shown last, since it takes some milliseconds
let graphText = null;

function goToNode(node, key = null) {
  change({ node });
  const place = byId("graph-drawing");
  if (key === null) place.querySelector(".current").focus();
  else focusKey(byId("graph-view"), key);
}

// --- The drawing -----------------------------------------------------------------------------------------------------

function signClass(x) {
  return x < 0 ? "down" : x > 0 ? "up" : "none";
}

// Labels hold single letters of any script; they are written from left to right.
function labelOf(node) {
  return element("bdo", { dir: "ltr" }, graph.label(node));
}

function nodeBox(node, local) {
  const line = (name, value, how) => element("span", name, element("b", { class: how }, value));
  const isCurrent = local === null;
  const gradient = graph.gradient(node);
  return button(
    { class: isCurrent ? "node current" : "node", "data-key": isCurrent && "node", click: () => goToNode(node) },
    element("strong", labelOf(node)),
    element("small", graph.place(node)),
    line("op", graph.op(node)),
    line("data", significant(graph.data(node))),
    line("grad", significant(gradient), signClass(gradient)),
    isCurrent ? [] : line("local", significant(local)),
  );
}

// A row of those that matter most, as many as there is room for, and the lines between them and the chosen node.
function neighbours(nodes, room, isAbove) {
  if (nodes.length === 0) return [];
  const bySize = [...nodes].sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const drawn = nodes.filter((each) => bySize.indexOf(each) < room);
  const largest = Math.abs(bySize[0].amount) || 1;
  const lines = drawn.map(({ amount }, i) => {
    const x = (100 * (i + 0.5)) / drawn.length;
    const d = isAbove ? `M50 100C50 40 ${x} 60 ${x} 0` : `M50 0C50 60 ${x} 40 ${x} 100`;
    const width = 1 + (4 * Math.abs(amount)) / largest;
    return svg("path", { class: signClass(amount), d, "stroke-width": width });
  });
  const gone = nodes.length - drawn.length;
  const more = gone > 0 ? element("small", `and ${gone} more`) : null;
  const row = element("div", { class: "nodes" }, drawn.map(({ node, local }) => nodeBox(node, local)));
  const between = svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, lines);
  return isAbove ? [more, row, between] : [between, row, more];
}

// --- The chosen node in words ----------------------------------------------------------------------------------------

// What the gradient says about a parameter, and what a small step of it really does.
function nudged(node) {
  const step = 0.001;
  const { numbers } = graph.model;
  const at = -1 - node;
  const before = numbers[at];
  numbers[at] = before + step;
  const difference = documentLoss(graph.model, state.text) - graph.data(graph.loss);
  numbers[at] = before;
  const expected = `${step} × ${significant(graph.gradient(node))} = ${significant(step * graph.gradient(node))}`;
  return (
    `If it were ${step} more, the loss should change by about ${expected}. Computed anew, the loss changes by ` +
    `${significant(difference)}.`
  );
}

// A line for each node, of the largest amount first: local gradient × gradient = amount.
function amountTable(name, heading, nodes, gradientOf, last = []) {
  const bySize = [...nodes].sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const rows = bySize.map(({ node, local, amount }) => {
    const name = button({ class: "link", click: () => goToNode(node) }, labelOf(node));
    const style = `width: ${(3.5 * Math.abs(amount)) / Math.abs(bySize[0].amount || 1)}rem`;
    const bar = element("span", { class: `amount-bar ${signClass(amount)}`, style });
    const sum = `${significant(local)} × ${significant(gradientOf(node))} = ${significant(amount)}`;
    return tableRow([name, element("small", graph.place(node))], [[sum, bar]]);
  });
  return wideTable(name, tableHead([name, heading]), element("tbody", rows, last));
}

function describeNode(node, parents, children) {
  const op = graph.op(node);
  const gradient = graph.gradient(node);
  const number = (word, x, how) =>
    element("span", explained(`[${word}] `), element("b", { class: how }, significant(x)));
  const numbers = [number("data|node", graph.data(node)), number("gradient", gradient, signClass(gradient))];
  const where = node < 0 ? "a parameter of the model" : graph.place(node) || "of the whole text";
  const said = [
    element("h3", labelOf(node)),
    element("p", { class: "note" }, `Node #${graph.number(node)}, ${where}. Operation: ${op}.`),
    element("p", { class: "numbers" }, numbers),
    element("p", operations[node < 0 ? "parameter" : op] ?? operations[`${op} ${children.length}`]),
    node < 0 ? element("p", nudged(node)) : null,
    element("h4", `Why its gradient is ${significant(gradient)}`),
  ];
  if (node === graph.loss) {
    said.push(element("p", "The way back begins here: the loss grows as fast as itself."));
  } else {
    const total = parents.reduce((sum, { amount }) => sum + amount, 0); // in the order of backward(), the debugger's
    const verdict = total === gradient ? "its gradient, to the last bit" : "which is not its gradient";
    const sum = tableRow(["sum", element("small", verdict)], [significant(total)], { class: "total" });
    const heading = "[local gradient] × its gradient = what it adds";
    said.push(amountTable("parent", heading, parents, (parent) => graph.gradient(parent), sum));
  }
  if (children.length > 0) {
    const heading = "local gradient × this gradient = what it gets";
    said.push(element("h4", "What it hands on to its children"));
    said.push(amountTable("child", heading, children, () => gradient));
  }
  return said;
}

// --- The section -----------------------------------------------------------------------------------------------------

function showGraph(shown) {
  const able = hasGraph(shown.model);
  byId("graph-view").hidden = !able;
  byId("cannot-graph").hidden = able;
  if (!able) return;
  if (graphText !== state.text) [graph, graphText] = [new Graph(shown.model, state.text), state.text];
  const isNode = state.node !== null && state.node < graph.tape.size && state.node >= -graph.model.numbers.length;
  const node = isNode ? state.node : graph.run.losses[shown.at]; // the loss of what comes after the letter
  const [parents, children] = [graph.parentsOf(node), graph.childrenOf(node)];
  byId("graph-size").textContent = counted(graph.tape.size);
  byId("graph-changed").hidden = !shown.isChanged;
  byId("graph-end").textContent = node < 0 ? "This is a number that training moves." : "";
  // One step goes where most of the gradient goes, or whence most of it comes.
  for (const [id, nodes] of [["graph-down", children], ["graph-up", parents]]) {
    byId(id).disabled = nodes.length === 0;
    byId(id).onclick = () => goToNode(most(nodes, ({ amount }) => Math.abs(amount)).node, id);
  }
  const room = Math.max(2, Math.floor(byId("graph-drawing").clientWidth / 150));
  const [above, below] = [neighbours(parents, room, true), neighbours(children, room, false)];
  renew(byId("graph-drawing"), above, nodeBox(node, null), below);
  renew(byId("graph-node"), describeNode(node, parents, children));
}
