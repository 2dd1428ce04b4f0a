// Training in the page: document_loss(), backward() and Adam of src/microgpt.cpp, a name a step.

class Trainer {
  // The model's numbers are trained in place. `how` is data.train; names are taken in order, again and again.
  constructor(model, names, how) {
    const zeros = () => new Float64Array(model.numbers.length);
    Object.assign(this, { model, names, how, steps: 0, grad: zeros(), m: zeros(), v: zeros() });
  }

  // One document: forward, backward, Adam. Returns its loss before the step.
  step() {
    const { model, names } = this;
    const loss = new Run(model).documentLoss(encode(model, names[this.steps % names.length]));
    model.tape.backward(loss, this.grad);
    this.update();
    return model.tape.data[loss];
  }

  // Adam: Adam::update() of src/microgpt.cpp. After the last planned step the rate stays 0.
  update() {
    const { m, v, grad, model: { numbers } } = this;
    const { learning_rate, num_steps, beta1, beta2, eps } = this.how;
    const rate = learning_rate * Math.max(0, 1 - this.steps / num_steps);
    this.steps++;
    const m_correction = 1 - beta1 ** this.steps;
    const v_correction = 1 - beta2 ** this.steps;
    for (let i = 0; i < numbers.length; i++) {
      m[i] = beta1 * m[i] + (1 - beta1) * grad[i];
      v[i] = beta2 * v[i] + (1 - beta2) * (grad[i] * grad[i]);
      numbers[i] -= (rate * (m[i] / m_correction)) / (Math.sqrt(v[i] / v_correction) + eps);
      grad[i] = 0;
    }
  }
}
