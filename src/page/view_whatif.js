// What if: parts switched off, looks forbidden, another temperature; and names drawn from the changed model.

// How a part is switched, by its key: "on", "off" or "mean".
function switched(key) {
  return ["off", "mean"].find((how) => state.off.has(`${key}:${how}`)) ?? "on";
}

function switchRow({ key, name, head }) {
  const group = element("span", { class: "choices", role: "radiogroup", "aria-label": name });
  const others = [...state.off].filter((each) => !each.startsWith(`${key}:`));
  const turn = (how) => change({ off: new Set(how === "on" ? others : [...others, `${key}:${how}`]) });
  const ways = head === undefined ? ["on", "off"] : ["on", "off", "mean"];
  showChoices(group, ways.map((how) => [how, how]), switched(key), turn);
  for (const each of group.children) each.dataset.key = `switch ${key} ${each.dataset.value}`;
  return element("div", { class: "switch" }, element("span", name), group);
}

// --- Forbidden looks -------------------------------------------------------------------------------------------------

function cellButton({ model, now, tokens, layer, head, at }, t, s) {
  const key = `${layer}:${head}:${t}:${s}`;
  const isForbidden = state.forbidden.has(key);
  const isMasked = !allows(model, t, s);
  const weight = now.layers[layer][t].attn_weights[head][s];
  const how = isMasked ? "never, because of the mask" : isForbidden ? "forbidden" : fixed(weight);
  const name = (i) => `${longLabel(model, tokens[i])} (${i})`;
  const about = {
    ...{ "data-key": `cell ${t} ${s}`, "data-t": t, "data-s": s, style: `--share: ${(100 * weight).toFixed(1)}%` },
    tabindex: t === Math.min(at, longestMap - 1) && s === 0 ? 0 : -1,
    "aria-pressed": String(isForbidden),
    "aria-disabled": isMasked && "true",
    "aria-label": `${name(t)} looks at ${name(s)}: ${how}`,
    click: () => isMasked || change({ forbidden: toggled(state.forbidden, key) }),
  };
  return element("td", button(about, isForbidden ? "×" : ""));
}

function moveBetweenCells(event) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const { t, s } = document.activeElement.dataset;
  if (!(event.key in steps) || t === undefined) return;
  event.preventDefault();
  const [down, right] = steps[event.key];
  event.currentTarget.querySelector(`[data-t="${Number(t) + down}"][data-s="${Number(s) + right}"]`)?.focus();
}

function showForbid(shown) {
  showHeadChoices(byId("forbid-head"), shown);
  const labels = shown.labels.slice(0, longestMap);
  const rows = labels.map((label, t) =>
    tableRow(label, Array.from({ length: t + 1 }, (_, s) => cellButton(shown, t, s))),
  );
  const columns = labels.map((label) => element("th", { scope: "col" }, label));
  const name = "Looks to forbid: a row looks, a column is looked at";
  const how = { class: "cells", "aria-label": name, keydown: moveBetweenCells };
  const table = element("table", how, element("thead", element("tr", element("td"), columns)), element("tbody", rows));
  const cut = element("p", { class: "note" }, cutNote(shown.labels.length));
  renew(byId("forbid"), element("div", { class: "scroll" }, table), cut);
}

// --- What changes ----------------------------------------------------------------------------------------------------

// What losses differ by as they are shown, in the colour of what it means. One that cannot be seen is none.
function lossChange(before, now) {
  const x = now.toFixed(3) - before.toFixed(3);
  return x === 0 ? "no change" : element("span", { class: x > 0 ? "worse" : "better" }, signed(x));
}

function differenceRow(shown, t) {
  const { model, targets, before, now } = shown;
  const [was, is] = [before, now].map(({ probs }) => nextLabel(model, likeliest(probs[t])));
  return tableRow(inText(`${readingSoFar(shown, t)}: ${nextLabel(model, targets[t])}`), [
    ...[before, now].map(({ probs }) => percent(probs[t][targets[t]])),
    ...[before, now].map(({ losses }) => fixed(losses[t])),
    lossChange(before.losses[t], now.losses[t]),
    was === is ? is : `${was} → ${is}`,
  ]);
}

function showDifference(shown) {
  const { tokens, before, now, isChanged } = shown;
  const place = byId("difference");
  if (!isChanged) return renew(place, element("p", "Nothing is changed yet, so the model says what it says above."));
  const kinds = ["probability before", "probability now", "loss before", "loss now", "difference", "expected most"];
  const losses = `” was ${fixed(before.loss)} and is now ${fixed(now.loss)}: `;
  const much = element("strong", lossChange(before.loss, now.loss));
  const others = element("span", { id: "others" });
  const words = element("p", explained("The [loss] of “"), inText(state.text), losses, much, ". ", others);
  const rows = element("tbody", tokens.map((_, t) => differenceRow(shown, t)));
  renew(place, words, wideTable("Before and now, by letter", tableHead(["", ...kinds]), rows));
  later("others", 300, () => measureOthers(shown, 0, 0));
}

// One text tells little, so a moment later the same is measured on others, one after the other: the page stays quick.
function measureOthers(shown, i, sum) {
  if (state.tab !== "whatif") return;
  const { model, about, changes } = shown;
  const texts = about.texts.slice(0, model.numbers.length > 20000 ? 30 : 100);
  if (i < texts.length) {
    const lossOf = (how, temperature) => read(model, texts[i], how, temperature).loss;
    const difference = lossOf(changes, state.temperature) - lossOf(unchanged, 1);
    return later("others", 0, () => measureOthers(shown, i + 1, sum + difference));
  }
  byId("others").textContent =
    `Over ${texts.length} other texts it changes by ${signed(sum / texts.length)}.` +
    (state.forbidden.size > 0 ? " (Forbidden looks are forbidden at the same positions there.)" : "");
}

// --- New names -------------------------------------------------------------------------------------------------------

const mostNames = 200;

function generateNames(event) {
  event.preventDefault();
  const [seed, prompt, num] = ["seed", "prompt", "num"].map((id) => byId(id).value);
  const begin = readable(shown.model, prompt);
  byId("sampling-message").textContent =
    begin.changes.length > 0 ? `They begin with “${begin.text}”: ${begin.changes.join("; ")}.` : "";
  try {
    if (!(num >= 1 && num <= mostNames)) throw new Error(`it can be 1 to ${mostNames} of them`);
    const how = { seed, temperature: state.temperature, num: Number(num), prompt: begin.text };
    showNames("sampled", sample(shown.model, how, shown.changes));
  } catch (error) {
    byId("sampling-message").textContent = `No names: ${error.message}.`;
  }
}

function showWhatIf(shown) {
  byId("any-layer").hidden = shown.model.config.n_layer === 1;
  renew(byId("switches"), partsOf(shown.model).slice(1).map(switchRow)); // without letter and position nothing is left
  showForbid(shown);
  byId("temperature").value = state.temperature;
  byId("temperature-value").textContent = state.temperature.toFixed(2);
  showDifference(shown);
}

byId("temperature").addEventListener("input", ({ target }) => change({ temperature: Number(target.value) }));
byId("sampling").addEventListener("submit", generateNames);
