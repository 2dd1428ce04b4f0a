// What if: parts switched off, looks forbidden, another temperature; and names drawn from the changed model.

function showSwitches(shown) {
  const switched = partsOf(shown.model).slice(1); // without letter and position nothing is left
  const all = JSON.stringify([switched, [...state.off]]);
  if (byId("switches").dataset.shown === all) return;
  byId("switches").dataset.shown = all;
  const rows = switched.map(({ key, name, head }) => {
    const group = { class: "choices", role: "radiogroup", "aria-label": name };
    const choices = element("span", group);
    const ways = head === undefined ? ["on", "off"] : ["on", "off", "mean"];
    const others = [...state.off].filter(([each]) => each !== key);
    const turn = (how) => change({ off: new Map(how === "on" ? others : [...others, [key, how]]) });
    showChoices(choices, ways.map((how) => [how, how]), state.off.get(key) ?? "on", turn);
    for (const each of choices.children) each.dataset.key = `switch ${key} ${each.dataset.value}`;
    return element("div", { class: "switch" }, element("span", name), choices);
  });
  renew(byId("switches"), rows);
}

// --- Forbidden looks -------------------------------------------------------------------------------------------------

function cellButton(shown, t, s) {
  const { layer, head, forbidden } = state;
  const key = `${layer}:${head}:${t}:${s}`;
  const isForbidden = forbidden.has(key);
  const isMasked = !allows(shown.model, t, s);
  const weight = shown.now.weights[layer][head][t][s];
  const how = isMasked ? "never, because of the mask" : isForbidden ? "forbidden" : fixed(weight);
  const name = (i) => `${longLabel(shown.model, shown.tokens[i])} (${i})`;
  const about = {
    ...{ "data-key": `cell ${t} ${s}`, "data-t": t, "data-s": s, class: shadeOf(weight) },
    tabindex: t === Math.min(state.at, longestMap - 1) && s === 0 ? 0 : -1,
    "aria-pressed": String(isForbidden),
    "aria-disabled": isMasked ? "true" : null,
    "aria-label": `${name(t)} looks at ${name(s)}: ${how}`,
    click: () => isMasked || change({ forbidden: toggled(forbidden, key) }),
  };
  return element("td", button(about, isForbidden ? "×" : ""));
}

function showForbid(shown) {
  showHeadChoices(byId("forbid-head"), shown);
  const labels = shown.labels.slice(0, longestMap);
  const rows = labels.map((label, t) => {
    const cells = Array.from({ length: t + 1 }, (_, s) => cellButton(shown, t, s));
    return element("tr", element("th", { scope: "row" }, label), ...cells);
  });
  const columns = labels.map((label) => element("th", { scope: "col" }, label));
  const name = "Looks to forbid: a row looks, a column is looked at";
  const head = element("thead", element("tr", element("td"), ...columns));
  const how = { class: "cells", keydown: moveBetweenCells, "aria-label": name };
  const table = element("table", how, head, element("tbody", ...rows));
  const cut = element("p", { class: "note" }, cutNote(shown.labels.length));
  renew(byId("forbid"), element("div", { class: "scroll" }, table), cut);
}

function moveBetweenCells(event) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const { t, s } = document.activeElement.dataset;
  if (!(event.key in steps) || t === undefined) return;
  event.preventDefault();
  const [down, right] = steps[event.key];
  event.currentTarget.querySelector(`[data-t="${Number(t) + down}"][data-s="${Number(s) + right}"]`)?.focus();
}

// --- What changes ----------------------------------------------------------------------------------------------------

function differenceRow(shown, t) {
  const { model, targets, before, now } = shown;
  const target = targets[t];
  const [was, is] = [before, now].map(({ probs }) => nextLabel(model, likeliest(probs[t])));
  return tableRow(inText(`${readingSoFar(shown, t)}: ${nextLabel(model, target)}`), [
    ...[percent(before.probs[t][target]), percent(now.probs[t][target])],
    ...[fixed(before.losses[t]), fixed(now.losses[t])],
    lossChange(before.losses[t], now.losses[t]),
    was === is ? is : `${was} → ${is}`,
  ]);
}

function showDifference(shown) {
  const { before, now, isChanged } = shown;
  const place = byId("difference");
  if (!isChanged) {
    renew(place, element("p", { class: "big" }, "Nothing is changed yet, so the model says what it says above."));
    return;
  }
  const kinds = ["probability before", "probability now", "loss before", "loss now", "difference", "expected most"];
  const much = element("strong", lossChange(before.loss, now.loss));
  const losses = `” was ${fixed(before.loss)} and is now ${fixed(now.loss)}: `;
  const words = [...explained("The [loss] of “"), inText(state.text), losses, much, ". "];
  const rows = element("tbody", ...shown.tokens.map((_, t) => differenceRow(shown, t)));
  renew(
    place,
    element("p", { class: "big" }, ...words, element("span", { id: "others" })),
    wideTable("Before and now, by letter", tableHead(["", ...kinds]), rows),
  );
  showOthersSoon(shown);
}

// One name tells little, so a moment later the same is measured on others, one after the other: the page stays quick.
function showOthersSoon(shown) {
  const readable = state.data.names.filter((name) => canRead(shown.model, name));
  const names = spread(readable, shown.model.numbers.length > 20000 ? 30 : 100);
  const lossOf = (name, changes, temperature) => read(shown.model, name, changes, temperature).loss;
  const measure = (i, sum) => {
    const place = byId("others");
    if (place === null || state.shown !== shown) return;
    if (i < names.length) {
      const difference = lossOf(names[i], shown.changes, state.temperature) - lossOf(names[i], unchanged, 1);
      return later("others", 0, () => measure(i + 1, sum + difference));
    }
    place.textContent =
      `Over ${names.length} other ${nounOf(shown.model)} it changes by ${signed(sum / names.length)}.` +
      (state.forbidden.size > 0 ? " (Forbidden looks are forbidden at the same positions there.)" : "");
  };
  later("others", 300, () => measure(0, 0));
}

function canRead(model, text) {
  return [...text].every((character) => model.tokens.has(character));
}

// --- New names -------------------------------------------------------------------------------------------------------

const mostNames = 200;

const samplingInputs = ["seed", "num", "prompt"]; // they set what has their names

function generateNames() {
  const { about, model, changes } = state.shown;
  const { seed, temperature, num, prompt } = state;
  byId("sampling-message").textContent = "";
  try {
    if (!(num >= 1 && num <= mostNames)) throw new Error(`it can be 1 to ${mostNames} of them`);
    const begin = readable(model, prompt);
    if (begin.changes.length > 0) {
      byId("sampling-message").textContent = `They begin with “${begin.text}”: ${begin.changes.join("; ")}.`;
    }
    showNames("sampled", sample(model, { seed, temperature, num, prompt: begin.text }, changes));
    const options = `--dtype f64 --seed ${seed} --temperature ${temperature} --num ${num}`;
    const prompted = begin.text === "" ? "" : ` --prompt ${shellWord(begin.text)}`;
    byId("sampling-terminal").hidden = changes.off.size + changes.forbidden.size > 0; // it has no switches
    byId("sampling-command").textContent = `microgpt sample ${shellWord(about.path)} ${options}${prompted}`;
  } catch (error) {
    byId("sampling-message").textContent = `No names: ${error.message}.`;
  }
}

function showWhatIf(shown) {
  byId("any-layer").hidden = shown.model.config.n_layer === 1;
  showSwitches(shown);
  showForbid(shown);
  const { length } = namesToAverage(shown.model);
  const some = length < state.data.names.length ? `${length} of ` : "";
  byId("averaged").textContent = `${some}the ${nounOf(shown.model)}`;
  byId("temperature").value = state.temperature;
  byId("temperature-value").textContent = state.temperature.toFixed(2);
  showDifference(shown);
}

function startWhatIf() {
  const showSoon = onceAFrame(showAnew);
  byId("temperature").addEventListener("input", ({ target }) => {
    state.temperature = Number(target.value);
    showSoon();
  });
  for (const key of samplingInputs) {
    byId(key).addEventListener("input", ({ target }) => {
      state[key] = target.type === "number" ? target.valueAsNumber : target.value;
      writeLinkSoon();
    });
  }
  byId("sampling").addEventListener("submit", (event) => {
    event.preventDefault();
    generateNames();
  });
}
