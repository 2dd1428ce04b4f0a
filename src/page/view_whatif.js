// What if: parts switched off, looks forbidden, another temperature; and names drawn from the changed model.

// How a part is switched, by its key: "on", "off" or "mean".
function switched(key) {
  return ["off", "mean"].find((how) => state.off.has(`${key}:${how}`)) ?? "on";
}

// --- Forbidden looks -------------------------------------------------------------------------------------------------

function showForbid(shown) {
  const { model, now, tokens, layer, head, at } = shown;
  showHeadChoices(byId("forbid-head"), shown);
  const labels = shown.labels.slice(0, longestMap);
  const name = (i) => `${longLabel(model, tokens[i])} (${i})`;
  const cellButton = (t, s) => {
    const key = `${layer}:${head}:${t}:${s}`;
    const isForbidden = state.forbidden.has(key);
    const isMasked = !allows(model, layer, t, s);
    const weight = now.layers[layer][t].attn_weights[head][s];
    const how = isMasked ? "never, because of the mask" : isForbidden ? "forbidden" : fixed(weight);
    const about = {
      ...{ "data-key": `cell ${t} ${s}`, "data-t": t, "data-s": s, style: `--share: ${(100 * weight).toFixed(1)}%` },
      tabindex: t === Math.min(at, longestMap - 1) && s === 0 ? 0 : -1,
      "aria-pressed": String(isForbidden),
      "aria-disabled": isMasked && "true",
      "aria-label": `${name(t)} looks at ${name(s)}: ${how}`,
      click: () => isMasked || change({ forbidden: toggled(state.forbidden, key) }),
    };
    return element("td", button(about, isForbidden ? "×" : ""));
  };
  const keydown = (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const { t, s } = document.activeElement.dataset;
    if (!(event.key in steps) || t === undefined) return;
    event.preventDefault();
    const [down, right] = steps[event.key];
    event.currentTarget.querySelector(`[data-t="${Number(t) + down}"][data-s="${Number(s) + right}"]`)?.focus();
  };
  const rows = labels.map((label, t) => tableRow(label, Array.from({ length: t + 1 }, (_, s) => cellButton(t, s))));
  const columns = labels.map((label) => element("th", { scope: "col" }, label));
  const how = { class: "cells", "aria-label": "Looks to forbid: a row looks, a column is looked at", keydown };
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

function showDifference(shown) {
  const { model, tokens, targets, before, now, isChanged } = shown;
  const place = byId("difference");
  if (!isChanged) return renew(place, element("p", "Nothing is changed yet, so the model says what it says above."));
  const kinds = ["probability before", "probability now", "loss before", "loss now", "difference", "expected most"];
  const losses = `” was ${fixed(before.loss)} and is now ${fixed(now.loss)}: `;
  const much = element("strong", lossChange(before.loss, now.loss));
  const words = element("p", explained("The [loss] of “"), inText(state.text), losses, much, ".");
  const rows = tokens.map((_, t) => {
    const [was, is] = [before, now].map(({ probs }) => nextLabel(model, likeliest(probs[t])));
    return tableRow(inText(`${readingSoFar(shown, t)}: ${nextLabel(model, targets[t])}`), [
      ...[before, now].map(({ probs }) => percent(probs[t][targets[t]])),
      ...[before, now].map(({ losses }) => fixed(losses[t])),
      lossChange(before.losses[t], now.losses[t]),
      was === is ? is : `${was} → ${is}`,
    ]);
  });
  renew(place, words, wideTable("Before and now, by letter", tableHead(["", ...kinds]), element("tbody", rows)));
}

function showWhatIf(shown) {
  byId("any-layer").hidden = shown.model.config.n_layer === 1;
  const parts = partsOf(shown.model).slice(1); // without letter and position nothing is left
  const rows = parts.map(({ key, name, head }) => {
    const group = element("span", { class: "choices", role: "radiogroup", "aria-label": name });
    const others = [...state.off].filter((each) => !each.startsWith(`${key}:`));
    const turn = (how) => change({ off: new Set(how === "on" ? others : [...others, `${key}:${how}`]) });
    const ways = head === undefined ? ["on", "off"] : ["on", "off", "mean"];
    showChoices(group, ways.map((how) => [how, how]), switched(key), turn);
    for (const each of group.children) each.dataset.key = `switch ${key} ${each.dataset.value}`;
    return element("div", { class: "switch" }, element("span", name), group);
  });
  renew(byId("switches"), rows);
  showForbid(shown);
  byId("temperature").value = state.temperature;
  byId("temperature-value").textContent = state.temperature.toFixed(2);
  showDifference(shown);
}

byId("temperature").addEventListener("input", ({ target }) => change({ temperature: Number(target.value) }));

byId("sampling").addEventListener("submit", (event) => {
  event.preventDefault();
  byId("sampling-message").textContent = "";
  try {
    const how = { seed: byId("seed").value, temperature: state.temperature };
    showNames("sampled", sample(shown.model, how, shown.changes));
  } catch (error) {
    byId("sampling-message").textContent = `No names: ${error.message}.`;
  }
});
