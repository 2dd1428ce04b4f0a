// The whole model in one picture: what happens to the chosen letter, in order, with its numbers as shades. A box leads
// to where more is said of it, or opens: then its numbers stand below the picture.

const mostShades = 64; // of a longer list, the first

const shadeCells = {}; // by their class

function shadedCells(numbers) {
  return shadesOf(numbers).map((how) => (shadeCells[how] ??= element("i", { class: how })).cloneNode());
}

function shades(numbers) {
  return element("span", { class: "shades", "aria-hidden": "true" }, shadedCells(numbers).slice(0, mostShades));
}

// `where` is what a click changes; `note` is a text or an element.
function flowBox(key, name, note, where, ...content) {
  const click = () => {
    change(where, { scroll: "tab" in where });
    if (where.box) byId("picture-box").scrollIntoView({ block: "nearest" });
  };
  const tabindex = key === "letter" ? 0 : -1; // the others are reached by arrow keys
  const attributes = { class: "flow-box", "data-key": `flow ${key}`, tabindex, click };
  const small = element("small", typeof note === "string" ? element("bdi", note) : note);
  return button(attributes, element("b", element("bdi", name)), small, ...content);
}

// What a head looks at most, and how much of its look that is; or that it is switched off.
function headLook({ model, now, tokens }, { key, layer, head }) {
  const how = state.off.get(key);
  if (how) return element("span", { class: "changed" }, how === "off" ? "switched off" : "its mean output");
  const weights = now.layers[layer][state.at].attn_weights[head];
  const first = likeliest(weights);
  return element("bdi", `${percent(weights[first])} at ${longLabel(model, tokens[first])} (${first})`);
}

function headBox(shown, part) {
  const { key, name, layer, head } = part;
  const where = { layer, head, tab: "inside" };
  return flowBox(key, name, headLook(shown, part), where, shades(shown.now.layers[layer][state.at].head_out[head]));
}

// --- A box that opens ------------------------------------------------------------------------------------------------

// By key: its name, what happened, and its lists of numbers. The picture shows the last one, or `shaded`.
function openingBoxes({ model, now, tokens }) {
  const { at } = state;
  const { wte, wpe } = model.w;
  const letter = [`${longLabel(model, tokens[at])} (wte)`, wte.row(tokens[at])];
  const place = model.config.rope ? [] : [[`position ${at} (wpe)`, wpe.row(at)]];
  const added = [letter, ...place, ["both, divided by the root of their mean square", now.embedded[at]]];
  const boxes = new Map([["embedding", { name: "stream", note: partsOf(model)[0].name, lists: added }]]);
  now.layers.forEach((positions, layer) => {
    const { x_residual, attn_out, x } = positions[at];
    const { active, mlp_out, x: after } = now.mlps[layer][at];
    const heads = [["before", x_residual], ["what the heads add", attn_out], ["their sum", x]];
    const sum = [["before", x], ["what the MLP adds", mlp_out], ["their sum", after]];
    const sums = `inside: ${active.length} weighted sums of the stream, where what is below 0 becomes 0`;
    const inside = [[sums, active], ["what it adds", mlp_out]];
    const { name } = partsOf(model).find(({ key }) => key === `${layer}:mlp`);
    const note = state.off.has(`${layer}:mlp`) ? "switched off" : "at this letter alone";
    boxes.set(`${layer} heads`, { name: "stream", note: "the heads added", lists: heads });
    boxes.set(`${layer}:mlp`, { name, note, shaded: active, lists: inside });
    boxes.set(`${layer} mlp`, { name: "stream", note: "the MLP added", lists: sum });
  });
  return boxes;
}

function openingBox([key, { name, note, lists, shaded = lists.at(-1)[1] }]) {
  const box = flowBox(key, name, note, { box: state.box === key ? "" : key, list: -1 }, shades(shaded));
  box.setAttribute("aria-expanded", String(state.box === key));
  return box;
}

// The stream ends in the logits, so one can ask at each place what the model would say if it ended there.
function wouldSay({ model, targets }, numbers) {
  const { lm_head } = model.w;
  const chances = probabilities(Array.from({ length: lm_head.rows }, (_, token) => dot(lm_head.row(token), numbers)));
  return [
    element("h4", "What it would say if it ended here"),
    element("div", { class: "chances" }, ...chanceBars(model, chances, targets[state.at])),
  ];
}

function boxNumbers(shown) {
  const { name, note, lists } = openingBoxes(shown).get(state.box);
  const isStream = name === "stream";
  const link = (words, tab, key) => {
    const click = () => {
      change({ tab }, { scroll: true });
      focusKey(byId(tab), key);
    };
    return button({ class: "link", click }, words);
  };
  const seeMade = () => openCells(cellLists(state.shown).lists.findIndex(({ box }) => box === state.box));
  const doors = [button({ class: "link", click: seeMade }, "See each number made"), " "];
  doors.push(link("What each part adds to a letter", "why", "part 0:0"));
  if (!isStream) doors.push(" ", link("Switch it off", "whatif", `switch ${state.box} on`));
  return [
    element("h3", inText(name), `, ${note}`),
    ...lists.flatMap(([words, numbers]) => [element("h4", element("bdi", words)), numberList(numbers)]),
    ...(isStream ? wouldSay(shown, lists.at(-1)[1]) : []),
    element("p", ...doors),
  ];
}

// --- The picture -----------------------------------------------------------------------------------------------------

function showPicture(shown) {
  const { model, now, tokens, targets } = shown;
  const { at } = state;
  const opening = openingBoxes(shown);
  if (!opening.has(state.box)) state.box = "";
  const [embedding, ...others] = [...opening].map(openingBox);
  const layers = Array.from({ length: model.config.n_layer }, (_, layer) => {
    const heads = headsOf(model).filter((part) => part.layer === layer);
    const beside = element("span", { class: "flow-heads" }, ...heads.map((part) => headBox(shown, part)));
    return [beside, ...others.slice(3 * layer, 3 * layer + 3)]; // the stream, the MLP, the stream
  });
  const bars = chanceBars(model, now.probs[at], targets[at]);
  const boxes = [
    flowBox("letter", longLabel(model, tokens[at]), `position ${at}`, { tab: "read" }),
    embedding,
    ...layers.flat(),
    flowBox("next", "next letter", readingSoFar(shown, at), { tab: "read" }, ...bars),
  ];
  const arrow = () => element("span", { "aria-hidden": "true" }, "→");
  const drawn = boxes.flatMap((box, i) => (i > 0 ? [arrow(), box] : [box]));
  drawn.forEach((each, i) => each.style.setProperty("--when", i / drawn.length));
  const flow = byId("picture-flow");
  renew(byId("picture-where"), inText(readingSoFar(shown, at)));
  flow.classList.remove("flows");
  renew(flow, drawn);
  if (state.flows && flow.clientWidth) flow.classList.add("flows"); // asked for its width, it begins anew
  byId("picture-box").hidden = state.box === "";
  renew(byId("picture-box"), state.box === "" ? [] : boxNumbers(shown));
  state.cells = state.list < 0 ? null : cellLists(shown);
  byId("cells").hidden = state.list < 0;
  byId("picture-cells").setAttribute("aria-expanded", String(state.list >= 0));
  if (state.cells) showCells();
}

// The boxes of the next letter appear one after the other; after the last letter comes the first.
function flowOn() {
  state.flows = true;
  change({ at: (state.at + 1) % state.shown.tokens.length });
  state.flows = false;
}

const millisecondsALetter = 2400;

// Reads on by itself until the last letter.
function readOn(isOn) {
  clearInterval(state.reader);
  byId("picture-play").textContent = isOn ? "Stop" : "Watch it read";
  state.reader = 0;
  if (!isOn) return;
  flowOn();
  state.reader = setInterval(() => {
    flowOn();
    if (state.at === state.shown.tokens.length - 1) readOn(false);
  }, millisecondsALetter);
}

function startPicture() {
  byId("picture-next").addEventListener("click", flowOn);
  byId("picture-play").addEventListener("click", () => readOn(state.reader === 0));
}
