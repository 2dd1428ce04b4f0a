// Two models side by side: what they are, how they read this name, and what their heads look at.

function factsTable(both) {
  const line = (name, of) => tableRow(explained(name), both.map(of));
  const measured = ({ about, model, about: { measured: { loss, accuracy } } }) =>
    explained(`${fixed(loss)}, ${percent(accuracy)} right, on ${countMeasured({ about, model })}`);
  const names = both.map(({ about }, i) => element("bdi", { class: `${i ? "second" : "first"}-model` }, about.name));
  return wideTable(
    "Both models",
    tableHead(["", ...names]),
    element(
      "tbody",
      line("[attention]", ({ model }) => kindOfAttention(model)),
      line("[layers|layer] × [heads|head]", ({ model: { config } }) => `${config.n_layer} × ${config.n_head}`),
      line("[parameters|parameter]", ({ model }) => counted(model.numbers.length)),
      line("[loss]", measured),
      line("loss here", ({ run }) => (run ? fixed(run.loss) : "–")),
    ),
  );
}

// Bars of one letter: the probability that each model gave to what comes.
function pairRow(both, shown, t) {
  const [a, b] = both.map(({ run, model }) => ({
    chance: run.probs[t]?.[run.targets[t]] ?? 0,
    loss: run.losses[t] ?? NaN,
    favourite: run.probs[t] ? nextLabel(model, likeliest(run.probs[t])) : "–",
  }));
  const bar = ({ chance }) => element("i", { style: `width: ${100 * chance}%` });
  const bars = element("div", { class: "pair" }, bar(a), bar(b));
  const cells = [a.favourite, b.favourite, fixed(a.loss), fixed(b.loss)];
  const name = inText(`${readingSoFar(shown, t)}: ${nextLabel(shown.model, shown.targets[t])}`);
  const colours = cells.map((cell, i) => element("td", { class: i % 2 ? "second-model" : "first-model" }, cell));
  return tableRow(name, [bars, ...colours, signed(b.loss - a.loss)]);
}

function lettersTable(both, shown) {
  const over = (words, columns) => element("th", { scope: "colgroup", colspan: columns, class: "over" }, words);
  const columns = Object.entries({ "probability of what comes": 1, "expects most": 2, loss: 2, difference: 1 });
  const heading = element("tr", element("td"), ...columns.map((column) => over(...column)));
  const body = element("tbody", ...shown.tokens.map((_, t) => pairRow(both, shown, t)));
  return wideTable("Both models, letter by letter", element("thead", heading), body);
}

function mapsOf({ about, model, run }, i) {
  const labels = run.tokens.map((token) => shortLabel(model, token));
  const title = element("h3", { class: `${i ? "second" : "first"}-model` }, inText(about.name));
  const words = (name) => `${about.name}, ${name}, in “${state.text}”`;
  return element("div", title, mapsOfHeads(model, { weights: run.weights, labels }, words));
}

function showCompare(shown) {
  if (state.models.length < 2) return;
  const both = state.models.map((one) => ({
    ...one,
    run: canRead(one.model, state.text) ? read(one.model, state.text, unchanged, 1) : null,
  }));
  const unable = both.find(({ run }) => run === null);
  renew(
    byId("compared"),
    factsTable(both),
    ...(unable
      ? [element("p", { class: "note" }, inText(unable.about.name), ` does not know all letters of “${state.text}”.`)]
      : [
          lettersTable(both, shown),
          element("div", { class: "columns" }, ...both.map(mapsOf)),
          element("p", { class: "note" }, cutNote(shown.tokens.length)),
        ]),
  );
}

// Which of two models the rest of the page shows.
function showModels() {
  const several = state.models.length > 1;
  byId("compare").hidden = !several;
  byId("models").hidden = !several;
  if (!several) return;
  const isTrained = state.models[1].about.name === trainedFile;
  const names = isTrained ? ["The page’s model", "Yours"] : state.models.map(({ about }) => about.name);
  showChoices(byId("models"), names.entries(), state.model, (model) => {
    state.model = model;
    typed(byId("text").value);
    showAnew(); // if nothing of it can be read
  });
}
