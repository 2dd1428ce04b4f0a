// The graph of a text's loss, and questions about it, as the debugger's commands `graph` and `why` answer them.
//
// A thing is a node of the tape, by its number, or a parameter: that at place `at` of the model's numbers is -1 - at.

// The program's scalar engine, and so the debugger, knows only these models.
function hasGraph({ config, visible }) {
  return config.attention === "mha" && !config.rope && visible === null;
}

const placeOfParameter = (thing) => -1 - thing;

class Graph {
  constructor(model, text) {
    const run = new Run(model, unchanged, []);
    this.loss = run.documentLoss(encode(model, text));
    Object.assign(this, { model, run, tape: run.tape }, run.tape.backward(this.loss));
  }

  op(thing) {
    return thing < 0 ? "parameter" : this.tape.ops[thing];
  }

  data(thing) {
    return thing < 0 ? this.model.numbers[placeOfParameter(thing)] : this.tape.data[thing];
  }

  gradient(thing) {
    return thing < 0 ? this.parameterGrad[placeOfParameter(thing)] : this.grad[thing];
  }

  // "attn_weights[head 2][s=1]", "probability of m", "wte[m][3]".
  label(thing) {
    if (thing >= 0) {
      const { name, index, i } = this.tape.names[thing];
      return name + index(i);
    }
    const place = placeOfParameter(thing);
    const { name, cols, at } = Object.values(this.model.w).findLast((matrix) => matrix.at <= place);
    const row = Math.floor((place - at) / cols);
    const isOfLetters = name === "wte" || name === "lm_head";
    return `${name}[${isOfLetters ? nextLabel(this.model, row) : row}][${(place - at) % cols}]`;
  }

  // Where in the model it was made: "position 3, attention, layer 0". A parameter belongs to no position.
  place(thing) {
    const { position, layer, part } = thing < 0 ? {} : this.tape.places.findLast(({ from }) => from <= thing);
    const ofLayer = (layer ?? null) === null || this.model.config.n_layer === 1 ? "" : ` of layer ${layer}`;
    return (position ?? null) === null ? "" : `position ${position}, ${part}${ofLayer}`;
  }

  // [{ thing, local, amount }]: the nodes that it was computed from, then the parameters that it read; and what it
  // adds to the gradient of each.
  childrenOf(parent) {
    if (parent < 0) return [];
    const { edges, reads, children, locals, numbers } = this.tape;
    const found = [];
    const add = (thing, local) => found.push({ thing, local, amount: local * this.grad[parent] });
    for (let e = edges[parent]; e < this.tape.endOf(parent); e++) add(children[e], locals[e]);
    if (reads[parent] === null) return found;
    const at = this.tape.placeInNumbers(parent);
    reads[parent].x.forEach((child, j) => add(child, numbers[at + j]));
    reads[parent].inputs.forEach((local, j) => add(-1 - (at + j), local));
    return found;
  }

  // The same for every node whose child it is, in the order in which backward() adds the amounts.
  parentsOf(thing) {
    const { reads, children } = this.tape;
    const isChild = (k) => {
      if (thing >= 0 && reads[k] !== null) return reads[k].x.includes(thing);
      if (thing >= 0) return children.slice(this.tape.edges[k], this.tape.endOf(k)).includes(thing);
      const j = reads[k] === null ? -1 : placeOfParameter(thing) - this.tape.placeInNumbers(k);
      return j >= 0 && j < reads[k].inputs.length;
    };
    const amountsOf = (k) => this.childrenOf(k).filter((child) => child.thing === thing).reverse();
    return this.reached.filter(isChild).flatMap((k) => amountsOf(k).map((child) => ({ ...child, thing: k })));
  }

  // What a reader names: "#17", "wte[m][3]" or "wte[12][3]", or the label of a node, at that position first. null if
  // there is no such thing.
  find(text, position) {
    const [, number] = text.match(/^#(\d{1,9})$/) ?? [];
    if (number !== undefined) return number < this.tape.size ? Number(number) : null;
    const named = [...this.tape.names.keys()].filter((node) => this.label(node) === text);
    const here = named.find((node) => this.place(node).startsWith(`position ${position},`));
    if (named.length > 0) return here ?? named[0];
    const [, name, row, column] = text.match(/^([\w.]+)\[(.+)\]\[(\d{1,9})\]$/) ?? [];
    const { [name]: matrix } = this.model.w;
    const letters = [...this.model.characters.keys(), this.model.bos];
    const i = /^\d+$/.test(row) ? Number(row) : letters.find((token) => nextLabel(this.model, token) === row);
    if (!(i < matrix?.rows && column < matrix.cols)) return null;
    return -1 - (matrix.at + i * matrix.cols + Number(column));
  }
}
