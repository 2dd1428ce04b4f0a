// The graph of a name's loss, and questions about it, as the debugger's commands `graph`, `why` and `parents` answer
// them.

// The program's scalar engine, and so the debugger, knows only these models.
function hasGraph({ config, visible }) {
  return config.attention === "mha" && !config.rope && visible === null;
}

class Graph {
  constructor(model, text) {
    const run = new Run(model, unchanged, new Tape(model.numbers));
    const loss = run.documentLoss(encode(model, text));
    this.grads = new Float64Array(model.numbers.length);
    run.tape.backward(loss, this.grads);
    Object.assign(this, { model, tape: run.tape, labels: new Labels(run, loss) });
    this.nodes = Array.from({ length: this.tape.size }, (_, number) => this.node(number));
    this.loss = this.nodes[loss];
    this.reached = this.below(this.loss);
  }

  // --- Things: nodes, and weights, which are none --------------------------------------------------------------------

  node(number) {
    const { ops, data, grad } = this.tape;
    const arity = this.tape.childrenOf(number).length;
    return { number, op: ops[number], data: data[number], grad: grad[number], arity };
  }

  // The parameter at a place in the model's numbers.
  weight(at) {
    return { op: "weight", at, data: this.model.numbers[at], grad: this.grads[at], arity: 0 };
  }

  // Row i of an embedding; nothing if the name does not use it.
  embedding(matrix, i) {
    return (this.tape.rows.get(matrix.at + i * matrix.cols) ?? []).map((number) => this.nodes[number]);
  }

  // --- Down and up ---------------------------------------------------------------------------------------------------

  // [{ child, local }]: the nodes that it was computed from, then the weights that it read.
  childrenOf({ number, op }) {
    if (op === "weight") return [];
    const locals = this.tape.localsOf(number);
    const nodes = this.tape.childrenOf(number).map((child, i) => ({ child: this.nodes[child], local: locals[i] }));
    if (op !== "linear") return nodes;
    const at = this.tape.placeInNumbers(number);
    const weights = this.tape.reads[number].inputs.map((local, j) => ({ child: this.weight(at + j), local }));
    return [...nodes, ...weights];
  }

  // All nodes that one was computed from, and itself: numbers.
  below({ number }) {
    const found = new Set([number]);
    for (let k = number; k >= 0; k--) if (found.has(k)) for (const child of this.tape.childrenOf(k)) found.add(child);
    return found;
  }

  // Why the gradient is what it is: [{ parent, i, local, amount }] for every node whose child i it is, in the order in
  // which backward() adds the amounts. Rows of a linear layer share one list of children, which is searched once.
  parentsOf(thing) {
    const found = [];
    let searched = null;
    let places = [];
    for (const parent of this.backwards()) {
      const children = this.tape.childrenOf(parent.number);
      if (thing.op === "weight") places = this.placesOfWeight(thing, parent);
      else if (children !== searched) places = placesOf(thing.number, children);
      searched = children;
      for (const i of places) {
        const { local } = this.childrenOf(parent)[i];
        found.push({ parent, i, local, amount: local * parent.grad });
      }
    }
    return found;
  }

  placesOfWeight({ at }, { number, op, arity }) {
    const j = op === "linear" ? at - this.tape.placeInNumbers(number) : -1;
    return j >= 0 && j < arity ? [arity + j] : [];
  }

  // The nodes that backward() passed, in its order.
  *backwards() {
    for (let k = this.loss.number; k >= 0; k--) if (this.reached.has(k)) yield this.nodes[k];
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
    const below = this.below(top);
    const path = this.climb(thing, top, ({ number }) => below.has(number));
    return path === null ? this.climb(thing, this.loss, () => true) : [0, position, ...path];
  }

  climb(thing, top, isAllowed) {
    const path = [];
    while (thing !== top) {
      const parents = this.parentsOf(thing).filter(({ parent }) => isAllowed(parent));
      if (parents.length === 0) return null;
      const most = parents.reduce((a, b) => (Math.abs(b.amount) > Math.abs(a.amount) ? b : a));
      path.unshift(most.i);
      thing = most.parent;
    }
    return path;
  }

  // --- Finding -------------------------------------------------------------------------------------------------------

  // What a reader names: "#17", "layer0.attn_wq[2][3]", or a label, of the nodes at that position first.
  find(text, position) {
    const wanted = text.trim();
    if (/^#\d+$/.test(wanted)) return this.nodes[Number(wanted.slice(1))] ?? null;
    const named = this.nodes.filter((node) => this.labels.textOf(node) === wanted);
    const nodes = named.filter(({ number }) => this.reached.has(number));
    const here = nodes.find((node) => this.labels.placeOf(node).position === position);
    return here ?? nodes[0] ?? this.findWeight(wanted) ?? named[0] ?? null;
  }

  // wte[m][3] is wte[12][3], too. Of the embeddings only rows of the name are on the tape.
  findWeight(text) {
    const [, name, i, j] = text.match(/^([\w.]+)\[(.+)\]\[(\d+)\]$/) ?? [];
    const matrix = this.model.w[name];
    if (matrix === undefined || Number(j) >= matrix.cols) return null;
    const isOfLetters = name === "wte" || name === "lm_head";
    const rows = Array.from({ length: matrix.rows }, (_, row) => row);
    const named = (row) => isOfLetters && this.labels.letter(row) === i;
    const row = rows.find((row) => String(row) === i) ?? rows.find(named);
    if (row === undefined) return null;
    if (name === "wte" || name === "wpe") return this.embedding(matrix, row)[j] ?? null;
    return this.weight(matrix.at + row * matrix.cols + Number(j));
  }
}

function placesOf(node, children) {
  const places = [];
  for (let i = children.length - 1; i >= 0; i--) if (children[i] === node) places.push(i);
  return places;
}
