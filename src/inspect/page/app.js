// The page: its state, what changes it, and the order in which everything is shown anew.

// All that can change: the text, what link.js lists, what is switched off, forbidden or uncovered, ...
const state = {
  text: "",
  off: new Map(),
  forbidden: new Set(),
  open: new Set(),
  // ... and what is computed.
  data: null,
  models: [],
  means: new Map(),
  written: new Map(),
  shown: null,
  runs: {},
  learn: null,
  graph: { made: null, text: "", isOpen: true, below: 0, deepest: [], unfolded: new Set() },
  points: [],
  playing: 0,
  flows: false,
  reader: 0,
  cells: null,
  cellTimer: 0,
  arrived: null,
  width: innerWidth,
};

const timers = {};

// Does something after a while, and the same only once.
function later(name, milliseconds, act) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(act, milliseconds);
}

// [id, name in the bar, the function that shows it].
const sections = [
  ["picture", "Whole", showPicture],
  ["read", "Read", showRead],
  ["why", "Why", showWhy],
  ["look", "Look", showGallery],
  ["inside", "In numbers", showHead],
  ["whatif", "What if", showWhatIf],
  ["learn", "Train", showLearn],
  ["graph", "Graph", showGraph],
  ["history", "History", showHistory],
  ["compare", "Compare", showCompare],
  ["words", "Words", () => {}],
];

// --- From the state to what is shown ---------------------------------------------------------------------------------

// A model's answer to the text, with changes and a temperature. `run` may have read another text.
function read(model, text, changes, temperature, run = new Run(model, changes)) {
  const all = encode(model, text);
  const tokens = all.slice(0, model.config.block_size);
  const targets = tokens.map((_, t) => all[t + 1] ?? model.bos);
  const found = run.read(tokens);
  const losses = found.logits.map((logits, t) => crossEntropy(logits, targets[t], temperature));
  return {
    ...found,
    tokens,
    targets,
    losses,
    loss: losses.reduce((sum, loss) => sum + loss, 0) / losses.length,
    probs: found.logits.map((logits) => probabilities(logits, temperature)),
  };
}

// The mean outputs of the heads take a moment, so they are computed when one is asked for.
function meansOf(model) {
  if (!state.means.has(model)) state.means.set(model, meanOutputs(model, namesToAverage(model)));
  return state.means.get(model);
}

// The first that `microgpt sample` draws of a model. Drawing takes longer than all else, so they are kept.
function namesOf(model) {
  const num = model.numbers.length > 20000 ? 4 : 12;
  if (!state.written.has(model)) state.written.set(model, sample(model, { num }));
  return state.written.get(model);
}

function namesToAverage(model) {
  return spread(state.data.names, model.numbers.length > 100000 ? 60 : Infinity);
}

function changesOf(model) {
  const off = new Map(
    [...state.off].map(([key, how]) => {
      const [layer, head] = key.split(":").map(Number);
      return [key, how === "mean" ? meansOf(model)[layer][head] : null];
    }),
  );
  return { off, forbidden: state.forbidden };
}

// The run that goes on reading what the reader types.
function keptRun(name, model, changes) {
  const key = JSON.stringify([[...changes.off], [...changes.forbidden]]);
  const { [name]: kept } = state.runs;
  if (kept?.model === model && kept.key === key) return kept;
  return (state.runs[name] = Object.assign(new Run(model, changes, new Tape(model.numbers)), { key }));
}

function compute() {
  const { model, about } = state.models[state.model];
  const isChanged = state.off.size > 0 || state.forbidden.size > 0 || state.temperature !== 1;
  const changes = changesOf(model);
  const readBy = (name, how, temperature) => read(model, state.text, how, temperature, keptRun(name, model, how));
  const before = readBy("before", unchanged, 1);
  const now = isChanged ? readBy("now", changes, state.temperature) : before;
  const { tokens, targets } = before;
  const labels = tokens.map((token) => shortLabel(model, token));
  return { model, about, tokens, targets, before, now, changes, isChanged, labels };
}

// Numbers that a link or another name may have put out of range.
function settle() {
  followStep();
  const { model } = state.models[state.model];
  const { n_layer, n_head, block_size } = model.config;
  state.text = [...state.text].filter((character) => model.tokens.has(character)).join("");
  const within = (x, n) => Math.max(0, Math.min(Number.isInteger(x) ? x : 0, n - 1));
  state.layer = within(state.layer, n_layer);
  state.head = within(state.head, n_head);
  state.at = within(state.wantedAt, Math.min([...state.text].length + 1, block_size));
  const keys = new Set(partsOf(model).map(({ key }) => key));
  for (const key of state.off.keys()) if (!keys.has(key)) state.off.delete(key);
  for (const cell of state.forbidden) if (!keys.has(cell.split(":", 2).join(":"))) state.forbidden.delete(cell);
}

// With `scroll`, it jumps to the section state.tab; the browser's Back returns to where the reader was.
function change(what, { scroll = false } = {}) {
  if (scroll) rememberPlace();
  Object.assign(state, what);
  // A shorter name, which has no such position, does not forget it; the letter to explain is that of the position.
  if ("at" in what) Object.assign(state, { letter: "" }, what, { wantedAt: what.at });
  if (!scroll) return showAnew();
  prepare();
  history.pushState(null, "", link());
  showSections();
  bringToTop(byId(state.tab));
  byId(state.tab).focus({ preventScroll: true }); // so that Tab goes on from there
  showNow();
}

function rememberPlace() {
  history.replaceState({ top: scrollY, key: document.activeElement.dataset.key }, "", link());
}

// What is drawn when it comes near moves what is below it. So what was jumped to stays at the top for a moment, unless
// the reader goes on.
function bringToTop(place) {
  state.arrived = place;
  place.scrollIntoView();
  later("arrived", 1500, stayFree);
}

function stayFree() {
  state.arrived = null;
}

function keepAtTop() {
  if (state.arrived === null) return;
  state.arrived.scrollIntoView();
  goTo(state.arrived.closest("section").id);
}

// The sections that show an older state.
const stale = new Set();

function prepare() {
  document.body.classList.remove("whole");
  for (const section of sections) stale.add(section);
  settle();
  const isOther = state.shown?.model !== state.models[state.model].model;
  state.shown = compute();
  if (isOther) showTitle(state.shown);
  showVerdict(state.shown);
  showTour(state.shown);
  showSlider();
  showModels();
  writeLinkSoon();
}

function showStale(isWanted) {
  for (const section of [...stale].filter(isWanted)) {
    stale.delete(section);
    section[2](state.shown);
  }
}

// Below the bar in the window, or so many windows above or below that.
function isWithin(windows, element) {
  const { top, bottom } = element.getBoundingClientRect();
  const { bottom: begin } = document.querySelector(".bar").getBoundingClientRect();
  const room = windows * innerHeight;
  return bottom > begin + 1 - room && top < innerHeight + room;
}

// The sections on the screen; and the one that is read, wherever it is.
function onScreen() {
  return sections.filter(([id]) => id === state.tab || isWithin(0, byId(id)));
}

// A key or a click waits for nothing else. Maps that were near the window are there still.
function showNow(seen = onScreen(), isNear = (map) => isWithin(0, map)) {
  showStale((section) => seen.includes(section));
  fillMaps((map) => seen.some(([id]) => id === map.closest("section").id) && isNear(map));
  later("rest", state.playing ? 4 * millisecondsAPoint : 200, showNext);
}

// Then what is near, one section after the other; the rest when it comes near. What is read stays where it is.
function showNext() {
  const next = [...stale].find(([id]) => isWithin(1, byId(id)));
  if (next !== undefined) {
    const topOfRead = () => byId(state.tab).getBoundingClientRect().top;
    const top = topOfRead();
    showStale((section) => section === next);
    const moved = topOfRead() - top;
    if (moved !== 0) scrollBy(0, moved);
    later("rest", 0, showNext);
  }
  fillMaps((map) => isWithin(0.5, map));
}

function showAnew() {
  // Asked after a change, the browser would have to lay out the page.
  const seen = onScreen();
  const maps = seen.flatMap(([id]) => [...byId(id).querySelectorAll("svg.map")]);
  const near = new Set(maps.filter((map) => isWithin(0.1, map)));
  prepare();
  showNow(seen, (map) => near.has(map));
}

// An action for an input that is dragged: once a frame, with the newest values. These are read before, since until then
// the input may be shown anew.
function onceAFrame(act) {
  let frame = 0;
  return (...newest) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => act(...newest));
  };
}

// For paper. What a browser skips, it may measure as it was before the window had its size.
function showAll() {
  prepare();
  document.body.classList.add("whole");
  showStale(() => true);
  fillMaps(() => true);
}

// --- Small parts that views share ------------------------------------------------------------------------------------

// A group of radio buttons, of pairs [value, label].
function showChoices(place, choices, chosen, choose) {
  const choice = ([value, label]) => {
    const how = { "data-key": `choice ${value}`, "data-value": value, click: () => choose(value) };
    return radio(value === chosen, how, element("bdi", label));
  };
  renew(place, Array.from(choices, choice));
}

// Arrow keys, Home and End in a group of buttons: the next one gets the focus. Of radio buttons it is chosen, too.
function moveBetweenButtons(event) {
  const group = event.target.closest('[role="radiogroup"], [role="toolbar"]');
  const buttons = [...(group?.querySelectorAll("button") ?? [])];
  const i = buttons.indexOf(document.activeElement);
  const last = buttons.length - 1;
  const to = { ArrowLeft: i - 1, ArrowUp: i - 1, ArrowRight: i + 1, ArrowDown: i + 1, Home: 0, End: last };
  if (i < 0 || !(event.key in to)) return;
  event.preventDefault();
  const next = buttons[(to[event.key] + buttons.length) % buttons.length];
  const { key } = next.dataset;
  if (group.role === "radiogroup") next.click();
  focusKey(group.isConnected ? group : document, key);
}

// --- The text --------------------------------------------------------------------------------------------------------

// What the model can read of a text, and what was changed for that: capitals that it does not know become small
// letters; other letters that it does not know are left out, and so are spaces before the text. The program does the
// same in readable_text().
function readable(model, text) {
  const unknown = new Set();
  const changes = new Set();
  let read = "";
  for (const character of text) {
    const small = character.toLowerCase();
    const isSpace = character.trim() === "";
    if (isSpace && (read === "" || !model.tokens.has(character))) changes.add("spaces are left out");
    else if (model.tokens.has(character)) read += character;
    else if (!model.tokens.has(small)) unknown.add(character);
    else {
      read += small;
      changes.add("capitals become small letters");
    }
  }
  if (unknown.size > 0) changes.add(`the model does not know “${[...unknown].slice(0, 10).join("”, “")}”`);
  return { text: read, changes: [...changes] };
}

// If nothing can be read, the last text that could be read stays.
function typed(typedText) {
  const { model } = state.models[state.model];
  const { text: given, changes } = readable(model, typedText);
  const isQuestion = given.endsWith("=");
  const text = isQuestion ? answered(model, given) : given;
  if (text === "" && typedText !== "") {
    const still = state.text === "" ? "Nothing to read" : `Still reading “${shortened(state.text)}”`;
    byId("message").textContent = `${still}: ${changes.join("; ")}.`;
    return;
  }
  const room = model.config.block_size;
  const letters = [...text];
  const read = letters.slice(0, room - 1).join("");
  if (isQuestion) changes.push("with its own answer");
  if (read !== text) changes.push(`there is room for ${room - 1} of ${letters.length} letters`);
  byId("message").textContent = changes.length === 0 ? "" : `Read as “${shortened(read)}”: ${changes.join("; ")}.`;
  fitBar();
  state.text = text;
  showAnew();
}

function shortened(text) {
  return [...text].length > 40 ? `${[...text].slice(0, 40).join("")}…` : text;
}

// --- Following a link ------------------------------------------------------------------------------------------------

// `place` is where the reader was, if Back leads there.
function followLink(place = null) {
  stayFree();
  const text = readLink();
  if (text === "" || (text && readable(state.models[state.model].model, text).text)) byId("text").value = text;
  showTheme();
  for (const key of samplingInputs) byId(key).value = state[key];
  typed(byId("text").value);
  const isStep = text === null && state.tour > 0;
  if (isStep) beginStep();
  prepare();
  showSections();
  fitBar();
  if (place) {
    scrollTo(0, place.top);
    showNow();
    focusKey(document, place.key);
  } else if (state.tab === "picture") scrollTo(0, 0);
  else bringToTop(byId(state.tab));
  showNow();
  if (!isStep) return;
  byId("tour").focus({ preventScroll: true });
  bringToTop(byId("tour"));
}

// --- Theme, sections, start ------------------------------------------------------------------------------------------

function showTheme() {
  document.documentElement.style.colorScheme = state.theme === "auto" ? "" : state.theme;
  const themes = ["Auto", "Light", "Dark"].map((name) => [name.toLowerCase(), name]);
  showChoices(byId("themes"), themes, state.theme, (theme) => {
    state.theme = theme;
    showTheme();
    writeLinkSoon();
  });
}

function showSections() {
  const numbers = document.querySelectorAll("main > section:not([hidden]) > h2 > span");
  numbers.forEach((number, i) => (number.textContent = i + 1));
  const door = ([id, name]) => {
    const click = (event) => {
      event.preventDefault();
      change({ tab: id }, { scroll: true });
    };
    const how = { href: `#tab=${id}`, "data-key": `section ${id}`, click };
    return element("a", { ...how, "aria-current": id === state.tab ? "true" : null }, name);
  };
  renew(byId("sections"), sections.filter(([id]) => !byId(id).hidden).map(door));
  const current = byId("sections").querySelector("[aria-current]");
  if (current === null) return;
  const { offsetLeft, clientWidth } = byId("sections");
  byId("sections").scrollLeft = current.offsetLeft - offsetLeft - (clientWidth - current.offsetWidth) / 2;
}

// The bar takes at most so much of a window's height. The name and its loss stay; of the other rows those that have no
// room stand above them, and scroll away.
const largestBar = 0.15;

function fitBar() {
  const bar = document.querySelector(".bar");
  let height = 2; // its borders
  let gone = 0;
  for (const row of [bar.children[0], byId("sections"), byId("training")]) {
    const isGone = height + row.offsetHeight > largestBar * innerHeight;
    row.style.order = isGone ? -1 : 0;
    if (isGone) gone += row.offsetHeight;
    else height += row.offsetHeight;
  }
  bar.style.top = `${-gone}px`;
  document.documentElement.style.setProperty("--bar-height", `${height + byId("message").offsetHeight}px`);
}

function goTo(id) {
  if (id === state.tab || !sections.some(([each]) => each === id)) return;
  state.tab = id;
  showSections();
  writeLinkSoon();
}

// The section that lies under the upper third of the window is the one that is read; at the top of the page, the first.
function followScrolling() {
  const isRead = ([id]) => {
    const { top, bottom } = byId(id).getBoundingClientRect();
    return top <= innerHeight / 3 && bottom > innerHeight / 3;
  };
  const follow = () => {
    goTo((sections.find(isRead) ?? sections[0])[0]);
    showNext();
  };
  addEventListener("scroll", onceAFrame(follow));
  addEventListener("beforeprint", showAll);
}

// What this is and what to do; what the model writes, which is drawn once, a moment later; and, in small print, the
// model.
function showTitle({ about, model }) {
  byId("title").textContent = titleOf({ about, model });
  renew(byId("facts"), describeModel({ about, model }));
  const form = taskOf(model)?.form;
  if (form) byId("text").labels[0].textContent = byId("text").placeholder = form;
  const tell = (where, words) => document.querySelectorAll(where).forEach((place) => renew(place, explained(words)));
  tell(".guessing", fixed(guessingLoss(model), 1));
  tell(".tokens", String(model.bos + 1));
  tell(".batch", String(about.batch || "some"));
  tell(".measured", measuredOn({ about, model }));
  const showInvented = () => showNames("invented", namesOf(model));
  if (state.written.has(model)) showInvented();
  else later("title", 0, () => state.shown.model === model && showInvented());
}

function taskOf(model) {
  return nounOf(model) === "documents" ? describeTask(state.data.names) : undefined;
}

function titleOf({ about: { learned, step, batch }, model }) {
  const task = taskOf(model);
  const attempt = task ? `Type “${task.word}=”.` : "Type yours.";
  if (step === 0) return `A tiny GPT that has learned nothing yet. ${attempt}`;
  const read = Math.min(step * batch || Infinity, learned);
  const count = learned === null ? "" : `${[...new Set([read, learned])].map(counted).join(" of ")} `;
  const begin = `A tiny GPT that learned from ${count}`;
  if (task) return `${begin}examples: after “=” it ${task.does}. ${attempt}`;
  return `${begin}${nounOf(model)} to ${nounOf(model) === "names" ? "invent" : "write"} new ones. ${attempt}`;
}

function describeModel({ about, model }) {
  const { n_layer, n_head, n_embd } = model.config;
  const count = (n, word) => `${counted(n)} [${word}${n === 1 ? "" : "s"}|${word}]`;
  const sizes = `${count(n_layer, "layer")} of ${count(n_head, "head")}, [width] ${n_embd}`;
  return [
    ...[inText(about.name), ...explained(`: ${sizes}, `)],
    ...[...kindOfAttention(model), ...explained(`, ${count(model.numbers.length, "parameter")}`)],
  ];
}

function kindOfAttention({ config }) {
  const rotary = config.rope ? ", [rotary positions]" : "";
  const mask = config.mask === "full" ? "" : `, [mask] ${config.mask}`;
  return explained(`[${config.attention.toUpperCase()}]${rotary}${mask}`);
}

// What this page calls names.
function callThemDocuments() {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (text.parentElement.closest("script, code")) continue;
    text.data = text.data.replace(/\b(n)ame(s?)\b/gi, (_, n, s) => `${n === "n" ? "d" : "D"}ocument${s}`);
  }
}

function start() {
  state.data = JSON.parse(byId("data").textContent);
  try {
    state.models = state.data.models.map((about) => ({ about, model: decodeModel(about) }));
  } catch (error) {
    byId("facts").textContent = `The model cannot be shown: ${error.message}.`;
    byId("facts").parentElement.open = true;
    for (const part of document.querySelectorAll(".bar, main, #themes")) part.hidden = true;
    return;
  }
  byId("text").value = state.data.text;
  settings.at[0] = usualPosition(state.data.text);
  document.title = `A tiny GPT: ${state.models.map(({ about }) => about.name).join(" and ")}`;
  byId("text").addEventListener("input", (event) => typed(event.target.value));
  byId("undo").addEventListener("click", () => {
    change({ off: new Map(), forbidden: new Set(), temperature: 1 });
    byId(state.tab).focus({ preventScroll: true }); // the button has gone
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && closeTip());
  document.addEventListener("keydown", moveBetweenButtons);
  document.addEventListener("pointerdown", (event) => event.target.closest("#tip") ?? closeTip());
  addEventListener("popstate", ({ state: place }) => {
    // The link that skips to the first section holds no state.
    if (!location.hash.includes("=")) goTo(location.hash.slice(1));
    else followLink(place);
  });
  for (const event of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(event, stayFree);
  new ResizeObserver(keepAtTop).observe(document.querySelector("main"));
  new ResizeObserver(fitBar).observe(document.querySelector(".bar"));
  addEventListener("resize", () => {
    fitBar();
    if (state.width !== innerWidth) showAnew();
    state.width = innerWidth;
  });
  nameMeanings();
  if (nounOf(state.models[0].model) === "documents") callThemDocuments();
  const begins = [startPicture, startCells, startWhatIf, startLearn, startGraph, startHistory, startTour];
  for (const begin of begins) begin();
  followLink();
  followScrolling();
}

start();
