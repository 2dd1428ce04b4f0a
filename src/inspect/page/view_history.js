// How it learned: the first model as it was at each point of its training. One slider, in the bar at the top, moves
// the whole page to a point.

const millisecondsAPoint = 160; // while it plays
const pointsInTable = 8;

// --- The points ------------------------------------------------------------------------------------------------------

// Each point as a model of the page. The last one is the model itself.
function pointsOf({ about, model }) {
  const points = about.history.map((point) => ({ about: { ...about, ...point }, model: null }));
  Object.assign(points.at(-1).about, about);
  points.at(-1).model = model;
  return points;
}

// The weights, which are float32 but for the last point, are unpacked when they are asked for.
function pointModel(i) {
  const point = state.points[i];
  point.model ??= decodeModel(point.about, Float64Array.from(numbersOfBase64(point.about.weights, Float32Array)));
  return point;
}

// Where a step lies on the slider and in curves, from 0 to 1: by the logarithm of its step, for a model learns most in
// its first steps.
function placeOfStep(step) {
  const [first, here, last] = [state.points[0].about.step, step, state.points.at(-1).about.step].map(Math.log1p);
  return (here - first) / (last - first);
}

function placeOfPoint(i) {
  return placeOfStep(state.points[i].about.step);
}

function pointAtPlace(place, placeOf = placeOfPoint) {
  return most([...state.points.keys()], (i) => -Math.abs(placeOf(i) - place));
}

// The last point after at most so many steps.
function pointOfStep(step) {
  const later = state.points.findIndex(({ about }) => about.step > step);
  return later < 0 ? state.points.length - 1 : Math.max(0, later - 1);
}

// Makes the first model of the page what it was at the chosen step. A link may hold a step that was not kept.
function followStep() {
  const at = pointOfStep(state.step);
  state.step = at < state.points.length - 1 ? state.points[at].about.step : Infinity;
  if (state.points.length > 0) state.models[0] = pointModel(at);
}

function goToPoint(i) {
  state.step = state.points[i].about.step;
  state.model = 0;
  showAnew();
}

function pickPoint(i) {
  stopPlaying();
  goToPoint(i);
}

function stepWords({ step }) {
  return `${counted(step)} step${step === 1 ? "" : "s"}`;
}

// --- The slider ------------------------------------------------------------------------------------------------------

function showSlider() {
  if (state.points.length === 0) return;
  const i = pointOfStep(state.step);
  const { about } = state.points[i];
  const of = counted(state.points.at(-1).about.step);
  byId("point").value = placeOfPoint(i);
  byId("point").setAttribute("aria-valuetext", `after ${stepWords(about)} of ${of}`);
  const words = state.model === 1 ? " of the page’s model" : ` of ${of}`;
  renew(byId("point-step"), ...explained(`[step] ${counted(about.step)}`), element("span", { class: "unit" }, words));
  byId("play").textContent = state.playing ? "Pause" : "Replay training";
}

function stopPlaying() {
  clearTimeout(state.playing);
  state.playing = 0;
}

function playOn() {
  const i = pointOfStep(state.step) + 1;
  state.playing = i < state.points.length - 1 ? setTimeout(playOn, millisecondsAPoint) : 0;
  goToPoint(i);
}

function playOrPause() {
  const isPlaying = state.playing !== 0;
  const isAtTheEnd = pointOfStep(state.step) === state.points.length - 1;
  stopPlaying();
  if (!isPlaying) state.playing = setTimeout(playOn, millisecondsAPoint);
  if (!isPlaying && isAtTheEnd) goToPoint(0);
  else showSlider();
}

// --- Charts over the steps -------------------------------------------------------------------------------------------

// The first step, the powers of ten, and the last, where there is room for them.
function stepTicks() {
  const [first, last] = [0, -1].map((i) => state.points.at(i).about.step);
  const powers = [10, 100, 1000, 10000, 100000, 1000000].filter((step) => step > first && placeOfStep(step) < 0.85);
  const words = [first, ...powers, last].map((step) => [placeOfStep(step), counted(step)]);
  return [[0, `step ${words[0][1]}`], ...words.slice(1)];
}

// `lines` as of lineChart(), with a value for each point. `tip` tells of a point; a click picks it.
function pointChart({ lines, at, range, box, name, tip }) {
  const { drawn, x, y } = lineChart({ lines, place: placeOfPoint, ticks: stepTicks(), range, box, name });
  drawn.classList.add("point-chart");
  drawn.append(svg("line", { class: "here", x1: x(at), x2: x(at), y1: 10, y2: box[1] - 20 }));
  for (const { className, values } of lines) {
    if (Number.isFinite(values[at])) drawn.append(svg("circle", { class: className, cx: x(at), cy: y(values[at]), r: 4 }));
  }
  const nearest = ({ clientX, currentTarget }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return pointAtPlace(((clientX - left) / width) * box[0], x);
  };
  const pointermove = (event) => {
    const i = nearest(event);
    showTip(`After ${stepWords(state.points[i].about)}: ${tip(i)}`, event.clientX, event.clientY);
  };
  listen(drawn, { click: (event) => pickPoint(nearest(event)), pointermove, pointerleave: hideTip });
  return drawn;
}

function lossChart(at) {
  const valuesOf = (of) => state.points.map(({ about }) => of(about));
  const lines = [
    { name: measuredOn(state.points[at], false), className: "mean", values: valuesOf((about) => about.measured.loss) },
    { name: "where it was trained", className: "second", values: valuesOf((about) => about.loss ?? NaN) },
  ];
  const all = lines.flatMap(({ values }) => values).filter(Number.isFinite);
  const low = Math.floor(2 * Math.min(...all)) / 2;
  const high = Math.max(Math.ceil(2 * Math.max(...all)) / 2, low + 0.5);
  const words = (i) => lines.map(({ name, values }) => `${name} ${fixed(values[i])}`).join(", ");
  const name = `Loss after ${stepWords(state.points[at].about)}: ${words(at)}`;
  const range = [low, high, high - low > 3 ? 1 : 0.5];
  return pointChart({ lines, at, range, box: chartBox(byId("history-losses")), name, tip: words });
}

// NaN if the head never sees more than one position.
function entropyOf({ about }, i) {
  return about.heads[i].entropy.value ?? NaN;
}

// All heads have one axis: from the tenth below their lowest value to 1.
function entropyChart(i, at) {
  const all = state.points.flatMap((point) => point.about.heads.map((_, k) => entropyOf(point, k)));
  const low = Math.min(0.9, Math.floor(10 * Math.min(...all.filter(Number.isFinite))) / 10);
  const values = state.points.map((point) => entropyOf(point, i));
  const lines = [{ className: "mean", values }];
  const { layer, head } = state.points[at].about.heads[i];
  const name = `Entropy of layer ${layer}, head ${head} over training; here ${fixed(values[at], 2)}`;
  const tip = (k) => `entropy ${fixed(values[k], 2)}`;
  return pointChart({ lines, at, range: [low, 1, 1 - low], box: [200, 80], name, tip });
}

// --- The section -----------------------------------------------------------------------------------------------------

// What the model at this point looks at; nothing if another model of the page is shown and has other letters.
function lookAtPoint(shown, { model }) {
  if (shown.model === model) return { weights: shown.now.weights, labels: shown.labels };
  if (!canRead(model, state.text)) return null;
  const { weights, tokens } = read(model, state.text, unchanged, 1);
  return { weights, labels: tokens.map((token) => shortLabel(model, token)) };
}

// A few points, evenly spread along the slider, the first and the last among them.
function pointsToTell() {
  const places = Array.from({ length: pointsInTable }, (_, i) => i / (pointsInTable - 1));
  return [...new Set(places.map((place) => pointAtPlace(place)))];
}

function pointRow(i, at) {
  const { about, model } = state.points[i];
  const told = (state.written.get(model) ?? ["…"]).slice(0, 4).flatMap((name) => [writtenName(name), " "]);
  const how = { class: "link", "data-key": `point ${i}`, "aria-pressed": String(i === at), click: () => pickPoint(i) };
  const pick = button(how, counted(about.step));
  const cells = [fixed(about.measured.loss), element("td", { class: "told" }, ...told)];
  return tableRow(pick, cells, { class: i === at ? "query" : null });
}

function showPointTable(at) {
  const heading = tableHead(["[step]", `[loss] of ${measuredOn(state.points[at])}`, "it generated"]);
  const body = element("tbody", ...pointsToTell().map((i) => pointRow(i, at)));
  renew(byId("history-table"), wideTable("Names on the way", heading, body));
}

// The names of the table are drawn one point at a time, so that the page stays quick.
function drawNamesOfTable() {
  const next = pointsToTell().find((i) => !state.written.has(state.points[i].model));
  if (next === undefined) return;
  namesOf(pointModel(next).model);
  showPointTable(pointOfStep(state.step));
  setTimeout(drawNamesOfTable);
}

function showHistory(shown) {
  if (state.points.length === 0) return;
  const at = pointOfStep(state.step);
  const { about, model } = pointModel(at);
  const look = lookAtPoint(shown, state.points[at]);
  for (const place of document.querySelectorAll(".point-steps")) place.textContent = stepWords(about);
  renew(byId("history-losses"), lossChart(at));
  showNames("history-names", namesOf(model));
  const command = `microgpt sample ${shellWord(about.path)} --dtype f64 --num ${namesOf(model).length}`;
  byId("history-command").textContent = command;
  byId("history-text").textContent = state.text;
  const title = (name) => `Map of ${name} after ${stepWords(about)}, in “${state.text}”`;
  const tell = (i) => [element("span", `entropy ${fixed(entropyOf({ about }, i), 2)}`), entropyChart(i, at)];
  renew(byId("history-heads"), look && mapsOfHeads(model, look, title, tell));
  showPointTable(at);
}

// A key goes to the next point, however far that is.
function moveBetweenPoints(event) {
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const to = pointOfStep(state.step) + steps[event.key];
  pickPoint(Math.max(0, Math.min(to, state.points.length - 1)));
}

function startHistory() {
  if (state.models[0].about.history.length < 2) return;
  state.points = pointsOf(state.models[0]);
  byId("training").hidden = byId("history").hidden = false;
  byId("history-count").textContent = String(state.points.length);
  const pickSoon = onceAFrame(pickPoint);
  byId("point").addEventListener("input", ({ target }) => pickSoon(pointAtPlace(Number(target.value))));
  byId("point").addEventListener("keydown", moveBetweenPoints);
  byId("play").addEventListener("click", playOrPause);
  setTimeout(drawNamesOfTable);
}
