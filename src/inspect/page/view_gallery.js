// What the heads look at: the maps of all heads, with the answer covered until the reader asks for it.

// What is measured of a head: the field, its name, the shape named after it, what that means, and whether s is such a
// place for t, where that is to be shown.
const places = [
  ["mass_self", "itself", "self", "It looks at its own position.", (s, t) => s === t],
  ["mass_previous", "previous", "previous token", "It looks at the letter just before.", (s, t) => s === t - 1],
  ["mass_bos", "BOS", "BOS", "It looks at the beginning, which often means: at nothing in particular.", (s) => s === 0],
  [
    ...["mass_equal", "same letter", "equal letter", "It looks at earlier letters like its own."],
    (s, t, tokens) => s < t && tokens[s] === tokens[t],
  ],
  ["mass_after_equal", "after same", "induction", "It looks at letters that came after an earlier copy of this one."],
];

function placeOfShape({ shape }) {
  return places.find((place) => place[2] === shape);
}

// What its shape means, and where it looks most if that is elsewhere.
function meaningsOf(record) {
  const valueOf = ([field]) => record[field].value;
  const largest = most(places, valueOf);
  const place = placeOfShape(record);
  const share = `largest share, ${percent(valueOf(largest))}, goes to “${largest[1]}”`;
  if (place) return [place[3], ...(place === largest ? [] : [`But the ${share}.`])];
  return [`The ${share}, but not clearly.`];
}

// Only where something stands out there is something to guess.
function isClear({ shape }) {
  return shape !== "no clear shape";
}

// What `microgpt heads` measured of this head.
function evidence(shown, record) {
  const { loss, loss_stderr } = record.importance?.zeroed ?? {}; // not known of points of a training but the last
  const margin = `[± ${fixed(2 * loss_stderr)}|standard error]`;
  const without = record.importance ? ` Without it, their [loss] changes by ${signed(loss)} ${margin}.` : "";
  const bars = places.map(([field, label]) =>
    chanceBar({ label, share: record[field].value, mark: record[field].even, markClass: "even" }),
  );
  return [
    element("strong", record.shape),
    element("p", meaningsOf(record).join(" ")),
    element("div", { class: "masses" }, ...bars),
    paragraph(
      `Share of its attention by place, over ${countMeasured(shown)}; the line is an [even share]. ` +
        `Its [entropy] is ${fixed(record.entropy.value, 2)}.${without}`,
    ),
  ];
}

function answer(shown, layer, head) {
  const record = shown.about.heads?.find((each) => each.layer === layer && each.head === head);
  if (!record) return null;
  const key = `${layer}:${head}`;
  const isOpen = state.open.has(key);
  const words = isOpen ? "Hide" : "Guess, then show";
  const how = {
    class: isOpen ? "link" : "cover",
    "aria-expanded": String(isOpen),
    "data-key": `answer ${key}`,
    "aria-label": `${words} what head ${head} of layer ${layer} looks at`,
    click: () => change({ open: toggled(state.open, key) }),
  };
  return element("div", { class: "answer" }, ...(isOpen ? evidence(shown, record) : []), button(how, words));
}

function mapLabels(shown) {
  const numbers = (shown.about.maps?.[0][0] ?? []).map((_, t) => String(t));
  return state.maps === "mean" ? numbers : shown.labels;
}

// Of this name, or the mean over those it was measured on.
function galleryMap(shown, layer, head) {
  const isMean = state.maps === "mean";
  const where = isMean ? `mean over ${measuredOn(shown, false)}` : `in “${state.text}”`;
  return headMap(shown.model, {
    rows: ((isMean && shown.about.maps) || shown.now.weights)[layer][head],
    labels: mapLabels(shown),
    name: `Map of layer ${layer}, head ${head}, ${where}`,
    forbidden: (t, s) => !isMean && state.forbidden.has(`${layer}:${head}:${t}:${s}`),
    see: (t) => change({ layer, head, at: isMean ? state.at : t, tab: "inside" }, { scroll: true }),
  });
}

function galleryCard(shown, layer, head) {
  const isPicked = layer === state.layer && head === state.head;
  const off = state.off.get(`${layer}:${head}`);
  const how = {
    class: "link",
    "data-key": `pick ${layer}:${head}`,
    "aria-pressed": String(isPicked),
    "aria-label": `Layer ${layer}, head ${head}: show it in numbers`,
    click: () => change({ layer, head, tab: "inside" }, { scroll: true }),
  };
  const caption = [button(how, `head ${head}`), element("span", { class: "changed" }, off ?? "")];
  const thing = state.maps === "mean" ? "position" : "letter";
  const above = element("span", { class: "across" }, `${thing} that is looked at →`);
  const beside = element("span", { class: "down" }, `${thing} that looks →`);
  const map = element("div", { class: "axes" }, above, beside, galleryMap(shown, layer, head));
  return mapFigure(caption, map, answer(shown, layer, head));
}

function galleryLayer(shown, layer) {
  const { n_layer, n_head } = shown.model.config;
  const title = n_layer > 1 ? element("h3", { class: "layer-title" }, ...explained(`[Layer] ${layer}`)) : null;
  const cards = Array.from({ length: n_head }, (_, head) => galleryCard(shown, layer, head));
  return element("div", title, mapGrid(mapLabels(shown).length, cards));
}

// A key waits only for the layers on the screen; the others follow when it rests.
function showGallery(shown, isWhole = document.body.classList.contains("whole")) {
  const old = [...byId("gallery").children].map((each) => (isWhole || isWithin(0.1, each) ? null : each));
  const { n_layer: length } = shown.model.config;
  const layers = Array.from({ length }, (_, layer) => old[layer] ?? galleryLayer(shown, layer));
  renew(byId("gallery"), layers);
  const showRest = () => {
    showGallery(state.shown, true);
    showNext();
  };
  if (layers.some((each) => old.includes(each))) later("gallery", 250, showRest);
  const kinds = [["name", "This one"], ["mean", `Mean over ${measuredOn(shown, false)}`]];
  showChoices(byId("map-kinds"), kinds, state.maps, (maps) => change({ maps }));
  byId("map-kinds").hidden = !shown.about.maps;
  byId("map-cut").textContent = cutNote(mapLabels(shown).length);
  const keys = headsOf(shown.model).map(({ key }) => key);
  const areAllOpen = keys.every((key) => state.open.has(key));
  byId("reveal-all").textContent = areAllOpen ? "Cover all answers" : "Show all answers";
  byId("reveal-all").onclick = () => change({ open: new Set(areAllOpen ? [] : keys) });
  byId("reveal-all").hidden = !shown.about.heads;
  byId("guess").textContent = !shown.about.heads
    ? ""
    : shown.about.heads.some(isClear)
      ? "Look at a map, guess what its head looks for, and then uncover the answer."
      : "In this model no head looks for one thing alone.";
}
