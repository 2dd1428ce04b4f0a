// In numbers: how a row of a head's map comes about, and what the head gives to the residual stream.

function showHeadChoices(place, { model, layer, head }) {
  const heads = headsOf(model).map(({ key, name }) => [key, model.config.n_layer > 1 ? key : name]);
  const pick = (key) => {
    const [layer, head] = key.split(":").map(Number);
    change({ layer, head });
  };
  showChoices(place, heads, `${layer}:${head}`, pick);
}

// The row's numbers: which positions are seen; the query, scores, weights and output; all positions' keys and values.
function headFacts({ model, now, changes, layer, head, at }) {
  const positions = now.layers[layer];
  const ofHead = (name) => positions[at][name][head];
  const [query, scores, weights, output] = ["q_h", "attn_logits", "attn_weights", "head_out"].map(ofHead);
  const [keys, values] = ["k_h", "v_h"].map((name) => positions.map((each) => each[name][head]));
  const sees = (s) => allows(model, at, s) && !changes.forbidden.has(`${layer}:${head}:${at}:${s}`);
  const seen = [...positions.keys()].filter(sees);
  return { seen, query, scores, weights, output, keys, values };
}

// The five strongest keys.
function showStrongest({ model, tokens, at }, { seen, weights, scores }) {
  const rows = strongest(weights, seen, 5).map((s) => {
    const bar = element("span", { class: "weight-bar", style: `width: ${4.5 * weights[s]}rem` });
    const numbers = [String(s), fixed(weights[s], 4), fixed(1 / seen.length, 4), signed(scores[s], 4)];
    return tableRow(inText(longLabel(model, tokens[s])), [...numbers, element("td", { class: "bar-cell" }, bar)]);
  });
  const note =
    seen.length < 2
      ? "It sees only one position, so there is nothing to choose."
      : `It sees ${seen.length} positions. The [entropy] of this row is ${fixed(rowEntropy(weights, seen), 2)}.`;
  const who = inText(longLabel(model, tokens[at]));
  const caption = element("caption", "What ", who, ` at position ${at} looks at most`);
  const head = tableHead(["looks at", "position", "[weight]", "[even share]", "[score]", ""]);
  const table = wideTable("The strongest keys", caption, head, element("tbody", rows));
  renew(byId("strongest"), table, element("p", { class: "note" }, explained(note)));
}

function numberCells(numbers) {
  return [...numbers].map((x, i) => element("td", { class: i === 0 && "group" }, signed(x, 2)));
}

function stepOf(title, words, content) {
  return element("div", { class: "step" }, element("h3", title), paragraph(words), content);
}

// A line for the query, and one for each key: its numbers, the products, their sum, the score and the weight.
function queriesAndKeys({ model, tokens, at }, { seen, query, scores, weights, keys }) {
  const { rope, rope_dim } = model.config;
  const D = query.length;
  const name = (letter, s) => [`${letter} of ${s} `, inText(longLabel(model, tokens[s]))];
  const outcome = (word, tag = "td", how = {}) => element(tag, { ...how, class: "outcome" }, word);
  const over = (words) => element("th", { scope: "colgroup", colspan: D, class: "group" }, words);
  const columns = ["sum", `sum ÷ √${D}`, "softmax"].map((word) => outcome(word, "th", { scope: "col" }));
  const head = element("thead", element("tr", element("td"), over("numbers"), over("q times k"), columns));
  const room = element("td", { colspan: D, class: "group" });
  const first = tableRow(name("q", at), [...numberCells(query), room, ...["", "", ""].map((word) => outcome(word))]);
  first.className = "query";
  const others = seen.map((s) => {
    const outcomes = [signed(dot(query, keys[s])), signed(scores[s]), fixed(weights[s])];
    const products = keys[s].map((x, j) => x * query[j]);
    return tableRow(name("k", s), [
      ...numberCells(keys[s]),
      ...numberCells(products),
      ...outcomes.map((word) => outcome(word)),
    ]);
  });
  return stepOf(
    "How the weights come about",
    "The letter that looks asks with its [query] q; every position it can see offers a [key] k. Number by number they " +
      `are multiplied and added up. The sum, divided by the square root of ${D}, is the [score]; [softmax] makes ` +
      `weights of the scores.${rope || rope_dim > 0 ? " Both are shown after their rotation by position." : ""}`,
    wideTable("Query, keys, scores and weights", head, element("tbody", first, others)),
  );
}

function valuesMixed({ model, tokens, layer, head }, { seen, weights, output, values }) {
  const isReplaced = switched(`${layer}:${head}`) !== "on";
  const last = (words) => element("td", { class: "group" }, words);
  const rows = seen.map((s) => {
    const name = [`v of ${s} `, inText(longLabel(model, tokens[s]))];
    return tableRow(name, [...numberCells(values[s]), last(`× ${fixed(weights[s])}`)]);
  });
  const name = isReplaced ? "put in its place" : "mixed";
  const mixed = tableRow(name, [...numberCells(output), last("")], { class: "total" });
  return stepOf(
    "What it takes",
    "Every position also holds a [value|values] v ready. The values, each times its weight, are added up: that is " +
      (isReplaced ? "the output of the head, which you replaced." : "the output of the head."),
    wideTable("Values and their mixture", element("tbody", rows, mixed)),
  );
}

function whatIsWritten({ model, now, layer, head, at }) {
  const numbers = headWrites(model, now, { layer, head }, at);
  const stream = now.layers[layer][at].x_residual;
  const length = (x) => fixed(Math.sqrt(dot(x, x)), 2);
  return stepOf(
    "What it writes",
    `[W_O] turns that output into ${numbers.length} numbers, which are added to those of the [residual stream]. ` +
      "How much is that? The length of a list is the root of the sum of its squares: what is added has a length of " +
      `${length(numbers)}, the stream before it one of ${length(stream)}.`,
    numberList(numbers),
  );
}

function showHead(shown) {
  const { model, now, tokens, layer, head, at } = shown;
  const facts = headFacts(shown);
  byId("pick-note").hidden = model.config.n_layer === 1;
  showHeadChoices(byId("pick-head"), shown);
  const letters = tokens.map((token) => longLabel(model, token));
  showChoices(byId("pick-letter"), letters.entries(), at, (at) => change({ at }));
  const map = headMap(model, {
    rows: weightsOf(now, { layer, head }),
    labels: shown.labels,
    picked: at,
    name: `Weights of layer ${layer}, head ${head} in “${state.text}”; row ${at} is picked`,
    forbidden: (t, s) => state.forbidden.has(`${layer}:${head}:${t}:${s}`),
    pick: (t) => change({ at: t }),
  });
  renew(byId("head-map"), map, element("p", { class: "note" }, cutNote(tokens.length)));
  showStrongest(shown, facts);
  renew(byId("steps"), queriesAndKeys(shown, facts), valuesMixed(shown, facts), whatIsWritten(shown));
}
