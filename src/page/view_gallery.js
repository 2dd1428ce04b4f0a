// Look: the maps of all heads, with the answer covered until the reader asks for it.

// What is measured of a head: the field, its name, the shape named after it, and what that means.
const places = [
  ["mass_self", "itself", "self", "It looks at its own position."],
  ["mass_previous", "previous", "previous token", "It looks at the letter just before."],
  ["mass_bos", "BOS", "BOS", "It looks at the beginning, which often means: at nothing in particular."],
  ["mass_equal", "same letter", "equal letter", "It looks at earlier letters like its own."],
  ["mass_after_equal", "after same", "induction", "It looks at letters that came after an earlier copy of this one."],
];

// On what the model was measured.
const measuredOn = {
  "held-out": "[held-out texts|held-out]",
  seen: "texts that it has seen",
  given: "texts it was measured on",
};

// What `microgpt heads` measured of a head.
function evidence({ measured, measured_on }, record) {
  const valueOf = ([field]) => record[field].value;
  const largest = most(places, valueOf);
  if (record.shape === "removed") return element("strong", "removed: it adds nothing");
  const named = places.find(([, , shape]) => shape === record.shape); // none if no shape is clear
  const share = `largest share, ${percent(valueOf(largest))}, goes to “${largest[1]}”`;
  const elsewhere = named === largest ? "" : named ? ` But the ${share}.` : `The ${share}, but not clearly.`;
  const bars = places.map(([field, label]) =>
    chanceBar({ label, share: record[field].value, mark: record[field].even, markClass: "even" }),
  );
  const { loss, loss_stderr } = record.importance.zeroed;
  const count = [...new Set([measured.documents, measured_on.available])].map(counted).join(" of ");
  return [
    element("strong", record.shape),
    element("p", (named?.[3] ?? "") + elsewhere),
    element("div", { class: "masses" }, bars),
    paragraph(
      `Share of its attention by place, over ${count} ${measuredOn[measured_on.kind]}; the line is an [even share]. Its ` +
        `[entropy] is ${fixed(record.entropy.value, 2)}. Without it, their [loss] changes by ${signed(loss)} ` +
        `[± ${fixed(2 * loss_stderr)}|standard error].`,
    ),
  ];
}

// A head's map of this text, and its answer.
function galleryCard(shown, part) {
  const { model, about, at } = shown;
  const { key, layer, head } = part;
  const open = (t) => go({ layer, head, at: t, tab: "inside" });
  const door = {
    class: "link",
    "data-key": `pick ${key}`,
    "aria-label": `Layer ${layer}, head ${head}: show it in numbers`,
    click: () => open(at),
  };
  const map = headMap(model, {
    layer,
    rows: weightsOf(shown.now, part),
    labels: shown.labels,
    name: `Map of layer ${layer}, head ${head}, in “${state.text}”`,
    forbidden: (t, s) => state.forbidden.has(`${key}:${t}:${s}`),
    pick: open,
  });
  const above = element("span", { class: "across" }, "letter that is looked at →");
  const beside = element("span", { class: "down" }, "letter that looks →");
  const off = switched(key) === "on" ? "" : switched(key);
  const caption = [button(door, `head ${head}`), element("span", { class: "changed" }, off)];
  const isOpen = state.open.has(key);
  const words = isOpen ? "Hide" : "Guess, then show";
  const how = {
    class: isOpen ? "link" : "cover",
    "aria-expanded": String(isOpen),
    "data-key": `answer ${key}`,
    "aria-label": `${words} what head ${head} of layer ${layer} looks at`,
    click: () => change({ open: toggled(state.open, key) }),
  };
  const record = about.heads.find((each) => each.layer === layer && each.head === head);
  return element(
    "figure",
    element("figcaption", { class: "head-name" }, caption),
    element("div", { class: "axes" }, above, beside, map),
    element("div", { class: "answer" }, isOpen ? evidence(about, record) : [], button(how, words)),
  );
}

function showGallery(shown) {
  const { model, about } = shown;
  const heads = headsOf(model);
  const n = shown.tokens.length;
  const layers = Array.from({ length: model.config.n_layer }, (_, layer) => {
    const title = model.config.n_layer > 1 ? element("h3", explained(`[Layer] ${layer}`)) : null;
    const cards = heads.filter((part) => part.layer === layer).map((part) => galleryCard(shown, part));
    return element("div", title, element("div", { class: "maps", style: `--map-width: ${leastMapWidth(n)}px` }, cards));
  });
  renew(byId("gallery"), layers);
  byId("map-cut").textContent = cutNote(n);
  byId("guess").textContent = about.heads.some((head) => places.some(([, , shape]) => shape === head.shape))
    ? "Look at a map, guess what its head looks for, and then uncover the answer."
    : "In this model no head looks for one thing alone.";
}
