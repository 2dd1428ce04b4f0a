// What a program that trains shows while it runs: its loss as a curve, and the names that it makes up at the end. Both
// are read from what it prints: "vocab size: 27", "step   12 / 1000 | loss 2.9876", "sample  1: carana".

const mean = (losses) => losses.reduce((sum, loss) => sum + loss, 0) / losses.length;

class Training {
  constructor() {
    this.chart = make("div", { className: "chart" });
    this.caption = make("p", {});
    this.names = make("ol", { className: "names", ariaLabel: "The names that it made up" });
    const figure = make("figure", {}, this.chart, this.caption);
    this.box = make("div", { className: "training", hidden: true }, figure, this.names);
  }

  begin() {
    this.losses = [];
    this.means = []; // of the last 100 losses, at each step
    this.names.replaceChildren();
    this.box.hidden = false;
  }

  take(line) {
    const [, name, value] = line.match(/^(vocab size|sample +\d+): (.*)/) ?? [];
    if (name === "vocab size") this.guessing = Math.log(Number(value));
    else if (name) this.names.append(make("li", { textContent: value }));
    const [, steps, loss] = line.match(/^step +\d+ \/ (\d+) \| loss ([\d.]+)/) ?? [];
    if (!loss) return;
    this.steps = Number(steps);
    this.losses.push(Number(loss));
    this.means.push(mean(this.losses.slice(-100)));
    this.drawing ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.drawing = undefined;
    const [width, height, left, right, top, bottom] = [this.chart.clientWidth, 190, 32, 24, 8, 36];
    const [low, high] = [1, this.guessing + 1];
    const x = (step) => left + (step / this.steps) * (width - left - right);
    const y = (loss) => top + ((high - Math.min(high, Math.max(low, loss))) / (high - low)) * (height - top - bottom);
    const line = (losses) => losses.map((loss, i) => `${x(i + 1).toFixed(1)},${y(loss).toFixed(1)}`).join(" ");
    const text = (x, y, anchor, words) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;
    const losses = [1, 2, 3, 4].map((loss) => text(left - 8, y(loss) + 4, "end", loss));
    const steps = [0, this.steps / 2, this.steps]
      .map((step) => text(x(step), height - 20, "middle", step.toLocaleString("en")));
    const last = this.means.at(-1).toFixed(2);
    const guessing = `guessing: ${this.guessing.toFixed(2)}`;
    const said = `The loss of ${this.losses.length} steps: the mean of the last 100 is ${last}; ${guessing}`;
    this.chart.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${said}">
      <path class="axes" d="M${left} ${top}V${y(low)}H${width - right}" />
      <polyline class="each" points="${line(this.losses)}" />
      <path class="guessing" d="M${left} ${y(this.guessing)}H${width - right}" />
      <polyline class="mean" points="${line(this.means)}" />
      ${text(width - right, y(this.guessing) - 6, "end", guessing)}
      ${text(left + 6, top + 10, "start", "loss")}
      ${text((left + width - right) / 2, height - 4, "middle", "step")}
      ${losses.join("")}${steps.join("")}</svg>`;
    this.caption.textContent = `thin: the loss of each name; thick: the mean of the last 100, now ${last}`;
  }
}
