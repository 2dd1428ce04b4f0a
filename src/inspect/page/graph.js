// The graph of a name's loss, and questions about it, as the debugger's commands `graph`, `why` and `parents` answer
// them.

class Graph {
  constructor(model, text) {
    const scalar = new ScalarModel(model);
    const { tape, labels, parameters, gradients } = scalar;
    this.loss = scalar.documentLoss(encode(model, text));
    this.loss.backward();
    Object.assign(this, { model, tape, labels, parameters, gradients });
  }

  // --- Down and up ---------------------------------------------------------------------------------------------------

  // [{ child, local }]: the nodes that it was computed from, then the weights that it read. A weight is no node; here
  // it becomes a thing with data and grad like one.
  childrenOf({ children, local_grads, row, op }) {
    const nodes = (children ?? []).map((child, i) => ({ child, local: local_grads[i] }));
    if (op !== "linear") return nodes;
    const weights = Array.from(row.locals, (local, j) => ({ child: this.weight(row.parameter, row.i, j), local }));
    return [...nodes, ...weights];
  }

  weight(parameter, i, j) {
    return { op: "weight", parameter, i, j, data: parameter.data.row(i)[j], grad: parameter.grad.row(i)[j] };
  }

  // Why the gradient is what it is: [{ parent, i, local, amount }] for every node whose child i it is, in the order in
  // which backward() adds the amounts. Rows of a linear layer share one list of children, which is searched once.
  parentsOf(thing) {
    if (thing.op === "weight") return this.readersOf(thing);
    const found = [];
    let searched = null;
    let places = [];
    for (const parent of this.backwards()) {
      const { children, local_grads, grad } = parent;
      if (children !== searched) places = placesOf(thing, children);
      searched = children;
      for (const i of places) found.push({ parent, i, local: local_grads[i], amount: local_grads[i] * grad });
    }
    return found;
  }

  // The same for a weight: the nodes that read it.
  readersOf({ parameter, i, j }) {
    const reads = ({ op, row }) => op === "linear" && row.parameter === parameter && row.i === i;
    return [...this.backwards()].filter(reads).map((parent) => {
      const local = parent.row.locals[j];
      return { parent, i: parent.children.length + j, local, amount: local * parent.grad };
    });
  }

  // The nodes that backward() passed, in its order.
  *backwards() {
    const { order } = this.tape;
    for (let k = order.length - 1; k >= 0; k--) yield order[k];
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
    const top = this.loss.children[0].children[position];
    const below = new Set(this.tape.topologicalOrder(top));
    const path = this.climb(thing, top, (parent) => below.has(parent));
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
    if (/^#\d+$/.test(wanted)) return this.tape.nodes[Number(wanted.slice(1))] ?? null;
    const isWanted = (node) => this.labels.textOf(node) === wanted;
    const nodes = this.tape.order.filter(isWanted);
    const here = nodes.find((node) => this.labels.placeOf(node).position === position);
    return here ?? nodes[0] ?? this.findWeight(wanted) ?? this.tape.nodes.find(isWanted) ?? null;
  }

  // wte[m][3] is wte[12][3], too. Of the embeddings only rows of the name are on the tape.
  findWeight(text) {
    const [, name, i, j] = text.match(/^([\w.]+)\[(.+)\]\[(\d+)\]$/) ?? [];
    const parameter = this.parameters[name];
    if (parameter === undefined || Number(j) >= parameter.data.cols) return null;
    const isOfLetters = name === "wte" || name === "lm_head";
    const rows = Array.from({ length: parameter.data.rows }, (_, row) => row);
    const named = (row) => isOfLetters && this.labels.letter(row) === i;
    const row = rows.find((row) => String(row) === i) ?? rows.find(named);
    if (row === undefined) return null;
    if (name === "wte" || name === "wpe") return parameter.rows.get(row)?.[j] ?? null;
    return this.weight(parameter, row, Number(j));
  }
}

function placesOf(node, children) {
  const places = [];
  for (let i = children.length - 1; i >= 0; i--) if (children[i] === node) places.push(i);
  return places;
}
