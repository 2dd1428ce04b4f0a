// The graph: a walk from the loss of the name down to a single parameter, node by node.

// The graph takes some milliseconds, so it is made once for each name.
function currentGraph({ model }) {
  const { graph } = state;
  if (graph.made?.model !== model || graph.text !== state.text) {
    const run = graph.made?.model === model ? graph.made.run : undefined;
    const made = new Graph(model, state.text, run);
    Object.assign(graph, { made, text: state.text, deepest: [], unfolded: new Set() });
  }
  return graph.made;
}

// --- Where the walk stands: state.path -------------------------------------------------------------------------------

// "loss", "sum", or what lies below the loss of the prediction at state.at, such as "0.0.12"; as a path from the root.
function walkedPath() {
  if (state.path === "loss") return [];
  if (state.path === "sum") return [0];
  return [0, state.at, ...(state.path === "" ? [] : state.path.split(".").map(Number))];
}

// Chooses the thing at the path. On the way up, `deepest` remembers the way down.
function goToNode(path, isOpen = true) {
  const { graph } = state;
  if (path.some((i, k) => graph.deepest[k] !== i)) graph.deepest = path;
  Object.assign(graph, { isOpen, below: graph.deepest[path.length] ?? 0, unfolded: new Set() });
  const isElsewhere = path.length > 1 && path[1] !== state.at;
  if (isElsewhere) state.at = state.wantedAt = path[1];
  state.path = path.length === 0 ? "loss" : path.length === 1 ? "sum" : path.slice(2).join(".");
  if (isElsewhere) showAnew();
  else showGraph(state.shown);
  writeLinkSoon();
  focusNode();
}

function goToThing(thing) {
  goToNode(currentGraph(state.shown).pathTo(thing, state.at));
}

// A click on the chosen node, or Enter, opens or closes it.
function chooseNode(path) {
  const isChosen = path.join() === walkedPath().join();
  goToNode(path, isChosen ? !state.graph.isOpen : true);
}

// The chosen node has the focus, and is in sight.
function focusNode() {
  const node = byId("graph-drawing").querySelector(".current");
  node.focus({ preventScroll: true });
  const { top, bottom } = node.getBoundingClientRect();
  const high = document.querySelector(".bar").getBoundingClientRect().bottom + 60;
  const low = innerHeight - boxHeight - nodeSizes.fan - 20; // its children are in sight, too
  if (bottom > low) scrollBy(0, Math.min(bottom - low, top - high));
  else if (top < high) scrollBy(0, top - high);
}

function moveInGraph(event) {
  const graph = currentGraph(state.shown);
  const path = walkedPath();
  const steps = graph.follow(path);
  const last = steps.length > 1 ? graph.childrenOf(steps.at(-2).thing).length - 1 : 0;
  const beside = (i) => (path.length === 0 ? path : [...path.slice(0, -1), Math.max(0, Math.min(i, last))]);
  const lastChild = graph.childrenOf(steps.at(-1).thing).length - 1;
  const to = {
    ArrowUp: path.slice(0, -1),
    ArrowDown: lastChild < 0 ? path : [...path, Math.min(state.graph.below, lastChild)],
    ArrowLeft: beside(path.at(-1) - 1),
    ArrowRight: beside(path.at(-1) + 1),
    Home: beside(0),
    End: beside(last),
    Enter: path,
    " ": path,
  }[event.key];
  if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (event.key === "Enter" || event.key === " ") chooseNode(path);
  else if (to.join() !== path.join()) goToNode(to, event.key === "ArrowDown" || state.graph.isOpen);
}

// One step down goes where most of the gradient goes, at last to a parameter. The button that was pressed keeps the focus.
function walkTools(graph, thing) {
  const path = walkedPath();
  const locals = graph.childrenOf(thing).map(({ local }) => Math.abs(local));
  const isEnd = locals.length === 0;
  const step = (words, disabled, to, how) => {
    const click = () => {
      goToNode(to);
      focusKey(byId("graph-node"), words);
    };
    return button({ class: how, "data-key": words, disabled: disabled ? "" : null, click }, words);
  };
  return [
    step("One step down", isEnd, [...path, locals.indexOf(Math.max(...locals))], "main"),
    step("Up", path.length === 0, path.slice(0, -1), null),
    element("span", isEnd ? "This is a number that training moves." : "To the child that gets most of its gradient."),
  ];
}

// --- The section -----------------------------------------------------------------------------------------------------

// Things worth a look at this position: [[label, thing], ...].
function destinations(graph) {
  const { model, tokens } = state.shown;
  const { at } = state;
  const strongestOf = (things) => most(things, ({ grad }) => Math.abs(grad));
  const { wte, "layer0.attn_wq": query } = model.w;
  const here = graph.run.positions[at];
  const labelled = (name) => graph.nodesNamed((each) => each === name, here.begin.size, here.end.size);
  return [
    graph.loss,
    graph.follow([0, at, 0, 0]).at(-1).thing, // the probability of what comes
    strongestOf(labelled("attn_weights")),
    strongestOf(labelled("q")),
    strongestOf(Array.from(query.data, (_, k) => graph.parameter(query.at + k))),
    strongestOf(graph.embedding(wte, tokens[at])),
  ].map((thing) => [graph.labels.textOf(thing), thing]);
}

function showDestinations(graph) {
  const all = destinations(graph);
  const go = ([name, thing]) => button({ click: () => goToThing(thing) }, element("bdi", name));
  renew(byId("graph-destinations"), all.map(go));
  renew(byId("graph-names"), all.map(([name]) => element("option", { value: name })));
}

function findNode(event) {
  event.preventDefault();
  const graph = currentGraph(state.shown);
  const { value } = byId("graph-find");
  const thing = graph.find(value, state.at);
  const path = thing && graph.pathTo(thing, state.at);
  byId("graph-message").textContent = path
    ? ""
    : thing
      ? `The loss does not depend on “${value}”, so it has no gradient.`
      : `There is no “${value}” in this graph. Write a label as it stands in a box, a parameter such as ` +
        "layer0.attn_wq[2][3], or #17 for a node by its number.";
  if (path) goToNode(path);
}

function drawGraph(graph, steps) {
  const place = byId("graph-drawing");
  const { isOpen, below } = state.graph;
  const width = place.clientWidth;
  const peek = (i) => {
    state.graph.below = i;
    drawGraph(graph, steps);
  };
  const drawn = graphFigure(graph, steps, { width, isOpen, below, go: chooseNode, peek });
  listen(drawn, { keydown: moveInGraph });
  renew(place, drawn);
}

function showGraph(shown) {
  const able = hasGraph(shown.model);
  byId("graph-view").hidden = !able;
  byId("cannot-graph").hidden = able;
  if (!able) return;
  const graph = currentGraph(shown);
  const steps = graph.follow(walkedPath());
  const fits = walkedPath().slice(0, steps.length - 1);
  if (fits.length > 1) state.path = fits.slice(2).join("."); // a link may lead further than this graph goes
  byId("graph-size").textContent = counted(graph.tape.size);
  byId("graph-changed").hidden = !shown.isChanged;
  const { model, tokens, targets } = shown;
  const letters = tokens.map((token, t) => `${longLabel(model, token)} → ${nextLabel(model, targets[t])}`);
  showChoices(byId("graph-at"), letters.entries(), state.at, (at) => change({ at }));
  if (byId("graph-jump").open) showDestinations(graph);
  drawGraph(graph, steps);
  showNode(graph, steps.at(-1).thing);
}

function startGraph() {
  byId("graph-finding").addEventListener("submit", findNode);
  byId("graph-jump").addEventListener("toggle", () => showGraph(state.shown));
}
