// Value: a number that remembers how it was computed, as in src/scalar/value.h, with the operations of ops.h on lists
// of Values. Compute a loss with Values and call loss.backward(): then every Value that went into the loss knows its
// gradient, how fast the loss changes with it. Read the two side by side: here stand the same nodes, with the same
// children in the same order, so that node number 17 is node #17 of the debugger.

// --- A value: one number, and how it came about ----------------------------------------------------------------------

// In C++ a Value points to its Node; here it is the node. children are the Values it was computed from, and
// local_grads[i] is the derivative of data with respect to children[i]. `row` is a row of a parameter matrix that it
// read, or null: { parameter, i, j, grads, locals }, the numbers from [i][j] on. These parameters are children, too,
// but two plain lists stand for them: locals, the derivatives of data, and grads, where their gradients add up.
class Value {
  constructor(tape, op, data, children, local_grads, row = null) {
    Object.assign(this, { tape, number: tape.nodes.length, op, data, grad: 0, children, local_grads, row });
    tape.nodes.push(this);
  }

  plus(b) {
    if (typeof b === "number") return new Value(this.tape, "+", this.data + b, [this], [1]);
    return new Value(this.tape, "+", this.data + b.data, [this, b], [1, 1]);
  }

  times(b) {
    if (typeof b === "number") return new Value(this.tape, "*", this.data * b, [this], [b]);
    return new Value(this.tape, "*", this.data * b.data, [this, b], [b.data, this.data]);
  }

  over(b) {
    return this.times(typeof b === "number" ? b ** -1 : b.pow(-1));
  }

  negated() {
    return this.times(-1);
  }

  pow(exponent) {
    return new Value(this.tape, "pow", this.data ** exponent, [this], [exponent * this.data ** (exponent - 1)]);
  }

  log() {
    return new Value(this.tape, "log", Math.log(this.data), [this], [1 / this.data]);
  }

  // exp(x - less) as one node: softmax subtracts the largest number first. exp is its own derivative.
  exp(less = 0) {
    const data = Math.exp(this.data - less);
    return new Value(this.tape, "exp", data, [this], [data]);
  }

  relu() {
    const isPositive = this.data > 0;
    return new Value(this.tape, "relu", isPositive ? this.data : 0, [this], [isPositive ? 1 : 0]);
  }

  backward() {
    this.tape.backward(this);
  }
}

// --- The tape: all nodes, in the order in which they were made -------------------------------------------------------

class Tape {
  constructor() {
    this.nodes = [];
    this.order = []; // of backward(): children before their parents
  }

  // All nodes below the root, children before parents: depth first, as build_topo in microgpt.py.
  topologicalOrder(root) {
    const isSeen = new Uint8Array(this.nodes.length);
    const order = [];
    const visit = (node) => {
      isSeen[node.number] = 1;
      for (const child of node.children) if (!isSeen[child.number]) visit(child);
      order.push(node);
    };
    visit(root);
    return order;
  }

  // Read from its end, that order has every node after those that were computed from it, so its gradient is complete
  // when it is handed on. Each child gets it times the local gradient, and adds up what it gets, the last child first.
  backward(root) {
    this.order = this.topologicalOrder(root);
    root.grad = 1;
    for (let k = this.order.length - 1; k >= 0; k--) {
      const { grad, children, local_grads, row } = this.order[k];
      for (let i = children.length - 1; i >= 0; i--) children[i].grad += local_grads[i] * grad;
      if (row) for (let i = 0; i < row.grads.length; i++) row.grads[i] += row.locals[i] * grad;
    }
  }
}

// --- A matrix of parameters: read row by row as Values (an embedding), or whole (a linear layer) ---------------------

class Parameter {
  constructor(tape, name, data, grad) {
    Object.assign(this, { tape, name, data, grad, rows: new Map() });
  }

  // Row i as Values. Each call returns the same ones, so that a row that is used twice collects its whole gradient.
  row(i) {
    if (!this.rows.has(i)) {
      const leaf = (data, j) => {
        const grads = this.grad.row(i).subarray(j, j + 1);
        return new Value(this.tape, "parameter", data, [], [], { parameter: this, i, j, grads, locals: [1] });
      };
      this.rows.set(i, Array.from(this.data.row(i), leaf));
    }
    return this.rows.get(i);
  }
}

// --- Operations on lists of Values -----------------------------------------------------------------------------------

const ops = {
  sum(x) {
    const total = x.reduce((sum, { data }) => sum + data, 0);
    return new Value(x[0].tape, "sum", total, x, new Float64Array(x.length).fill(1));
  },

  mean(x) {
    return ops.sum(x).times(1 / x.length);
  },

  // The children are a[0], b[0], a[1], b[1], ...
  dot(a, b) {
    const total = a.reduce((sum, { data }, i) => sum + data * b[i].data, 0);
    const children = a.flatMap((_, i) => [a[i], b[i]]);
    const local_grads = a.flatMap((_, i) => [b[i].data, a[i].data]);
    return new Value(a[0].tape, "dot", total, children, local_grads);
  },

  // Output i is the dot product of x and row i of the matrix. All outputs share one list of children.
  linear(x, parameter) {
    const locals = Float64Array.from(x, ({ data }) => data);
    return Array.from({ length: parameter.data.rows }, (_, i) => {
      const weights = parameter.data.row(i);
      const row = { parameter, i, j: 0, grads: parameter.grad.row(i), locals };
      return new Value(parameter.tape, "linear", dot(weights, locals), x, weights, row);
    });
  },

  softmax(logits) {
    const max = logits.reduce((most, { data }) => Math.max(most, data), logits[0].data);
    const exps = logits.map((logit) => logit.exp(max));
    const total = ops.sum(exps);
    return exps.map((exp) => exp.over(total));
  },

  rmsnorm(x) {
    const mean_square = ops.dot(x, x).over(x.length);
    const scale = mean_square.plus(1e-5).pow(-0.5);
    return x.map((xi) => xi.times(scale));
  },

  add(a, b) {
    return a.map((ai, i) => ai.plus(b[i]));
  },

  activate(x, name) {
    const y = x.map((xi) => xi.relu());
    return name === "squared_relu" ? y.map((yi) => yi.pow(2)) : y;
  },

  crossEntropy(logits, target) {
    return ops.softmax(logits)[target].log().negated();
  },
};
