// The tape: every number that a model computes is a node, in the order in which the program's scalar engine makes it. A
// node remembers its children, and its derivative with respect to each. Read this beside src/microgpt.cpp: there a Value
// points to its node, here it is a number: 0 for the first node that is computed, 1 for the next. The parameters, which
// are there before them, lie in a list of their own, `numbers`; that at place `at` is the Value -1 - at.

class Tape {
  // With `names`, nodes are named as they are made, and know their children.
  constructor(numbers, names = null) {
    Object.assign(this, { numbers, names, size: 0, ops: [], data: [], edges: [], children: [], locals: [] });
    this.places = []; // { from, position, layer, part }: where in the model the nodes from that number on were made
  }

  value(k) {
    return k < 0 ? this.numbers[-1 - k] : this.data[k];
  }

  begin(position, layer, part) {
    this.places.push({ from: this.size, position, layer, part });
  }

  // Returns the nodes; index(i) is what stands behind the name of node i.
  name(nodes, name, index = (i) => `[${i}]`) {
    if (this.names) nodes.forEach((node, i) => (this.names[node] = { name, index, i }));
    return nodes;
  }

  nameOne(node, name, index = "") {
    this.name([node], name, () => index);
    return node;
  }

  // --- Nodes ---------------------------------------------------------------------------------------------------------

  // A node without children; edge() adds them to the last one.
  node(op, data) {
    const k = this.size++;
    this.ops[k] = op;
    this.data[k] = data;
    this.edges[k] = this.children.length;
    return k;
  }

  edge(child, local) {
    if (this.names === null) return;
    this.children.push(child);
    this.locals.push(local);
  }

  unary(op, data, a, local) {
    const y = this.node(op, data);
    this.edge(a, local);
    return y;
  }

  endOf(k) {
    return this.edges[k + 1] ?? this.children.length;
  }

  // --- Operations on values ------------------------------------------------------------------------------------------

  constant(x) {
    return this.node("constant", x);
  }

  plus(a, b) {
    const y = this.node("+", this.value(a) + this.value(b));
    this.edge(a, 1);
    this.edge(b, 1);
    return y;
  }

  plusNumber(a, x) {
    return this.unary("+", this.value(a) + x, a, 1);
  }

  times(a, b) {
    const [x, y] = [this.value(a), this.value(b)];
    const product = this.node("*", x * y);
    this.edge(a, y);
    this.edge(b, x);
    return product;
  }

  timesNumber(a, x) {
    return this.unary("*", this.value(a) * x, a, x);
  }

  pow(a, exponent) {
    const x = this.value(a);
    return this.unary("pow", x ** exponent, a, exponent * x ** (exponent - 1));
  }

  log(a) {
    return this.unary("log", Math.log(this.value(a)), a, 1 / this.value(a));
  }

  // exp is its own derivative.
  exp(a) {
    const y = Math.exp(this.value(a));
    return this.unary("exp", y, a, y);
  }

  relu(a) {
    const x = this.value(a);
    return this.unary("relu", x > 0 ? x : 0, a, x > 0 ? 1 : 0);
  }

  // --- Operations on lists of values ---------------------------------------------------------------------------------

  sum(x) {
    const y = this.node("sum", x.reduce((total, xi) => total + this.value(xi), 0));
    for (const xi of x) this.edge(xi, 1);
    return y;
  }

  add(a, b) {
    return a.map((ai, i) => this.plus(ai, b[i]));
  }

  // The children are a[0], b[0], a[1], b[1], ...
  dot(a, b) {
    let total = 0;
    for (let i = 0; i < a.length; i++) total += this.value(a[i]) * this.value(b[i]);
    const y = this.node("dot", total);
    for (let i = 0; i < a.length; i++) {
      this.edge(a[i], this.value(b[i]));
      this.edge(b[i], this.value(a[i]));
    }
    return y;
  }

  // Output i is the dot product of row i of the matrix and x.
  linear(x, { at, rows, cols }) {
    const inputs = x.map((xi) => this.value(xi));
    return Array.from({ length: rows }, (_, i) => {
      const row = this.numbers.subarray(at + i * cols, at + (i + 1) * cols);
      const y = this.node("dot", dot(inputs, row));
      x.forEach((xi, j) => {
        this.edge(-1 - (at + i * cols + j), inputs[j]);
        this.edge(xi, row[j]);
      });
      return y;
    });
  }

  rmsnorm(x) {
    const squares = this.nameOne(this.dot(x, x), "sum of squares");
    const mean = this.nameOne(this.timesNumber(squares, 1 / x.length), "mean square");
    const above = this.nameOne(this.plusNumber(mean, 1e-5), "mean square + 1e-5");
    const scale = this.nameOne(this.pow(above, -0.5), "1 / root mean square");
    return x.map((xi) => this.times(xi, scale));
  }

  // Scores of -Infinity get no weight. If there are no others, no position gets any. index names the nodes.
  softmax(scores, index) {
    const max = Math.max(...scores.map((score) => this.value(score)));
    if (max === -Infinity) return scores.map(() => this.constant(0));
    const exps = scores.map((score, i) => {
      const lessMax = this.nameOne(this.plusNumber(score, -max), "score - max", index?.(i));
      return this.nameOne(this.exp(lessMax), "exp(score - max)", index?.(i));
    });
    const total = this.nameOne(this.sum(exps), "sum of exps");
    const [share, local] = [this.value(total) ** -1, -(this.value(total) ** -2)];
    return exps.map((exp) => {
      const part = this.nameOne(this.unary("pow", share, total, local), "1 / sum of exps");
      return this.times(exp, part);
    });
  }

  // Rotates the pairs (2i, 2i + 1) of x by an angle that grows with the position (RoPE).
  rotate(x, position, base) {
    const mix = (a, p, b, q) => this.plus(this.timesNumber(a, p), this.timesNumber(b, q));
    return x.map((_, j) => {
      const i = j - (j % 2);
      const angle = position * base ** (-i / x.length);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      return j === i ? mix(x[i], cos, x[i + 1], -sin) : mix(x[i], sin, x[i + 1], cos);
    });
  }

  // --- The way back --------------------------------------------------------------------------------------------------

  // What root was computed from, but for parameters, and root at the end: children first, depth first, as the program
  // visits them.
  order(root) {
    const { edges, children } = this;
    const order = [];
    const seen = new Uint8Array(root + 1);
    const visit = (k) => {
      seen[k] = 1;
      for (let e = edges[k], end = this.endOf(k); e < end; e++) {
        if (children[e] >= 0 && !seen[children[e]]) visit(children[e]);
      }
      order.push(k);
    };
    visit(root);
    return order;
  }

  // In this order, from its end, a node comes after all that were computed from it, so its gradient is complete when it
  // is handed on. Each child gets it times the local derivative, and adds up what it gets, the last child first.
  // Returns the gradients of the nodes and of the parameters, and the nodes in the order in which they came.
  backward(root) {
    const { numbers, edges, children, locals } = this;
    const [grad, parameterGrad] = [new Float64Array(this.size), new Float64Array(numbers.length)];
    grad[root] = 1;
    const reached = this.order(root).reverse();
    for (const k of reached) {
      for (let e = this.endOf(k) - 1; e >= edges[k]; e--) {
        const amount = locals[e] * grad[k];
        if (children[e] < 0) parameterGrad[-1 - children[e]] += amount;
        else grad[children[e]] += amount;
      }
    }
    return { grad, parameterGrad, reached };
  }
}
