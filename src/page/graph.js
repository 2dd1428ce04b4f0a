// The graph of a text's loss, and questions about it, as the debugger's commands `graph` and `why` answer them. Its nodes
// are Values of the tape.

// The program's scalar engine, and so the debugger, knows only these models; and a graph must have room.
function hasGraph({ config, numbers }) {
  return config.attention === "mha" && !config.rope && config.mask === "full" && numbers.length <= 100_000;
}

class Graph {
  constructor(model, text) {
    const run = new Run(model, unchanged, []);
    this.loss = run.documentLoss(encode(model, text));
    Object.assign(this, { model, run, tape: run.tape }, run.tape.backward(this.loss));
  }

  // What the debugger calls it, where parameters are the first nodes.
  number(node) {
    return node < 0 ? -1 - node : this.model.numbers.length + node;
  }

  op(node) {
    return node < 0 ? "parameter" : this.tape.ops[node];
  }

  data(node) {
    return this.tape.value(node);
  }

  gradient(node) {
    return node < 0 ? this.parameterGrad[-1 - node] : this.grad[node];
  }

  // "attn_weights[head 2][s=1]", "probability of m", "wte[m][3]".
  label(node) {
    if (node >= 0) {
      const { name, index, i } = this.tape.names[node];
      return name + index(i);
    }
    const place = -1 - node;
    const { name, cols, at } = Object.values(this.model.w).findLast((matrix) => matrix.at <= place);
    const row = Math.floor((place - at) / cols);
    const isOfLetters = name === "wte" || name === "lm_head";
    return `${name}[${isOfLetters ? nextLabel(this.model, row) : row}][${(place - at) % cols}]`;
  }

  // Where in the model it was made: "position 3, attention, layer 0". A parameter belongs to no position.
  place(node) {
    const { position, layer, part } = node < 0 ? {} : this.tape.places.findLast(({ from }) => from <= node);
    const ofLayer = (layer ?? null) === null || this.model.config.n_layer === 1 ? "" : ` of layer ${layer}`;
    return (position ?? null) === null ? "" : `position ${position}, ${part}${ofLayer}`;
  }

  // [{ node, local, amount }]: what it was computed from, its derivative with respect to each, and what it adds to the
  // gradient of each.
  childrenOf(parent) {
    if (parent < 0) return [];
    const { edges, children, locals } = this.tape;
    const found = children.slice(edges[parent], this.tape.endOf(parent));
    return found.map((node, i) => {
      const local = locals[edges[parent] + i];
      return { node, local, amount: local * this.grad[parent] };
    });
  }

  // The same for every node whose child it is, in the order in which backward() adds the amounts.
  parentsOf(node) {
    const { edges, children } = this.tape;
    const isChild = (k) => children.slice(edges[k], this.tape.endOf(k)).includes(node);
    const amountsOf = (k) => this.childrenOf(k).filter((child) => child.node === node).reverse();
    return this.reached.filter(isChild).flatMap((k) => amountsOf(k).map((child) => ({ ...child, node: k })));
  }
}
