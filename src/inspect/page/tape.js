// The tape: every number that a model computes is a node, in the order in which the program's scalar engine makes it.
// So node 17 here is node #17 of the debugger. Read this beside src/microgpt.cpp: there a Value points to its node,
// here it is the number of its node. A node remembers its children, and its derivative with respect to each.

class Tape {
  // numbers: all parameters of the model, one after the other.
  constructor(numbers) {
    this.numbers = numbers;
    Object.assign(this, { ops: [], data: [], edges: [], reads: [], children: [], locals: [] });
    this.places = []; // { from, position, layer, part }: where in the model the nodes from that number on were made
    this.rows = new Map(); // of embeddings, as nodes: where each is used first
    this.clear();
  }

  // Goes on behind the first nodes, as mark() told them. The lists keep their room.
  clear({ size, numEdges, numPlaces } = { size: 0, numEdges: 0, numPlaces: 0 }) {
    Object.assign(this, { size, numEdges });
    this.places.length = numPlaces;
    for (const [at, row] of this.rows) if (row[0] >= size) this.rows.delete(at);
  }

  mark() {
    return { size: this.size, numEdges: this.numEdges, numPlaces: this.places.length };
  }

  begin(position, layer, part) {
    this.places.push({ from: this.size, position, layer, part });
  }

  // --- Nodes ---------------------------------------------------------------------------------------------------------

  // A node without children; edge() adds them to the last one. `read` says which parameters it reads, if any: those
  // from read.at on for node read.first, read.stride further for each node after it. inputs[j] is its derivative with
  // respect to parameter j; parameter j is its derivative with respect to x[j].
  node(op, data, read = null) {
    const k = this.size++;
    this.ops[k] = op;
    this.data[k] = data;
    this.reads[k] = read;
    this.edges[k] = this.numEdges;
    return k;
  }

  edge(child, local) {
    const e = this.numEdges++;
    this.children[e] = child;
    this.locals[e] = local;
  }

  unary(op, data, a, local) {
    const y = this.node(op, data);
    this.edge(a, local);
    return y;
  }

  endOf(k) {
    return k + 1 < this.size ? this.edges[k + 1] : this.numEdges;
  }

  childrenOf(k) {
    return this.reads[k]?.x ?? this.children.slice(this.edges[k], this.endOf(k));
  }

  localsOf(k) {
    if (this.reads[k] === null) return this.locals.slice(this.edges[k], this.endOf(k));
    const at = this.placeInNumbers(k);
    return this.numbers.subarray(at, at + this.reads[k].x.length);
  }

  // Where the parameters begin that a node reads.
  placeInNumbers(k) {
    const { first, at, stride } = this.reads[k];
    return at + (k - first) * stride;
  }

  // --- Operations on values ------------------------------------------------------------------------------------------

  constant(x) {
    return this.node("constant", x);
  }

  plus(a, b) {
    const y = this.node("+", this.data[a] + this.data[b]);
    this.edge(a, 1);
    this.edge(b, 1);
    return y;
  }

  plusNumber(a, x) {
    return this.unary("+", this.data[a] + x, a, 1);
  }

  times(a, b) {
    const y = this.node("*", this.data[a] * this.data[b]);
    this.edge(a, this.data[b]);
    this.edge(b, this.data[a]);
    return y;
  }

  timesNumber(a, x) {
    return this.unary("*", this.data[a] * x, a, x);
  }

  pow(a, exponent) {
    const x = this.data[a];
    return this.unary("pow", x ** exponent, a, exponent * x ** (exponent - 1));
  }

  log(a) {
    return this.unary("log", Math.log(this.data[a]), a, 1 / this.data[a]);
  }

  // exp is its own derivative.
  exp(a) {
    const y = Math.exp(this.data[a]);
    return this.unary("exp", y, a, y);
  }

  relu(a) {
    const x = this.data[a];
    return this.unary("relu", x > 0 ? x : 0, a, x > 0 ? 1 : 0);
  }

  // --- Operations on lists of values ---------------------------------------------------------------------------------

  sum(x) {
    let total = 0;
    for (const xi of x) total += this.data[xi];
    const y = this.node("sum", total);
    for (const xi of x) this.edge(xi, 1);
    return y;
  }

  mean(x) {
    return this.timesNumber(this.sum(x), 1 / x.length);
  }

  add(a, b) {
    return a.map((ai, i) => this.plus(ai, b[i]));
  }

  // The children are a[0], b[0], a[1], b[1], ...
  dot(a, b) {
    const { data } = this;
    let total = 0;
    for (let i = 0; i < a.length; i++) total += data[a[i]] * data[b[i]];
    const y = this.node("dot", total);
    for (let i = 0; i < a.length; i++) {
      this.edge(a[i], data[b[i]]);
      this.edge(b[i], data[a[i]]);
    }
    return y;
  }

  // Row i of a matrix of parameters, as new nodes.
  row(matrix, i) {
    const at = matrix.at + i * matrix.cols;
    const read = { first: this.size, at, stride: 1, x: [], inputs: [1] };
    const row = [];
    for (const x of matrix.row(i)) row.push(this.node("parameter", x, read));
    if (!this.rows.has(at)) this.rows.set(at, row);
    return row;
  }

  // Output i is the dot product of x and row i of the matrix.
  linear(x, { at, rows, cols }) {
    const { data, numbers } = this;
    const inputs = x.map((xi) => data[xi]);
    const read = { first: this.size, at, stride: cols, x, inputs };
    const y = [];
    for (let i = 0, k = at; i < rows; i++) {
      let sum = 0;
      for (let j = 0; j < cols; j++, k++) sum += numbers[k] * inputs[j];
      y.push(this.node("linear", sum, read));
    }
    return y;
  }

  rmsnorm(x) {
    const mean_square = this.timesNumber(this.dot(x, x), 1 / x.length);
    const scale = this.pow(this.plusNumber(mean_square, 1e-5), -0.5);
    return x.map((xi) => this.times(xi, scale));
  }

  // Scores of -Infinity get no weight. If there are no others, no position gets any.
  softmax(scores) {
    let max = -Infinity;
    for (const score of scores) max = Math.max(max, this.data[score]);
    if (max === -Infinity) return scores.map(() => this.constant(0));
    const exps = scores.map((score) => this.exp(this.plusNumber(score, -max)));
    const total = this.sum(exps);
    const [share, local] = [this.data[total] ** -1, -(this.data[total] ** -2)];
    return exps.map((exp) => this.times(exp, this.unary("pow", share, total, local)));
  }

  crossEntropy(logits, target) {
    return this.timesNumber(this.log(this.softmax(logits)[target]), -1);
  }

  // Rotates the pairs (2i, 2i + 1) of x by an angle that grows with the position (RoPE).
  rotate(x, position, base) {
    const y = [];
    const mix = (a, p, b, q) => this.plus(this.timesNumber(a, p), this.timesNumber(b, q));
    for (let i = 0; i < x.length; i += 2) {
      const angle = position * base ** (-i / x.length);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      y.push(mix(x[i], cos, x[i + 1], -sin), mix(x[i], sin, x[i + 1], cos));
    }
    return y;
  }

  // --- The way back --------------------------------------------------------------------------------------------------

  // What root was computed from, and root at the end: children first, depth first, as the program visits them. The rows
  // of a linear layer share their children.
  order(root) {
    const { edges, reads, children } = this;
    const order = new Int32Array(root + 1);
    let size = 0;
    const [seen, followed] = [new Uint8Array(root + 1), new Uint8Array(root + 1)];
    const visit = (k) => {
      seen[k] = 1;
      const read = reads[k];
      if (read === null) {
        for (let e = edges[k], end = this.endOf(k); e < end; e++) if (!seen[children[e]]) visit(children[e]);
      } else if (!followed[read.first]) {
        followed[read.first] = 1;
        for (const child of read.x) if (!seen[child]) visit(child);
      }
      order[size++] = k;
    };
    visit(root);
    return order.subarray(0, size);
  }

  // In this order, from its end, a node comes after all that were computed from it, so its gradient is complete when it
  // is handed on. Each child gets it times the local derivative, and adds up what it gets, the last child first. grads,
  // of the parameters, grow by what these get.
  backward(root, grads) {
    const { numbers, edges, reads, children, locals } = this;
    const grad = (this.grad = new Float64Array(this.size));
    grad[root] = 1;
    this.reached = this.order(root).reverse();
    for (const k of this.reached) {
      const g = grad[k];
      if (g === 0) continue;
      for (let e = this.endOf(k) - 1; e >= edges[k]; e--) grad[children[e]] += locals[e] * g;
      if (reads[k] === null) continue;
      const { x, inputs } = reads[k];
      const at = this.placeInNumbers(k);
      for (let j = 0; j < x.length; j++) grad[x[j]] += numbers[at + j] * g;
      for (let j = 0; j < inputs.length; j++) grads[at + j] += inputs[j] * g;
    }
  }
}
