// Number by number: how each number of the picture is made. The tape knows from what, for any kind of model.

// What is done in a list, by what recipeOf() calls it.
const rules = {
  parameter: "The letter’s row in a table: its [embedding].",
  embedding: "The letter’s row in a table, its [embedding], plus the [position]’s row in another.",
  norm: "Each number, divided by the root of their mean square.",
  linear: "A row of [parameters|parameter] times the list above it: multiplied number by number, then added up.",
  rotation: "Pairs of numbers, rotated by an angle that grows with the [position].",
  score: "The [query] times each [key], divided by the root of their length.",
  softmax: "[Softmax|softmax]: e to the power of each number minus the largest, divided by the sum of all of these.",
  mixture: "The [values|value], each times its [weight], added up.",
  sum: "Two lists, added up.",
  relu: "What is negative becomes 0.",
  square: "Each number times itself.",
  temperature: "Each number, divided by the [temperature].",
  constant: "Nothing is computed: these numbers stand in for what is switched off.",
};
const words = {
  embedded: "letter and [position]",
  x: "the new stream",
  x_norm: "the stream rescaled",
  q: "[query]",
  k: "[key]",
  v: "[value]",
  attn_logits: "[scores|score]",
  attn_weights: "[weights|weight]",
  head_out: "what it passes on",
  attn_out: "what the heads add",
  hidden: "sums",
  active: "those above 0",
  mlp_out: "what it adds",
  probs: "probabilities",
};

function productsText(row, by) {
  const told = row.length <= 6 ? [...row.keys()] : [0, 1, 2, null, row.length - 1];
  return told.map((j) => (j === null ? "…" : `${fixed(row[j])} · ${fixed(by[j])}`)).join(" + ");
}

// How a node was made: the rule, what it comes to as a text, the nodes of its own that it reads, and those that all of
// its list read. `row` are the numbers of its own: these nodes, or a row of weights.
function recipeOf(tape, node) {
  const { data, ops } = tape;
  const children = tape.childrenOf(node);
  const locals = [...tape.localsOf(node)];
  const [a] = children;
  const op = ops[node] === "*" ? `* ${ops[a]}` : ops[node];
  const recipe = (rule, text, of, by = []) => ({ rule, text, of, by, row: numbersOf(of, tape) });
  if (op === "linear") {
    return { ...recipe(op, productsText(locals, numbersOf(children, tape)), [], children), row: locals };
  }
  if (op === "dot") {
    const [by, of] = [0, 1].map((odd) => children.filter((_, i) => i % 2 === odd));
    return recipe("mixture", productsText(numbersOf(of, tape), numbersOf(by, tape)), of, by);
  }
  if (op === "* dot") {
    const { text, of, by } = recipeOf(tape, a);
    return recipe("score", `(${text}) ÷ √${of.length}`, of, by);
  }
  if (op === "* exp") {
    const [shifted] = tape.childrenOf(a);
    const [score] = tape.childrenOf(shifted);
    const largest = data[score] - data[shifted];
    return recipe("softmax", `e^(${fixed(data[score])} − ${fixed(largest)}) ÷ ${fixed(1 / locals[0])}`, [score]);
  }
  if (op === "+") {
    const of = children.flatMap((each) => tape.childrenOf(each));
    if (ops[a] === "*" && of.length === 2) {
      return recipe("rotation", productsText(numbersOf(of, tape), children.map((each) => tape.localsOf(each)[0])), of);
    }
    const text = numbersOf(children, tape).map((x) => fixed(x)).join(" + ");
    return recipe(ops[a] === "parameter" ? "embedding" : "sum", text, children);
  }
  if (op === "relu") return recipe(op, `relu(${fixed(data[a])})`, [a]);
  if (op === "pow") return recipe("square", `${fixed(data[a])}²`, [a]);
  if (a === undefined) return recipe(op, "", []);
  return recipe(children.length > 1 ? "norm" : "temperature", `${fixed(data[a])} ÷ ${fixed(1 / locals[0])}`, [a]);
}

// All lists from a letter to the next, in the order of gpt(): {box, name, nodes, index}; index is what stands in brackets
// after the name. And the tape, and names by node.
function cellLists({ model, tokens, changes }) {
  const { at, temperature } = state;
  const tape = new Tape(model.numbers);
  const run = new Run(model, changes, tape);
  for (const token of tokens.slice(0, at + 1)) run.gpt(token);
  const [names, done, lists] = [new Map(), new Set(), []];
  const letter = (s) => longLabel(model, tokens[s]);
  const call = (name, nodes) => nodes?.forEach((node) => names.has(node) || names.set(node, name));
  // A list that is made in two ways becomes two; what it is made from comes before it.
  const add = (box, name, nodes, index = [...nodes.keys()]) => {
    const kind = (node) => tape.reads[node] ?? tape.ops[node];
    for (let from = 0, to; from < nodes.length; from = to) {
      for (to = from; to < nodes.length && kind(nodes[to]) === kind(nodes[from]); ) to++;
      const part = nodes.slice(from, to);
      if (done.has(part[0])) continue;
      done.add(part[0]);
      const needed = new Set(part.map((node) => recipeOf(tape, node)).flatMap(({ of, by }) => [...of, ...by]));
      add(box, `before ${name}`, [...needed].filter((node) => !names.has(node)));
      call(name, part);
      lists.push({ box, name, nodes: part.slice(0, mostShades), index: index.slice(from, to) });
    }
  };
  const { tok_emb, pos_emb, embedded, x, logits } = run.positions[at];
  call(`wte[${letter(at)}]`, tok_emb);
  call(`wpe[${at}]`, pos_emb);
  add("embedding", "embedded", embedded);
  add("embedding", "x", x);
  run.layers.forEach((positions, li) => {
    const here = positions[at];
    const mlp = run.mlps[li][at];
    add(`${li}:0`, "x_norm", here.x_norm);
    for (const h of here.q_h.keys()) {
      const addHere = (name, nodes, index) => add(`${li}:${h}`, name, nodes, index);
      const seen = [...positions.keys()].filter((s) => tape.ops[here.attn_logits[h][s]] !== "constant");
      positions.forEach(({ k_h, v_h }, s) => {
        call(`k of ${s} ${letter(s)}`, k_h[h]);
        call(`v of ${s} ${letter(s)}`, v_h[h]);
      });
      call("attn_weights", here.attn_weights[h]);
      for (const name of ["q", "k", "v"]) addHere(name, here[`${name}_h`][h]);
      for (const name of ["attn_logits", "attn_weights"]) addHere(name, seen.map((s) => here[name][h][s]), seen);
      addHere("head_out", here.head_out[h]);
    }
    for (const name of ["attn_out", "x"]) add(`${li} heads`, name, here[name]);
    for (const name of ["x_norm", "hidden", "active", "mlp_out"]) add(`${li}:mlp`, name, mlp[name]);
    add(`${li} mlp`, "x", mlp.x);
  });
  const index = logits.map((_, token) => nextLabel(model, token));
  const cooled = temperature === 1 ? logits : logits.map((each) => tape.timesNumber(each, 1 / temperature));
  add("next", "logits", logits, index);
  add("next", "probs", tape.softmax(cooled), index);
  return { tape, names, lists };
}

// --- One number ------------------------------------------------------------------------------------------------------

// A row of shades for each number of a list, and the number at its end; or a column for each, and the number below.
function drawCells({ tape, names }, { nodes }) {
  const recipes = nodes.map((node) => recipeOf(tape, node));
  const [{ rule, by, of }] = recipes;
  const isAcross = rule === "linear" || rule === "score";
  const rows = recipes.map(({ row }) => row.slice(0, mostShades));
  const [n, m] = [rows[0].length, nodes.length];
  // At entry e of number c. What all of them read stands before the first.
  const put = (each, e, c, span = 1) => {
    const area = isAcross ? [c + 3, e + 2, "auto", `span ${span}`] : [e + 1, c + 4, `span ${span}`, "auto"];
    each.style.gridArea = area.join(" / ");
    return each;
  };
  const label = (node, i) => put(element("span", inText(names.get(node) ?? "")), ...(isAcross ? [-1, i] : [i, -3]));
  const labels = isAcross
    ? [label(by[0], -2), ...recipes.map((each, c) => label(each.of[0], c))]
    : [...of.map(label), label(nodes[0], n + 1)];
  const given = shadedCells(rows.flat()).map((each, i) => put(each, i % n, Math.floor(i / n)));
  const shared = shadedCells(numbersOf(by, tape).slice(0, mostShades)).map((each, e) => put(each, e, -2));
  const made = shadedCells(numbersOf(nodes, tape)).map((each, c) => put(each, n + 1, c));
  made.forEach((each, c) => each.addEventListener("pointerenter", () => state.cellTimer || goToCell(state.list, c)));
  const wide = (count) => (count ? `repeat(${count}, minmax(0, 1.5rem))` : "");
  const high = (count) => (count ? `repeat(${count}, min(1.2rem, ${14 / count}rem))` : "");
  byId("cells-grid").style.gridTemplate = isAcross
    ? `1.2rem 0.4rem ${high(m)} / auto ${wide(n)} 0.4rem 1.5rem`
    : `${high(n)} 0.4rem 1.2rem / auto ${by.length ? "1.5rem" : "0"} 0.4rem ${wide(m)}`;
  const frame = element("b");
  byId("cells-grid").replaceChildren(...given, frame, ...shared, ...made, ...labels);
  return (cell) => {
    put(frame, 0, cell, n + 2);
    made.forEach((each, c) => each.classList.toggle("to-come", c > cell));
  };
}

// The number as a sum: its name, the row of weights if there is one, the numbers that it is made from, what they make.
function cellLine({ tape, names }, { name, nodes, index }, cell) {
  const node = nodes[cell];
  const { rule, by, text } = recipeOf(tape, node);
  const sides = [`${name}[${index[cell]}]`, text, fixed(tape.data[node])];
  if (rule === "linear") {
    const at = tape.placeInNumbers(node);
    const matrix = Object.values(state.shown.model.w).findLast((each) => each.at <= at);
    sides.splice(1, 0, `${matrix.name}[${(at - matrix.at) / matrix.cols}] · ${names.get(by[0])}`);
  }
  return sides.filter((side) => side !== "").join(" = ");
}

// The boxes of the picture show what is made until now.
function showMade({ lists }) {
  for (const box of byId("picture-flow").querySelectorAll(".flow-box")) {
    const isOf = (list) => box.dataset.key === `flow ${list.box}`;
    const shown = lists.findIndex((list) => isOf(list) && ["x", "head_out", "active", "probs"].includes(list.name));
    const count = shown < state.list ? Infinity : shown === state.list ? state.cell + 1 : 0;
    box.classList.toggle("at-work", isOf(lists[state.list]));
    box.classList.toggle("to-come", count === 0);
    box.querySelectorAll("i").forEach((each, i) => each.classList.toggle("to-come", i >= count));
  }
}

function showCells() {
  const { cells } = state;
  const { tape, lists } = cells;
  state.list = Math.min(state.list, lists.length - 1);
  const list = lists[state.list];
  const { nodes } = list;
  state.cell = Math.min(state.cell, nodes.length - 1);
  if (cells.list !== list) Object.assign(cells, { list, light: drawCells(cells, list) });
  cells.light(state.cell);
  const titleOf = ({ box, name }) => {
    const where = byId("picture-flow").querySelector(`[data-key="flow ${box}"] b`).textContent;
    return explained(`${where}: ${words[name] ? `${words[name]}, ` : ""}${name}`);
  };
  const optionOf = (each, value) => element("option", { value }, element("b", titleOf(each)).textContent);
  renew(byId("cells-title"), titleOf(list));
  renew(byId("cells-rule"), explained(rules[recipeOf(tape, nodes[state.cell]).rule]));
  renew(byId("cells-line"), inText(cellLine(cells, list, state.cell)));
  renew(byId("cells-list"), lists.map(optionOf));
  byId("cells-list").value = state.list;
  showMade(cells);
}

// --- One after the other ---------------------------------------------------------------------------------------------

function goToCell(list, cell) {
  Object.assign(state, { list, cell });
  showCells();
  writeLinkSoon();
}

// After the last number of a letter comes the first of the next letter.
function nextCell() {
  const { lists } = state.cells;
  if (state.cell + 1 < lists[state.list].nodes.length) goToCell(state.list, state.cell + 1);
  else if (state.list + 1 < lists.length) goToCell(state.list + 1, 0);
  else change({ at: (state.at + 1) % state.shown.tokens.length, list: 0, cell: 0 });
}

// The first two numbers of a list can be read; the others only fill it.
function playCells(isOn) {
  clearTimeout(state.cellTimer);
  byId("cells-play").textContent = isOn ? "Stop" : "Play";
  byId("cells-line").setAttribute("aria-live", isOn ? "off" : "polite");
  const goOn = () => {
    nextCell();
    playCells(true);
  };
  state.cellTimer = isOn ? setTimeout(goOn, state.cell < 2 ? 1200 : 80) : 0;
}

// The list -1 closes it.
function openCells(list) {
  readOn(false);
  playCells(false);
  change({ list, cell: 0, box: "" });
  byId("cells").scrollIntoView({ block: "nearest" });
}

function startCells() {
  byId("picture-cells").addEventListener("click", () => openCells(state.list < 0 ? 0 : -1));
  byId("cells-close").addEventListener("click", () => {
    openCells(-1);
    byId("picture-cells").focus(); // the button has gone
  });
  byId("cells-next").addEventListener("click", nextCell);
  byId("cells-back").addEventListener("click", () => {
    if (state.cell > 0) goToCell(state.list, state.cell - 1);
    else if (state.list > 0) goToCell(state.list - 1, Infinity);
  });
  byId("cells-play").addEventListener("click", () => playCells(state.cellTimer === 0));
  byId("cells-list").addEventListener("input", ({ target }) => goToCell(Number(target.value), 0));
}
