// The chosen node of the graph: what it is, why its gradient is what it is, and what it hands back to its children.

const linesShown = 5; // of a table, before "and n more"

// What an operation does, and its local derivatives; by the number of children where that makes a difference.
const operations = {
  "+ 1": "It adds a fixed number to its child. The local derivative is 1.",
  "+ 2": "It adds its two children. Both local derivatives are 1, so its gradient goes on unchanged.",
  "* 1": "It multiplies its child by a fixed number, and that number is the local derivative.",
  "* 2": "It multiplies its two children. The local derivative of each is the other one.",
  pow: "It raises its child to a fixed power p. The local derivative is p times the child to the power p − 1.",
  log: "It is the logarithm of its child. The local derivative is 1 divided by the child.",
  exp:
    "It is e to the power of its child, less the largest child of its row, so that no number grows too large. It is " +
    "its own local derivative.",
  relu: "It is its child if that is positive, else 0. The local derivative is 1, or 0.",
  sum: "It adds all its children. Every local derivative is 1.",
  dot:
    "It multiplies two lists, number by number, and adds up the products. The local derivative of each number is " +
    "its partner in the other list.",
  linear:
    "It multiplies a list by a row of parameters, number by number, and adds up the products. The local derivative " +
    "of each number is its partner in the other.",
  parameter: "It is a parameter: a step of training moves it against its gradient.",
};

function describePlace(graph, thing) {
  const { position, layer, part } = graph.labels.placeOf(thing);
  const number = thing.at === undefined ? `Node #${thing.number}` : "No node: its parents read it from its matrix";
  const ofLayer = layer === null ? "" : ` of layer ${layer}`;
  const where = position === null ? "" : ` at position ${position}, in the ${part}${ofLayer}`;
  return `${number}${where}. Operation: ${thing.op}.`;
}

function describeThing(graph, thing) {
  const number = (word, x, how = null) =>
    element("span", ...explained(`[${word}] `), element("b", { class: how }, significant(x)));
  const numbers = [number("data|node", thing.data), number("gradient", thing.grad, signClass(thing.grad))];
  return [
    element("h3", element("bdi", graph.labels.textOf(thing))),
    element("p", { class: "note" }, describePlace(graph, thing)),
    element("p", { class: "numbers" }, numbers),
    element("p", operations[thing.op] ?? operations[`${thing.op} ${thing.arity}`]),
  ];
}

// What the gradient says about a parameter, and what a small step of it really does.
function nudged(graph, thing) {
  if (thing.op !== "parameter") return [];
  const step = 0.001;
  const at = thing.at ?? graph.tape.placeInNumbers(thing.number);
  const { numbers } = graph.model;
  const before = numbers[at];
  numbers[at] = before + step;
  const difference = documentLoss(graph.model, state.text) - graph.loss.data;
  numbers[at] = before;
  const words =
    `If it were ${step} more, the loss should change by about ${step} × ${significant(thing.grad)} = ` +
    `${significant(step * thing.grad)}. Computed anew, the loss changes by ${significant(difference)}.`;
  return [element("p", words)];
}

// --- Why a gradient is what it is, and what a node was computed from -------------------------------------------------

// A line for each of the first things, and a button for the rest.
function foldedTable(name, heading, lines, more = []) {
  const { unfolded } = state.graph;
  const isOpen = unfolded.has(name) || lines.length <= linesShown + 1;
  const shown = isOpen ? lines : lines.slice(0, linesShown);
  const unfold = () => {
    unfolded.add(name);
    showGraph(state.shown);
  };
  const rest = button({ class: "link", click: unfold }, `and ${lines.length - linesShown} more`);
  const fold = element("tr", element("th", { colspan: 2 }, rest));
  const body = element("tbody", ...shown.map((line) => line()), isOpen ? null : fold, ...more);
  return wideTable(name, tableHead(heading), body);
}

function amountLine(graph, thing, calculation, amount, largest, go) {
  return () => {
    const name = button({ class: "link", click: go }, graph.labels.textOf(thing));
    const style = `width: ${(3.5 * Math.abs(amount)) / (largest || 1)}rem`;
    const bar = element("span", { class: `amount-bar ${signClass(amount)}`, style });
    const result = element("span", { class: `amount ${signClass(amount)}` }, bar, ` = ${significant(amount)}`);
    return tableRow([name, element("span", { class: "place" }, placeText(graph, thing))], [[calculation, result]]);
  };
}

// In the order of their size; the sum is made in the order of backward(), which is the debugger's.
function whyTable(graph, thing) {
  const parents = graph.parentsOf(thing);
  const total = parents.reduce((sum, { amount }) => sum + amount, 0);
  const bySize = [...parents].sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const lines = bySize.map(({ parent, local, amount }) => {
    const calculation = `${significant(local)} × ${significant(parent.grad)}`;
    return amountLine(graph, parent, calculation, amount, Math.abs(bySize[0].amount), () => goToThing(parent));
  });
  const name = parents.length === 1 ? "sum of one" : `sum of ${parents.length}`;
  const verdict = total === thing.grad ? "its gradient, to the last bit" : "which is not its gradient";
  const title = [name, element("span", { class: "place" }, verdict)];
  const sum = tableRow(title, [`= ${significant(total)}`], { class: "total" });
  return foldedTable("Parents", ["parent", "local derivative × its gradient = [contribution]"], lines, [sum]);
}

function whyGradient(graph, thing) {
  const title = element("h4", `Why its gradient is ${significant(thing.grad)}`);
  if (thing === graph.loss) {
    return [title, element("p", "Here the way back begins, with 1: the loss grows as fast as itself.")];
  }
  return [
    title,
    paragraph("Every parent adds its own gradient, times the [local derivative]. Click a parent to go up."),
    whyTable(graph, thing),
  ];
}

function computedFrom(graph, thing) {
  const children = graph.childrenOf(thing);
  if (children.length === 0) return [];
  const path = walkedPath();
  const amounts = children.map(({ local }) => local * thing.grad);
  const largest = Math.max(...amounts.map(Math.abs));
  const lines = children.map(({ child, local }, i) =>
    amountLine(graph, child, `${significant(local)} × ${significant(thing.grad)}`, amounts[i], largest, () =>
      goToNode([...path, i]),
    ),
  );
  return [
    element("h4", "What it hands back to its children"),
    foldedTable("Children", ["child", "local derivative × this gradient = contribution"], lines),
  ];
}

function showNode(graph, thing) {
  renew(
    byId("graph-node"),
    element("div", { class: "tools" }, ...walkTools(graph, thing)),
    ...describeThing(graph, thing),
    ...nudged(graph, thing),
    ...whyGradient(graph, thing),
    ...computedFrom(graph, thing),
  );
}
