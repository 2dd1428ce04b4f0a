// Number by number: how each number of the picture is made. The tape knows from what, for any kind of model.

// What is done in a list, by what recipeOf() calls it; and words for its name.
const rules = {
  parameter: "The row of the letter in a table: its [embedding].",
  embedding: "The row of the letter in a table, its [embedding], plus the row of the [position] in another.",
  norm: "Each number, divided by the root of their mean square.",
  linear: "A row of [weights|parameter] times the list above it: multiplied number by number, and added up.",
  rotation: "Each pair of numbers is rotated, by an angle that grows with the [position].",
  score: "The [query] times the [key] of each [position] that it may see, divided by the root of their length.",
  softmax: "[Softmax|softmax]: e to the power of each number, minus the largest, divided by the sum of all of these.",
  mixture: "The [values|value] of the [positions|position], each times its [weight], added up.",
  sum: "Two lists, added up number by number.",
  relu: "What is negative becomes 0.",
  square: "Each number times itself.",
  temperature: "Each number, divided by the [temperature].",
  constant: "Nothing is computed here: these numbers stand in for what you switched off.",
};
const wordsFor = { q: "[query]", k: "[key]", v: "[value]", attn_logits: "[scores|score]", attn_weights: "[weights|weight]" };

function productsText(row, by) {
  const told = row.length <= 6 ? [...row.keys()] : [0, 1, 2, null, row.length - 1];
  return told.map((j) => (j === null ? "…" : `${fixed(row[j])} · ${fixed(by[j])}`)).join(" + ");
}

// How a node was made: the rule; the nodes that it reads alone, and those that all of its list read; the numbers of the
// former, or the weights in their place; and the sum as a text.
function recipeOf(tape, node) {
  const { data, ops } = tape;
  const children = tape.childrenOf(node);
  const locals = [...tape.localsOf(node)];
  const op = ops[node];
  const [a] = children;
  const numbers = (nodes) => nodes.map((each) => data[each]);
  const recipe = (rule, of, text, by = []) => ({ rule, of, by, row: numbers(of), text });
  if (op === "linear") {
    return { ...recipe(op, [], productsText(locals, numbers(children)), children), row: locals };
  }
  if (op === "dot") {
    const [by, of] = [0, 1].map((odd) => children.filter((_, i) => i % 2 === odd));
    return recipe("mixture", of, productsText(numbers(of), numbers(by)), by);
  }
  if (op === "relu") return recipe(op, [a], `relu(${fixed(data[a])})`);
  if (op === "pow") return recipe("square", [a], `${fixed(data[a])}²`);
  if (op === "+") {
    const of = children.flatMap((each) => tape.childrenOf(each));
    if (ops[a] === "*" && of.length === 2) {
      return recipe("rotation", of, productsText(numbers(of), children.map((each) => tape.localsOf(each)[0])));
    }
    const text = numbers(children).map((x) => fixed(x)).join(" + ");
    return recipe(ops[a] === "parameter" ? "embedding" : "sum", children, text);
  }
  if (op !== "*") return recipe(op, [], "");
  if (ops[a] === "dot") {
    const { of, by, text } = recipeOf(tape, a);
    return recipe("score", of, `(${text}) ÷ √${of.length}`, by);
  }
  if (ops[a] === "exp") {
    const [shifted] = tape.childrenOf(a);
    const [score] = tape.childrenOf(shifted);
    const [largest, total] = [data[score] - data[shifted], 1 / locals[0]];
    return recipe("softmax", [score], `e^(${fixed(data[score])} − ${fixed(largest)}) ÷ ${fixed(total)}`);
  }
  const rule = children.length === 1 ? "temperature" : "norm";
  return recipe(rule, [a], `${fixed(data[a])} ÷ ${fixed(1 / locals[0])}`);
}

// All lists of numbers from a letter to the next, in the order of gpt(): {box, name, nodes, index}; index is what stands
// in brackets after the name. And the tape, and names by node.
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
  add("next", "logits ÷ temperature", cooled, index);
  add("next", "probs", tape.softmax(cooled), index);
  return { model, tape, names, lists };
}

// --- One number ------------------------------------------------------------------------------------------------------

// A row of shades for each number of a list, and the number at its end; or a column for each, and the number below.
function drawCells({ tape, names }, { nodes }) {
  const recipes = nodes.map((node) => recipeOf(tape, node));
  const [{ rule, by, of }] = recipes;
  const isAcross = rule === "linear" || rule === "score";
  const numbers = (list) => list.slice(0, mostShades).map((node) => tape.data[node]);
  const rows = recipes.map(({ row }) => row.slice(0, mostShades));
  const [n, m] = [rows[0].length, nodes.length];
  // At entry e of number c. What all of them read stands before the first.
  const put = (each, e, c, span = 1) => {
    const area = isAcross ? [c + 3, e + 2, "auto", `span ${span}`] : [e + 1, c + 4, `span ${span}`, "auto"];
    each.style.gridArea = area.join(" / ");
    return each;
  };
  const label = (node, i) =>
    put(element("span", element("bdi", names.get(node) ?? "")), ...(isAcross ? [-1, i] : [i, -3]));
  const labels = isAcross
    ? [label(by[0], -2), ...recipes.map((each, c) => label(each.of[0], c))]
    : [...of.map(label), label(nodes[0], n + 1)];
  const shared = shadesOf(numbers(by)).map((each, e) => put(each, e, -2));
  const given = shadesOf(rows.flat()).map((each, i) => put(each, i % n, Math.floor(i / n)));
  const made = shadesOf(numbers(nodes)).map((each, c) => put(each, n + 1, c));
  made.forEach((each, c) => each.addEventListener("pointerenter", () => state.cellTimer || goToCell(state.list, c)));
  const wide = (count) => (count ? `repeat(${count}, minmax(0, 1.5rem))` : "");
  const high = (count) => (count ? `repeat(${count}, min(1.2rem, ${14 / count}rem))` : "");
  byId("cells-grid").style.gridTemplate = isAcross
    ? `1.2rem 0.4rem ${high(m)} / auto ${wide(n)} 0.4rem 1.5rem`
    : `${high(n)} 0.4rem 1.2rem / auto ${by.length ? "1.5rem" : "0"} 0.4rem ${wide(m)}`;
  const frame = element("b");
  byId("cells-grid").replaceChildren(...given, frame, ...shared, ...made, ...labels);
  return { made, light: (c) => put(frame, 0, c, n + 2) };
}

// The number as a sum: its name, the row of weights if there is one, the numbers that it is made from, what they make.
function cellLine({ model, tape, names }, { name, nodes, index }, cell) {
  const node = nodes[cell];
  const { rule, by, text } = recipeOf(tape, node);
  const sides = [`${name}[${index[cell]}]`, text, fixed(tape.data[node])];
  if (rule === "linear") {
    const at = tape.placeInNumbers(node);
    const matrix = Object.values(model.w).findLast((each) => each.at <= at);
    sides.splice(1, 0, `${matrix.name}[${(at - matrix.at) / matrix.cols}] · ${names.get(by[0])}`);
  }
  return sides.filter((side) => side !== "").join(" = ");
}

// The boxes of the picture show what is made until now.
function showMade({ lists }) {
  for (const box of byId("picture-flow").querySelectorAll(".flow-box")) {
    const key = box.dataset.key.slice("flow ".length);
    const shows = (list) => list.box === key && ["x", "head_out", "active", "probs"].includes(list.name);
    const i = lists.findIndex(shows);
    const count = i < state.list ? Infinity : i === state.list ? state.cell + 1 : 0;
    box.classList.toggle("at-work", key === lists[state.list].box);
    box.classList.toggle("to-come", count === 0);
    box.querySelectorAll("i").forEach((each, j) => each.classList.toggle("to-come", j >= count));
  }
}

function showCells() {
  const { cells } = state;
  const { model, tape, lists } = cells;
  state.list = Math.min(state.list, lists.length - 1);
  const list = lists[state.list];
  state.cell = Math.min(state.cell, list.nodes.length - 1);
  if (cells.list !== list) Object.assign(cells, { list, drawn: drawCells(cells, list) });
  cells.drawn.light(state.cell);
  cells.drawn.made.forEach((each, c) => each.classList.toggle("to-come", c > state.cell));
  const part = partsOf(model).find(({ key }) => key === list.box && key !== "embedding");
  const where = part?.name ?? (list.box === "next" ? "next letter" : "stream");
  const words = wordsFor[list.name];
  byId("cells-title").replaceChildren(...explained(`${where}: ${words ? `${words} ` : ""}${list.name}`));
  byId("cells-rule").replaceChildren(...explained(rules[recipeOf(tape, list.nodes[state.cell]).rule]));
  byId("cells-line").replaceChildren(inText(cellLine(cells, list, state.cell)));
  Object.assign(byId("cells-list"), { max: lists.length - 1, value: state.list });
  byId("cells-list").setAttribute("aria-valuetext", byId("cells-title").textContent);
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
  change({ list, cell: 0 });
  byId("cells").scrollIntoView({ block: "nearest" });
}

function startCells() {
  byId("picture-cells").addEventListener("click", () => openCells(state.list < 0 ? 0 : -1));
  byId("cells-next").addEventListener("click", nextCell);
  byId("cells-play").addEventListener("click", () => playCells(state.cellTimer === 0));
  byId("cells-list").addEventListener("input", ({ target }) => goToCell(Number(target.value), 0));
}
