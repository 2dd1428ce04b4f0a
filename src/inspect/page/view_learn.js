// Train one: training in the page, from fresh weights or from the model's own, on the names in the page.

// Steps a second; the last is as fast as the page can.
const speeds = [
  [1, "1 step a second"],
  [10, "10 a second"],
  [100, "100 a second"],
  [Infinity, "as fast as it can"],
];
const millisecondsAFrame = 12; // of computing, so that the page stays quick
const millisecondsBetweenViews = 120;

// As `microgpt train` begins: the seed shuffles the names, then draws the weights, as initialize() does.
function newLearner(model) {
  const random = new PythonRandom(state.learnSeed);
  const names = state.data.names.filter((name) => canRead(model, name));
  random.shuffle(names);
  const how = state.data.train;
  const first = (x) => (state.learnFrom === "fresh" ? random.gauss(0, how.init_std) : x);
  const begin = withNumbers(model, model.numbers.map(first));
  const beginning = { losses: [], running: false, due: 0, last: 0, shownAt: 0, namesAt: 0 };
  const trainer = new Trainer(begin, names, how);
  return { model, from: state.learnFrom, seed: state.learnSeed, names, trainer, ...beginning };
}

function learnOneStep(learn) {
  learn.losses.push(learn.trainer.step());
  if (learn.trainer.steps >= learn.trainer.how.num_steps) learn.running = false;
}

// Called for each frame while it runs. `due` counts the steps that the chosen speed owes.
function learnAFrame(now) {
  const { learn } = state;
  if (!learn.running) return showLearning(true);
  const { learnSpeed } = state;
  learn.due = Math.min(learn.due + ((now - learn.last) / 1000) * Math.min(learnSpeed, 1e6), Math.max(learnSpeed, 1));
  learn.last = now;
  const end = performance.now() + millisecondsAFrame;
  while (learn.running && learn.due >= 1 && performance.now() < end) {
    learnOneStep(learn);
    learn.due--;
  }
  showLearning(false);
  requestAnimationFrame(learnAFrame);
}

function runOrPause() {
  const { learn } = state;
  learn.running = !learn.running && learn.trainer.steps < learn.trainer.how.num_steps;
  learn.last = performance.now();
  learn.due = 1;
  if (learn.running) requestAnimationFrame(learnAFrame);
  showLearning(true);
}

// --- What is shown ---------------------------------------------------------------------------------------------------

function learningStatus({ trainer, losses, names, from }) {
  const beginnings = {
    fresh: "Its numbers are random: it has learned nothing yet.",
    model: "It begins with what this model knows.",
  };
  if (losses.length === 0) return `Step 0 of ${trainer.how.num_steps}. ${beginnings[from]}`;
  const recent = runningMean(losses, 50).at(-1);
  const name = names[(trainer.steps - 1) % names.length];
  return (
    `Step ${trainer.steps} of ${trainer.how.num_steps}: read “${name}”, loss ${fixed(losses.at(-1))}. ` +
    `Mean of the last ${Math.min(50, losses.length)}: ${fixed(recent)}.`
  );
}

function showLearning(isWhole) {
  const { learn } = state;
  if (learn === null) return;
  const now = performance.now();
  byId("learn-status").textContent = learningStatus(learn);
  byId("learn-run").textContent = learn.running ? "Pause" : "Train";
  byId("learn-run").disabled = byId("learn-step").disabled = learn.trainer.steps >= learn.trainer.how.num_steps;
  if (!isWhole && (now - learn.shownAt < millisecondsBetweenViews || !isWithin(0, byId("learn")))) return;
  learn.shownAt = now;
  showLearningFigures(learn);
  if (isWhole || now - learn.namesAt > 5 * millisecondsBetweenViews) {
    learn.namesAt = now;
    const names = sample(learn.trainer.model, { seed: "42", temperature: 0.8, num: 8 });
    showNames("learn-names", names);
  }
}

function showLearningFigures(learn) {
  const { trainer, losses } = learn;
  const { model } = trainer;
  const curve = byId("learn-curve");
  renew(curve, lossCurve(losses, trainer.how.num_steps, learningStatus(learn), chartBox(curve)));
  const { tokens, labels } = state.shown;
  const { weights } = forward(model, tokens);
  byId("learn-text").textContent = state.text;
  byId("learn-cut").textContent = cutNote(tokens.length);
  const words = (name) => `Map of ${name} after ${trainer.steps} steps`;
  renew(byId("learn-maps"), mapsOfHeads(model, { weights, labels }, words));
  fillMaps((map) => isWithin(0, map));
}

// --- Controls --------------------------------------------------------------------------------------------------------

function resetLearning(what = {}) {
  Object.assign(state, what);
  if (state.learn) state.learn.running = false;
  state.learn = newLearner(state.shown.model);
  const choices = [["fresh", "Random numbers"], ["model", "This model’s parameters"]];
  showChoices(byId("learn-from"), choices, state.learnFrom, (learnFrom) => resetLearning({ learnFrom }));
  byId("learn-seed").value = state.learnSeed;
  byId("learn-speed").value = String(state.learnSpeed);
  showLearning(true);
  writeLinkSoon();
}

// --- Keeping what was trained ----------------------------------------------------------------------------------------

const trainedFile = "trained.safetensors";

// What the page says of it: it was trained on the names here, and measured on them.
function aboutTrained({ about }, { model, names, from, trainer }) {
  const losses = names.map((name) => read(model, name, unchanged, 1));
  const right = ({ probs, targets }) => targets.filter((target, t) => Math.max(...probs[t]) === probs[t][target]).length;
  const total = (of) => losses.reduce((sum, each) => sum + of(each), 0);
  return {
    ...about,
    ...{ name: trainedFile, path: trainedFile, heads: null, maps: null, history: [] },
    ...(from === "fresh" ? { learned: names.length, step: trainer.steps, batch: 1 } : {}),
    measured: {
      loss: total(({ loss }) => loss) / names.length,
      accuracy: total(right) / total(({ targets }) => targets.length),
      documents: names.length,
    },
    measured_on: { kind: "seen", available: names.length },
  };
}

// The whole page shows it, as the second model, so that it can be compared with the first. Its training can go on.
function useTrained() {
  const { learn } = state;
  learn.running = false;
  const { numbers } = learn.trainer.model;
  const model = withNumbers(learn.trainer.model, numbers.slice());
  learn.model = model;
  state.models[1] = { model, about: aboutTrained(state.shown, { ...learn, model }) };
  change({ model: 1, maps: "name", tab: "picture" }, { scroll: true });
}

function saveTrained() {
  const href = URL.createObjectURL(safetensors(state.learn.trainer.model));
  element("a", { href, download: trainedFile }).click();
  byId("learn-status").textContent = `Saved as ${trainedFile}, which microgpt eval and microgpt sample read.`;
}

function startLearn() {
  byId("learn-seed").addEventListener("change", ({ target }) => {
    const { value } = target;
    const seed = seedText(value);
    resetLearning({ learnSeed: seed ?? state.learnSeed });
    if (seed !== undefined) return;
    byId("learn-status").textContent = `“${value}” is no whole number; the seed stays ${state.learnSeed}.`;
  });
  byId("learn-speed").append(...speeds.map(([speed, name]) => element("option", { value: String(speed) }, name)));
  byId("learn-speed").addEventListener("change", ({ target }) => {
    state.learnSpeed = Number(target.value);
    writeLinkSoon();
  });
  byId("learn-run").addEventListener("click", runOrPause);
  byId("learn-step").addEventListener("click", () => {
    state.learn.running = false;
    learnOneStep(state.learn);
    showLearning(true);
  });
  byId("learn-reset").addEventListener("click", () => resetLearning());
  byId("learn-use").addEventListener("click", useTrained);
  byId("learn-save").addEventListener("click", saveTrained);
}

function showLearn({ model }) {
  const able = state.data.names.some((name) => canRead(model, name));
  byId("learning").hidden = !able;
  byId("cannot-learn").hidden = able;
  if (!able && state.learn) state.learn.running = false;
  if (!able) return;
  const { learn, learnFrom, learnSeed } = state;
  if (learn?.model !== model || learn.from !== learnFrom || learn.seed !== learnSeed) resetLearning();
  else if (!state.learn.running) showLearningFigures(state.learn);
}
