// Runs the programs of the lessons in the page: <div class="run" data-program="01_bigram"></div> becomes a button, and
// a field for a list of names. A program lies in run/01_bigram.js, compressed. It is loaded when it first starts, and
// runs in a worker of its own. When it has ended, the div gets the event "ran", with {program} as its detail.
//
// Before this file stands `const bookPrograms = {"01_bigram": true, ...}`: what can run, and whether it takes names.
"use strict";

async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// What the worker needs: {source, wasmBinary, files}; and the lines that the native program prints.
async function unpackedProgram(name) {
  const [data, own] = await Promise.all(["run/data", `run/${name}`].map(load));
  const files = {};
  for (const [path, letters] of Object.entries({ ...data.files, ...own.files })) files[path] = await unpacked(letters);
  const [loader, wasmBinary] = await Promise.all([own.loader, own.wasm].map(unpacked));
  const parts = ["onmessage = ({ data: Module }) => {", data.worker, loader, "};"];
  return { source: new Blob(parts, { type: "text/javascript" }), wasmBinary, files, expected: own.expected?.trimEnd().split("\n") };
}

/// One line of the output, marked by the class `kind`.
function addLine(output, line, kind = "") {
  output.append(kind ? make("span", { className: kind, textContent: `${line}\n` }) : `${line}\n`);
}

/// Of a lesson its output is in sight, of the heart its training; its output is folded.
class BookRun {
  constructor(div) {
    this.div = div;
    this.program = div.dataset.program;
    if (this.program === "heart") this.training = new Training();
    this.names = make("input", { name: "NAMES", type: "file", accept: ".txt,text/plain" });
    const field = make("label", { className: "settings" }, "names of your own: ", this.names);
    field.hidden = !bookPrograms[this.program];
    this.button = make("button", { type: "button", textContent: div.dataset.label, onclick: () => this.press() });
    this.state = make("span", { className: "state" });
    this.state.setAttribute("role", "status");
    this.output = make("pre", { className: "output", tabIndex: 0 });
    this.below = make("div", {});
    const summary = make("summary", { textContent: "The whole output" });
    this.whole = this.training ? make("details", {}, summary, this.output) : this.output;
    this.whole.hidden = true;
    const shown = this.training ? [this.training.box, this.below, this.whole] : [this.whole, this.below];
    div.replaceChildren(this.button, " ", field, " ", this.state, ...shown);
  }

  press() {
    if (this.running) this.end("stopped");
    else this.start();
  }

  async start() {
    const running = { lines: 0, isSame: true, began: performance.now() };
    this.running = running;
    this.button.textContent = "Stop";
    this.whole.hidden = false;
    this.output.textContent = "";
    this.training?.begin();
    this.below.replaceChildren();
    this.clock = setInterval(() => this.showTime(), 100);
    try {
      const [list] = this.names.files;
      const code = await unpackedProgram(this.program);
      const names = list ? `names/${list.name}` : "data/names.txt";
      if (list) code.files[names] = new Uint8Array(await list.arrayBuffer());
      running.expected = list ? null : code.expected;
      if (this.running !== running) return; // it was stopped
      const tell = (message) => this.running === running && this.take(message);
      const worker = (running.worker = new Worker(URL.createObjectURL(code.source)));
      worker.onmessage = ({ data }) => tell(data);
      worker.onerror = (event) => tell({ code: 1, crash: event.message || "its worker did not start", pictures: [] });
      worker.postMessage({ wasmBinary: code.wasmBinary, files: code.files, arguments: [names] });
    } catch (error) {
      if (this.running === running) this.end(error.message);
    }
  }

  showTime() {
    this.state.textContent = `${((performance.now() - this.running.began) / 1000).toFixed(1)} s`;
  }

  take({ line, error, ...end }) {
    const { running } = this;
    if (line !== undefined) {
      const isSame = !running.expected || line === running.expected[running.lines++];
      running.isSame &&= isSame;
      addLine(this.output, line, isSame ? "" : "added");
      this.training?.take(line);
    } else if (error !== undefined) {
      if (error.startsWith("wrote ")) return; // the pictures are shown
      addLine(this.output, error, "error");
    } else {
      this.finish(end);
    }
  }

  finish({ code, crash, pictures, seconds }) {
    const { lines, isSame, expected } = this.running;
    if (crash) addLine(this.output, `the program crashed: ${crash}`, "error");
    this.end(seconds === undefined ? "" : `${seconds.toFixed(1)} s`);
    if (this.whole !== this.output && code !== 0) this.whole.open = true; // it says why
    if (expected) {
      const native = this.training ? "make train shows" : "the lesson shows";
      const said = isSame && lines === expected.length ? `It prints what ${native}, to the letter.`
        : `Lines that are not what ${native} are marked. There ${expected.length} lines are shown; here are ${lines}.`;
      this.below.append(make("p", { textContent: said }));
    }
    for (const { name, svg } of pictures) {
      const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      this.below.append(make("figure", {}, make("img", { src, alt: `${name}, as the program drew it` })));
    }
    this.div.dataset.code = code;
    this.div.dispatchEvent(new CustomEvent("ran", { bubbles: true, detail: { program: this.program } }));
  }

  end(state) {
    this.running.worker?.terminate();
    this.running = null;
    clearInterval(this.clock);
    this.state.textContent = state;
    this.button.textContent = "Run again";
  }
}

function prepareRuns() {
  for (const div of document.querySelectorAll(".run[data-program]")) {
    if (div.dataset.program in bookPrograms) new BookRun(div);
    else div.append(make("p", { textContent: "This program does not run in the page. The text shows what it prints." }));
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", prepareRuns);
else prepareRuns();
