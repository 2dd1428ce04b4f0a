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
  const sees = (s) => allows(model, layer, at, s) && !changes.forbidden.has(`${layer}:${head}:${at}:${s}`);
  const seen = [...positions.keys()].filter(sees);
  return { seen, query, scores, weights, output, keys, values };
}

function numberCells(numbers) {
  return [...numbers].map((x, i) => element("td", { class: i === 0 && "group" }, signed(x, 2)));
}

function stepOf(title, words, content) {
  return element("div", { class: "step" }, element("h3", title), paragraph(words), content);
}

function showHead(shown) {
  const { model, now, tokens, layer, head, at } = shown;
  const { rope, rope_dim, n_layer } = model.config;
  const { seen, query, scores, weights, output, keys, values } = headFacts(shown);
  const letterAt = (s) => inText(longLabel(model, tokens[s]));
  byId("pick-note").hidden = n_layer === 1;
  showHeadChoices(byId("pick-head"), shown);
  const letters = tokens.map((token) => longLabel(model, token));
  showChoices(byId("pick-letter"), letters.entries(), at, (at) => change({ at }));
  const map = headMap(model, {
    layer,
    rows: weightsOf(now, { layer, head }),
    labels: shown.labels,
    picked: at,
    name: `Weights of layer ${layer}, head ${head} in “${state.text}”; row ${at} is picked`,
    forbidden: (t, s) => state.forbidden.has(`${layer}:${head}:${t}:${s}`),
    pick: (t) => change({ at: t }),
  });
  renew(byId("head-map"), map, element("p", { class: "note" }, cutNote(tokens.length)));

  // The five strongest keys.
  const strongestRows = strongest(weights, seen, 5).map((s) => {
    const bar = element("span", { class: "weight-bar", style: `width: ${4.5 * weights[s]}rem` });
    const numbers = [String(s), fixed(weights[s], 4), fixed(1 / seen.length, 4), signed(scores[s], 4)];
    return tableRow(letterAt(s), [...numbers, element("td", { class: "bar-cell" }, bar)]);
  });
  const caption = element("caption", "What ", letterAt(at), ` at position ${at} looks at most`);
  const titles = tableHead(["looks at", "position", "[weight]", "[even share]", "[score]", ""]);
  // -sum of a ln a, as a share of its largest, ln(visible positions).
  const entropy = seen.reduce((sum, s) => sum - (weights[s] > 0 ? weights[s] * Math.log(weights[s]) : 0), 0);
  const note =
    seen.length < 2
      ? "It sees only one position, so there is nothing to choose."
      : `It sees ${seen.length} positions. The [entropy] of this row is ${fixed(entropy / Math.log(seen.length), 2)}.`;
  const table = wideTable("The strongest keys", caption, titles, element("tbody", strongestRows));
  renew(byId("strongest"), table, element("p", { class: "note" }, explained(note)));

  // A line for the query, and one for each key: its numbers, the products, their sum, the score and the weight.
  const D = query.length;
  const outcome = (word, tag = "td", how = {}) => element(tag, { ...how, class: "outcome" }, word);
  const over = (words) => element("th", { scope: "colgroup", colspan: D, class: "group" }, words);
  const columns = ["sum", `sum ÷ √${D}`, "softmax"].map((word) => outcome(word, "th", { scope: "col" }));
  const heading = element("thead", element("tr", element("td"), over("numbers"), over("q times k"), columns));
  const room = element("td", { colspan: D, class: "group" });
  const ofQuery = [...numberCells(query), room, ...["", "", ""].map((word) => outcome(word))];
  const ofKeys = seen.map((s) => {
    const outcomes = [signed(dot(query, keys[s])), signed(scores[s]), fixed(weights[s])].map((word) => outcome(word));
    const products = keys[s].map((x, j) => x * query[j]);
    const cells = [keys[s], products].flatMap(numberCells);
    return tableRow([`k of ${s} `, letterAt(s)], [...cells, ...outcomes]);
  });
  const queryRow = tableRow([`q of ${at} `, letterAt(at)], ofQuery, { class: "query" });
  const weightsStep = stepOf(
    "How the weights come about",
    "The letter that looks asks with its [query] q; every position it can see offers a [key] k. Number by number they " +
      `are multiplied and added up. The sum, divided by the square root of ${D}, is the [score]; [softmax] makes ` +
      `weights of the scores.${rope || rope_dim > 0 ? " Both are shown after their rotation by position." : ""}`,
    wideTable("Query, keys, scores and weights", heading, element("tbody", queryRow, ofKeys)),
  );

  const isReplaced = switched(`${layer}:${head}`) !== "on";
  const last = (words) => element("td", { class: "group" }, words);
  const ofValues = seen.map((s) =>
    tableRow([`v of ${s} `, letterAt(s)], [...numberCells(values[s]), last(`× ${fixed(weights[s])}`)]),
  );
  const mixedCells = [...numberCells(output), last("")];
  const mixed = tableRow(isReplaced ? "put in its place" : "mixed", mixedCells, { class: "total" });
  const valuesStep = stepOf(
    "What it takes",
    "Every position also holds a [value|values] v ready. The values, each times its weight, are added up: that is " +
      (isReplaced ? "the output of the head, which you replaced." : "the output of the head."),
    wideTable("Values and their mixture", element("tbody", ofValues, mixed)),
  );

  const written = headWrites(model, now, { layer, head }, at);
  const stream = now.layers[layer][at].x_residual;
  const length = (x) => fixed(Math.sqrt(dot(x, x)), 2);
  const writtenStep = stepOf(
    "What it writes",
    `[W_O] turns that output into ${written.length} numbers, which are added to those of the [residual stream]. ` +
      "How much is that? The length of a list is the root of the sum of its squares: what is added has a length of " +
      `${length(written)}, the stream before it one of ${length(stream)}.`,
    numberList(written),
  );
  renew(byId("steps"), weightsStep, valuesStep, writtenStep);
}
