// The graph of a name's loss, and questions about it, as the debugger's commands `graph`, `why` and `parents` answer
// them.

// The program's scalar engine, and so the debugger, knows only these models.
function hasGraph({ config, visible }) {
  return config.attention === "mha" && !config.rope && visible === null;
}

class Graph {
  // A run that has read another text serves another graph no more.
  constructor(model, text, run = new Run(model, unchanged, new Tape(model.numbers))) {
    const loss = run.documentLoss(encode(model, text));
    this.grads = new Float64Array(model.numbers.length);
    run.tape.backward(loss, this.grads);
    Object.assign(this, { model, run, tape: run.tape, labels: new Labels(run, loss), known: [] });
    this.loss = this.node(loss);
    this.reached = run.tape.reached;
  }

  // --- Things: nodes, and parameters, most of which are none ---------------------------------------------------------

  // There are many nodes, so each is made when it is asked for.
  node(number) {
    const { ops: { [number]: op }, data: { [number]: data }, grad: { [number]: grad } } = this.tape;
    return (this.known[number] ??= { number, op, data, grad, arity: this.tape.childrenOf(number).length });
  }

  // Those with a name that fits, of all nodes or of some.
  nodesNamed(fits, from = 0, to = this.tape.size) {
    const found = [];
    for (let k = from; k < to; k++) if (fits(this.labels.labels[k].name)) found.push(this.node(k));
    return found;
  }

  // The parameter at a place in the model's numbers.
  parameter(at) {
    return { op: "parameter", at, data: this.model.numbers[at], grad: this.grads[at], arity: 0 };
  }

  // Row i of an embedding; nothing if the name does not use it.
  embedding(matrix, i) {
    return (this.tape.rows.get(matrix.at + i * matrix.cols) ?? []).map((number) => this.node(number));
  }

  // --- Down and up ---------------------------------------------------------------------------------------------------

  // [{ child, local }]: the nodes that it was computed from, then the parameters that it read.
  childrenOf({ number, op }) {
    if (number === undefined) return [];
    const locals = this.tape.localsOf(number);
    const nodes = this.tape.childrenOf(number).map((child, i) => ({ child: this.node(child), local: locals[i] }));
    if (op !== "linear") return nodes;
    const at = this.tape.placeInNumbers(number);
    const row = this.tape.reads[number].inputs.map((local, j) => ({ child: this.parameter(at + j), local }));
    return [...nodes, ...row];
  }

  // Why the gradient is what it is: [{ parent, i, local, amount }] for every node whose child i it is, in the order in
  // which backward() adds the amounts. A list of children that is shared is searched once.
  parentsOf(thing) {
    const found = [];
    let searched = null;
    let places = [];
    for (const k of this.reached) {
      if (k === thing.number) break;
      const children = this.tape.childrenOf(k);
      if (thing.at !== undefined) places = this.placesOfParameter(thing, k, children.length);
      else if (children !== searched) places = placesOf(thing.number, children);
      searched = children;
      const parent = places.length > 0 && this.node(k);
      for (const i of places) {
        const { local } = this.childrenOf(parent)[i];
        found.push({ parent, i, local, amount: local * parent.grad });
      }
    }
    return found;
  }

  placesOfParameter({ at }, number, arity) {
    const j = this.tape.ops[number] === "linear" ? at - this.tape.placeInNumbers(number) : -1;
    return j >= 0 && j < arity ? [arity + j] : [];
  }

  // The thing at the end of a path: the index of a child at each step down from the loss. Ends where the path does not
  // fit: [{ thing, i, local }], the loss first.
  follow(path) {
    const steps = [{ thing: this.loss, i: 0, local: 1 }];
    for (const i of path) {
      const next = this.childrenOf(steps.at(-1).thing)[i];
      if (next === undefined) break;
      steps.push({ thing: next.child, i, local: next.local });
    }
    return steps;
  }

  // The path on which most of its gradient came: at each step up, to the parent that added most. It goes through the
  // loss of that position if there is such a path. null if the loss was not computed from it.
  pathTo(thing, position) {
    const top = this.follow([0, position]).at(-1).thing;
    const below = new Set(this.tape.order(top.number));
    const path = this.climb(thing, top, ({ number }) => below.has(number));
    return path === null ? this.climb(thing, this.loss, () => true) : [0, position, ...path];
  }

  climb(thing, top, isAllowed) {
    const path = [];
    while (thing !== top) {
      const parents = this.parentsOf(thing).filter(({ parent }) => isAllowed(parent));
      if (parents.length === 0) return null;
      const { i, parent } = most(parents, ({ amount }) => Math.abs(amount));
      path.unshift(i);
      thing = parent;
    }
    return path;
  }

  // --- Finding -------------------------------------------------------------------------------------------------------

  // What a reader names: "#17", "layer0.attn_wq[2][3]", or a label, of the nodes at that position first.
  find(text, position) {
    const wanted = text.trim();
    if (/^#\d+$/.test(wanted)) return wanted.slice(1) < this.tape.size ? this.node(Number(wanted.slice(1))) : null;
    const alike = this.nodesNamed((name) => wanted.startsWith(name));
    const named = alike.filter((node) => this.labels.textOf(node) === wanted);
    const nodes = named.filter(({ number }) => this.reached.includes(number));
    const here = nodes.find((node) => this.labels.placeOf(node).position === position);
    return here ?? nodes[0] ?? this.findParameter(wanted) ?? named[0] ?? null;
  }

  // wte[m][3] is wte[12][3], too. Of the embeddings only rows of the name are on the tape.
  findParameter(text) {
    const [, name, i, j] = text.match(/^([\w.]+)\[(.+)\]\[(\d+)\]$/) ?? [];
    const matrix = this.model.w[name];
    if (matrix === undefined || Number(j) >= matrix.cols) return null;
    const isOfLetters = name === "wte" || name === "lm_head";
    const rows = Array.from({ length: matrix.rows }, (_, row) => row);
    const named = (row) => isOfLetters && this.labels.letter(row) === i;
    const row = rows.find((row) => String(row) === i) ?? rows.find(named);
    if (row === undefined) return null;
    if (name === "wte" || name === "wpe") return this.embedding(matrix, row)[j] ?? null;
    return this.parameter(matrix.at + row * matrix.cols + Number(j));
  }
}

function placesOf(node, children) {
  const places = [];
  for (let i = children.length - 1; i >= 0; i--) if (children[i] === node) places.push(i);
  return places;
}
