// One head in numbers: how a row of its map comes about, and what it gives to the residual stream.

function headFacts(shown) {
  const { layer, head, at } = state;
  const positions = shown.now.layers[layer];
  const seen = seenFrom(shown.model, layer, head, at, shown.changes);
  const here = positions[at];
  const [query, scores, weights] = ["q_h", "attn_logits", "attn_weights"].map((name) => here[name][head]);
  return { seen, positions, here, query, scores, weights, even: 1 / seen.length, D: query.length };
}

function numberCells(numbers) {
  return [...numbers].map((x, i) => element("td", { class: i === 0 ? "group" : null }, signed(x, 2)));
}

function showHeadChoices(place, { model }) {
  const heads = headsOf(model).map(({ key, name }) => [key, model.config.n_layer > 1 ? key : name]);
  const pick = (key) => {
    const [layer, head] = key.split(":").map(Number);
    change({ layer, head });
  };
  showChoices(place, heads, `${state.layer}:${state.head}`, pick);
}

function showPickers(shown) {
  byId("pick-note").hidden = shown.model.config.n_layer === 1;
  showHeadChoices(byId("pick-head"), shown);
  const letters = shown.tokens.map((token) => longLabel(shown.model, token));
  showChoices(byId("pick-letter"), letters.entries(), state.at, (at) => change({ at }));
}

function showHeadMap(shown) {
  const { layer, head, at } = state;
  const map = headMap(shown.model, {
    rows: shown.now.weights[layer][head],
    labels: shown.labels,
    picked: at,
    name: `Weights of layer ${layer}, head ${head} in “${state.text}”; row ${at} is picked`,
    forbidden: (t, s) => state.forbidden.has(`${layer}:${head}:${t}:${s}`),
    pick: (t) => change({ at: t }),
  });
  const cut = element("p", { class: "note" }, cutNote(shown.tokens.length));
  renew(byId("head-map"), map, cut);
}

// The five strongest keys.
function showStrongest(shown) {
  const { seen, weights, scores, even } = headFacts(shown);
  const name = (s) => longLabel(shown.model, shown.tokens[s]);
  const lines = strongest(weights, seen, 5).map((s) => {
    const bar = element("span", { class: "weight-bar", style: `width: ${4.5 * weights[s]}rem` });
    const numbers = [String(s), fixed(weights[s], 4), fixed(even, 4), signed(scores[s], 4)];
    return tableRow(inText(name(s)), [...numbers, element("td", { style: "text-align: left; min-width: 5rem" }, bar)]);
  });
  const note =
    seen.length < 2
      ? "It sees only one position, so there is nothing to choose."
      : `It sees ${seen.length} positions. The [entropy] of this row is ${fixed(rowEntropy(weights, seen), 2)}.`;
  const caption = element("caption", "What ", inText(name(state.at)), ` at position ${state.at} looks at most`);
  const head = tableHead(["looks at", "[position]", "[weight]", "[even share]", "[score]", ""]);
  const table = wideTable("The strongest keys", caption, head, element("tbody", ...lines));
  renew(byId("strongest"), table, element("p", { class: "note" }, ...explained(note)));
}

function stepOf(title, words, ...content) {
  return element("div", { class: "step" }, element("h3", title), paragraph(words), ...content);
}

// A line for the query, and one for each key: its numbers, the products, their sum, the score and the weight.
function keyLines(shown) {
  const { seen, positions, query, scores, weights, D } = headFacts(shown);
  const { head, at } = state;
  const name = (letter, s) => [`${letter} of ${s} `, inText(longLabel(shown.model, shown.tokens[s]))];
  const outcomes = (...words) => words.map((word) => element("td", { class: "outcome" }, word));
  const room = element("td", { colspan: D, class: "group" });
  const first = tableRow(name("q", at), [...numberCells(query), room, ...outcomes("", "", "")], { class: "query" });
  const others = seen.map((s) => {
    const key = positions[s].k_h[head];
    return tableRow(name("k", s), [
      ...numberCells(key),
      ...numberCells(key.map((x, j) => x * query[j])),
      ...outcomes(signed(dot(query, key)), signed(scores[s]), fixed(weights[s])),
    ]);
  });
  return [first, ...others];
}

function keyHeading(D) {
  const over = (words, columns) => element("th", { scope: "colgroup", colspan: columns, class: "group" }, words);
  const columns = ["sum", `sum ÷ √${D}`, "softmax"].map((words) =>
    element("th", { scope: "col", class: "outcome" }, words),
  );
  return element("tr", element("td"), over("numbers", D), over("q times k", D), ...columns);
}

function queriesAndKeys(shown) {
  const { rope, rope_dim } = shown.model.config;
  const { D } = headFacts(shown);
  const words =
    "The letter that looks asks with its [query] q; every position it can see offers a [key] k. Number by number they " +
    `are multiplied and added up. The sum, divided by the square root of ${D}, is the [score]; [softmax] makes weights ` +
    "of the scores." +
    (rope || rope_dim > 0 ? " Both are shown after their rotation by position." : "");
  const head = element("thead", keyHeading(D));
  const body = element("tbody", ...keyLines(shown));
  return stepOf("How the weights come about", words, wideTable("Query, keys, scores and weights", head, body));
}

function valuesMixed(shown) {
  const { seen, positions, here, weights } = headFacts(shown);
  const { head, layer } = state;
  const off = state.off.get(`${layer}:${head}`);
  const last = (words) => element("td", { class: "group" }, words);
  const lines = seen.map((s) => {
    const name = [`v of ${s} `, inText(longLabel(shown.model, shown.tokens[s]))];
    return tableRow(name, [...numberCells(positions[s].v_h[head]), last(`× ${fixed(weights[s])}`)]);
  });
  const name = off ? "put in its place" : "mixed";
  const result = tableRow(name, [...numberCells(here.head_out[head]), last("")], { class: "total" });
  return stepOf(
    "What it takes",
    "Every position also holds a [value] v ready. The values, each times its weight, are added up: that is the output " +
      (off ? "of the head, which you replaced." : "of the head."),
    wideTable("Values and their mixture", element("tbody", ...lines, result)),
  );
}

function whatIsWritten(shown) {
  const numbers = headWrites(shown.model, shown.now, state, state.at);
  const stream = headFacts(shown).here.x_residual;
  const length = (x) => Math.sqrt(dot(x, x));
  return stepOf(
    "What it writes",
    `[W_O] turns that output into ${numbers.length} numbers, which are added to those of the [residual stream]. ` +
      "How much is that? The length of a list is the root of the sum of its squares: what is added has a length of " +
      `${fixed(length(numbers), 2)}, the stream before it one of ${fixed(length(stream), 2)}.`,
    numberList(numbers),
  );
}

function showHead(shown) {
  showPickers(shown);
  showHeadMap(shown);
  showStrongest(shown);
  renew(byId("steps"), queriesAndKeys(shown), valuesMixed(shown), whatIsWritten(shown));
  const { layer, head, at } = state;
  renew(byId("command"), inspectCommand(shown), ` --layer ${layer} --head ${head} --at ${at}`);
}
