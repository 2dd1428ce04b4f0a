// Runs the programs of the lessons in the page: <div class="run" data-program="01_bigram"></div> becomes a button, and
// a field for a list of names. A program lies in run/01_bigram.js, compressed. It is loaded when it first starts, and
// runs in a worker of its own. When it has ended, the div gets the event "ran", with {program} as its detail.
//
// Before this file stands `const bookPrograms = {"01_bigram": true, ...}`: what can run, and whether it takes names.
"use strict";

const isBreak = (program) => program.includes("/break/");

async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackedFiles(files) {
  const all = Object.entries(files).map(async ([path, letters]) => [path, await unpacked(letters)]);
  return Object.fromEntries(await Promise.all(all));
}

/// What pieces of `before` and new ones make together; src/book/pack.mjs has found them.
async function edited(before, edits) {
  const pieces = edits.map((edit) => typeof edit === "string"
    ? Uint8Array.from(atob(edit), (letter) => letter.charCodeAt(0))
    : before.subarray(...edit));
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/// What the worker needs: {source, wasmBinary, files}; and what the program prints if nothing is changed. A break is
/// made from the lesson's program.
async function unpackedProgram(name) {
  const names = [isBreak(name) ? name.split("/")[0] : name, "data", name];
  const [lesson, data, own] = await Promise.all(names.map((each) => load(`run/${each.replace(/\/(break\/)?/, ".")}`)));
  const files = await unpackedFiles({ ...data.files, ...lesson.files });
  let [loader, wasmBinary] = await Promise.all([lesson.loader, lesson.wasm].map(unpacked));
  if (own.edits) {
    loader = await edited(loader, own.edits.loader);
    wasmBinary = await edited(wasmBinary, own.edits.wasm);
  }
  const parts = ["onmessage = ({ data: Module }) => {", data.worker, loader, "};"];
  return { source: new Blob(parts, { type: "text/javascript" }), wasmBinary, files, expected: lesson.expected };
}

// --- What differs -------------------------------------------------------------------------------------------------

/// The lines of two texts, in order, as [mark, line]: " " is in both, "-" only in the first, "+" only in the second.
/// The table counts the lines that the rests of the texts have in common, at most.
function comparedLines(first, second) {
  const width = second.length + 1;
  const common = new Uint32Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      common[i * width + j] = first[i] === second[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0, j = 0;
  while (i < first.length || j < second.length) {
    if (i < first.length && first[i] === second[j]) {
      lines.push([" ", first[i++]]);
      j++;
    } else if (j === second.length || i < first.length && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      lines.push(["-", first[i++]]);
    } else {
      lines.push(["+", second[j++]]);
    }
  }
  return lines;
}

/// The lines that differ, each with one line before and after it, as `make lesson-NN BREAK=idea` shows them. Parts that
/// are left out are "...".
function differences(expected, printed) {
  const lines = comparedLines(expected, printed);
  const isNear = lines.map((_, n) => lines.slice(Math.max(0, n - 1), n + 2).some(([mark]) => mark !== " "));
  const shown = [];
  lines.forEach(([mark, line], n) => {
    if (isNear[n]) {
      if (n > 0 && !isNear[n - 1] || shown.length === 0) shown.push(["", "..."]);
      shown.push([mark, mark + line]);
    }
  });
  return shown;
}

// --- One program of the page --------------------------------------------------------------------------------------

/// One line of the output, marked by the class `kind`.
function addLine(output, line, kind = "") {
  output.append(kind ? make("span", { className: kind, textContent: `${line}\n` }) : `${line}\n`);
}

const bookKinds = { "-": "removed", "+": "added", " ": "", "": "" };

/// Says what the output has to do with that of the native program. What a break changes is its point.
function showComparison(below, { program, expected, lines, errors, crash }) {
  const broken = isBreak(program);
  const shown = differences(expected.trimEnd().split("\n"), lines);
  const changed = shown.filter(([mark]) => mark.trim()).length;
  const native = program === "heart" ? "make train shows" : "the lesson shows";
  if (!broken && !changed) return below.append(make("p", { textContent: `It prints what ${native}, to the letter.` }));
  const [before, after] = broken ? ["without the mistake", "with it"] : [`as ${native}`, "here"];
  const legend = [make("span", { className: "removed", textContent: `- ${before}` }), ", ",
    make("span", { className: "added", textContent: `+ ${after}` })];
  below.append(make("p", {}, "What changes in the output (", ...legend, "):"));
  const difference = make("pre", { className: "difference", tabIndex: 0 });
  for (const [mark, line] of shown) addLine(difference, line, bookKinds[mark]);
  if (broken) errors.forEach((line) => addLine(difference, line));
  if (broken && crash) addLine(difference, `+the program crashed: ${crash}`, "added");
  if (broken && !changed && !crash) addLine(difference, "nothing");
  below.append(difference);
  watchScrolling(difference);
}

function showPictures(below, pictures) {
  for (const { name, svg } of pictures) {
    const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    below.append(make("figure", {}, make("img", { src, alt: `${name}, as the program drew it` })));
  }
}

/// Starts the program in a worker, with a file of names. `tell` gets each of its messages, and at last one with a code.
/// Returns the worker.
function startWorker({ source, wasmBinary, files }, names, tell) {
  const address = URL.createObjectURL(source);
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => tell(data);
  worker.onerror = (event) => tell({ code: 1, crash: event.message || "its worker did not start", pictures: [] });
  worker.postMessage({ wasmBinary, files, arguments: [names] });
  return worker;
}

/// What the program is for decides what is in sight: of a lesson its output, of a break what differs, of the heart its
/// training. The rest is folded.
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
    const isFolded = this.training || isBreak(this.program);
    const summary = make("summary", { textContent: "The whole output" });
    this.whole = isFolded ? make("details", {}, summary, this.output) : this.output;
    this.whole.hidden = true;
    div.replaceChildren(this.button, " ", field, " ", this.state, this.whole);
    if (isFolded) this.whole.before(...(this.training ? [this.training.box] : []), this.below);
    else this.whole.after(this.below);
  }

  press() {
    if (this.running) this.end("stopped");
    else this.start();
  }

  async start() {
    const running = { lines: [], errors: [], began: performance.now() };
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
      running.worker = startWorker(code, names, tell);
    } catch (error) {
      if (this.running === running) this.end(error.message);
    }
  }

  showTime() {
    this.state.textContent = `${((performance.now() - this.running.began) / 1000).toFixed(1)} s`;
  }

  take({ line, error, ...end }) {
    const { lines, errors } = this.running;
    if (line !== undefined) {
      lines.push(line);
      addLine(this.output, line);
      this.training?.take(line);
    } else if (error !== undefined) {
      if (error.startsWith("wrote ")) return; // the pictures are shown
      errors.push(error);
      addLine(this.output, error, "error");
    } else {
      this.finish(end);
    }
  }

  finish({ code, crash, pictures, seconds }) {
    const { lines, errors, expected } = this.running;
    if (crash) addLine(this.output, `the program crashed: ${crash}`, "error");
    this.end(seconds === undefined ? "" : `${seconds.toFixed(1)} s`);
    if (this.whole !== this.output && code !== 0 && !isBreak(this.program)) this.whole.open = true; // it says why
    if (expected) showComparison(this.below, { program: this.program, expected, lines, errors, crash });
    showPictures(this.below, pictures);
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
