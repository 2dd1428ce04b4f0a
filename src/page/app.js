// The page: its state, what changes it, and the one section that is shown.

// What link.js lists.
const state = {};

// The section of each tab.
const views = {
  picture: showPicture,
  read: showRead,
  why: showWhy,
  look: showGallery,
  inside: showHead,
  whatif: showWhatIf,
  graph: showGraph,
  words: () => {},
};

const page = {}; // about, the page's data, and the model
let shown = null; // what the state comes to, see compute()

const timers = {};

// Does something after a while, and the same only once.
function later(name, milliseconds, act) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(act, milliseconds);
}

// --- From the state to what is shown ---------------------------------------------------------------------------------

// A model's answer to the text, with changes and a temperature.
function read(model, text, changes, temperature) {
  const all = encode(model, text);
  const tokens = all.slice(0, model.config.block_size);
  const targets = tokens.map((_, t) => all[t + 1] ?? model.bos);
  const found = forward(model, tokens, changes);
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

// rows[t][s] of a head's map.
function weightsOf({ layers }, { layer, head }) {
  return layers[layer].map(({ attn_weights }) => attn_weights[head]);
}

// Numbers that a link or another text may have put out of range are put right here, but not in the state: a shorter
// text, which has no such position, does not forget it.
function compute() {
  const { about, model } = page;
  const { n_layer, n_head } = model.config;
  const off = new Map();
  for (const part of state.off) {
    const [layer, head, how] = part.split(":");
    off.set(`${layer}:${head}`, how === "mean" ? (about.means[`${layer}:${head}`] ?? null) : null);
  }
  const changes = { off, forbidden: state.forbidden };
  const before = read(model, state.text, unchanged, 1);
  const isChanged = off.size > 0 || state.forbidden.size > 0 || state.temperature !== 1;
  const now = isChanged ? read(model, state.text, changes, state.temperature) : before;
  const { tokens, targets } = before;
  const labels = tokens.map((token) => shortLabel(model, token));
  const [layer, head, at] = [[state.layer, n_layer], [state.head, n_head], [state.at, tokens.length]].map(([x, n]) =>
    Math.max(0, Math.min(x, n - 1)),
  );
  return { model, about, tokens, targets, labels, before, now, changes, isChanged, layer, head, at };
}

function show() {
  shown = compute();
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== state.tab;
  views[state.tab](shown);
  const { model, now, before, isChanged } = shown;
  const unit = (words) => element("span", { class: "unit" }, words);
  const scale = [` (0 = certain, ${fixed(guessingLoss(model), 1)} = guessing`, unit(", above = worse"), ")"];
  const difference = [" (", lossChange(before.loss, now.loss), unit(" with your changes"), ")"];
  renew(byId("verdict"), explained(`[loss] ${fixed(now.loss)}`), isChanged ? difference : scale);
  byId("undo").hidden = !isChanged;
  for (const door of document.querySelectorAll("#sections a")) {
    if (door.dataset.tab === state.tab) door.setAttribute("aria-current", "true");
    else door.removeAttribute("aria-current");
  }
  later("link", 250, writeLink); // browsers allow only so many changes of the address in a while
}

// The letter to explain, and the node of the graph, are those of the position.
function change(what) {
  if ("at" in what) Object.assign(state, { letter: "", node: null });
  Object.assign(state, what);
  show();
}

// Opens a section; the browser's Back returns from there.
function go(what) {
  clearTimeout(timers.link);
  writeLink();
  change(what);
  clearTimeout(timers.link);
  history.pushState(null, "", link());
  document.querySelector("#sections [aria-current]").scrollIntoView({ block: "nearest", inline: "center" });
  const top = document.querySelector(".top").offsetHeight;
  if (scrollY > top) scrollTo(0, top);
  byId(state.tab).focus({ preventScroll: true }); // so that Tab goes on from there
}

// --- The text at the top ---------------------------------------------------------------------------------------------

// What the model can read of a text, and what was changed for that: capitals that it does not know become small
// letters; other letters that it does not know are left out, and so are spaces before the text.
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

// If nothing can be read, the last text that could be read stays. A text that ends in "=" is a question of a task, and
// goes on with what the model answers.
function setText(typedText) {
  const { model } = page;
  const { text: given, changes } = readable(model, typedText);
  if (given === "" && typedText !== "") {
    byId("message").textContent = `Still reading “${shortened(state.text)}”: ${changes.join("; ")}.`;
    return;
  }
  const isQuestion = given.endsWith("=");
  const text = isQuestion ? sample(model, { temperature: 0.01, num: 1, prompt: given })[0] : given;
  if (isQuestion) changes.push("with the model’s own answer");
  const room = model.config.block_size - 1;
  const letters = [...text];
  if (letters.length > room) changes.push(`there is room for ${room} of ${letters.length} letters`);
  const read = letters.slice(0, room).join("");
  byId("message").textContent = changes.length === 0 ? "" : `Read as “${shortened(read)}”: ${changes.join("; ")}.`;
  state.text = text;
}

// --- Title, start ----------------------------------------------------------------------------------------------------

// What this is and what to do; what the model writes, a moment later, since that takes longer than all else; and, in
// small print, the model.
function showTitle({ about, model }) {
  const { learned, step, batch } = about;
  const { attention, mask, rope, n_layer, n_head, n_embd } = model.config;
  const read = learned === null ? "" : `${counted(Math.min(step * batch || Infinity, learned))} `;
  byId("title").textContent = model.tokens.has("=")
    ? `A tiny GPT that learned from ${read}texts such as “${about.example}”. Type one up to its “=”.`
    : `A tiny GPT that learned from ${read}names to invent new ones. Type yours.`;
  document.title = `A tiny GPT: ${about.name}`;
  const count = (n, word) => `${counted(n)} [${word}${n === 1 ? "" : "s"}|${word}]`;
  const how = `[${attention.toUpperCase()}]${rope ? ", [rotary positions|RoPE]" : ""}`;
  const masked = mask === "full" ? "" : `, [mask] ${mask.replaceAll(",", ", ")}`;
  const sizes = `${count(n_layer, "layer")} of ${count(n_head, "head")}, width ${n_embd}`;
  const size = `${count(model.numbers.length, "parameter")}`;
  renew(byId("facts"), inText(about.name), explained(`: ${sizes}, ${how}${masked}, ${size}`));
  for (const place of document.querySelectorAll(".guessing")) place.textContent = fixed(guessingLoss(model), 1);
  later("title", 0, () => showNames("invented", sample(model, { num: model.numbers.length > 20000 ? 4 : 12 })));
}

// What an address may say wrong is left out: a text that cannot be read, and parts that the model does not have.
function followLink() {
  const { about, model } = page;
  const hash = new URLSearchParams(location.hash.slice(1));
  for (const [key, [standard, read]] of Object.entries(settings)) state[key] = read(hash.get(key) ?? "") ?? standard;
  if (!hash.has("text")) state.text = null;
  const keys = new Set(partsOf(model).map(({ key }) => key));
  const isKnown = (each) => keys.has(each.split(":", 2).join(":"));
  for (const list of ["off", "forbidden", "open"]) state[list] = new Set([...state[list]].filter(isKnown));
  const isReadable = state.text === "" || readable(model, state.text ?? "").text !== "";
  byId("text").value = isReadable ? state.text : about.text;
  setText(byId("text").value);
  show();
}

function start() {
  page.about = JSON.parse(byId("data").textContent);
  try {
    page.model = decodeModel(page.about);
  } catch (error) {
    byId("facts").textContent = `The model cannot be shown: ${error.message}.`;
    byId("facts").parentElement.open = true;
    for (const part of document.querySelectorAll(".bar, main")) part.hidden = true;
    return;
  }
  const { text } = page.about;
  settings.at[0] = text.includes("=") ? [...text].indexOf("=") + 3 : 3; // where an answer is on its way
  byId("text").addEventListener("input", ({ target }) => {
    setText(target.value);
    change({ node: null });
  });
  byId("undo").addEventListener("click", () => {
    change({ off: new Set(), forbidden: new Set(), temperature: 1 });
    byId(state.tab).focus({ preventScroll: true }); // the button has gone
  });
  byId("sections").addEventListener("click", (event) => {
    if (!event.target.dataset.tab) return;
    event.preventDefault();
    go({ tab: event.target.dataset.tab });
  });
  document.addEventListener("keydown", moveBetweenButtons);
  addEventListener("popstate", followLink);
  addEventListener("resize", () => later("resize", 100, show));
  showGlossary(byId("words-source").textContent);
  for (const word of document.querySelectorAll(".term")) describeTerm(word, word.dataset.means ?? word.textContent);
  showTitle(page);
  followLink();
}
