// The whole model in one picture: what happens to the chosen letter, in order, with its numbers as shades. Every box
// leads to where more is said of it.

const mostShades = 64; // of a longer list, the first

function shades(numbers) {
  const largest = Math.max(...numbers.map(Math.abs), 1e-12);
  const cells = numbers.slice(0, mostShades).map((x) => {
    const cell = element("i", { class: x < 0 ? "down" : null });
    cell.style.setProperty("--share", `${Math.round((100 * Math.abs(x)) / largest)}%`);
    return cell;
  });
  return element("span", { class: "shades", "aria-hidden": "true" }, ...cells);
}

// `where` is what a click changes: the section, at least.
function flowBox(key, name, note, where, ...content) {
  const click = () => change(where, { scroll: true });
  const tabindex = key === "letter" ? 0 : -1; // the others are reached by arrow keys
  const attributes = { class: "flow-box", "data-key": `flow ${key}`, tabindex, click };
  return button(attributes, element("b", element("bdi", name)), element("small", element("bdi", note)), ...content);
}

function headBox({ model, now, tokens }, { key, name, layer, head }) {
  const { attn_weights, head_out } = now.layers[layer][state.at];
  const [first] = strongest(attn_weights[head], [...attn_weights[head].keys()], 1);
  const looks = `looks at ${longLabel(model, tokens[first])} (${first})`;
  return flowBox(key, name, looks, { layer, head, tab: "inside" }, shades(head_out[head]));
}

// Heads side by side, what the stream is after them, the MLP, and what it is then.
function layerBoxes(shown, layer) {
  const { model, now } = shown;
  const { x } = now.layers[layer][state.at];
  const mlp = now.mlps[layer][state.at];
  const [{ key, name }] = partsOf(model).filter((part) => part.layer === layer && part.head === undefined);
  const heads = headsOf(model).filter((part) => part.layer === layer);
  return [
    element("span", { class: "flow-heads" }, ...heads.map((part) => headBox(shown, part))),
    flowBox(`${layer} heads`, "stream", "the heads added", { tab: "why" }, shades(x)),
    flowBox(key, name, "at this letter alone", { tab: "whatif" }, shades(mlp.active)),
    flowBox(`${layer} mlp`, "stream", "the MLP added", { tab: "why" }, shades(mlp.x)),
  ];
}

function showPicture(shown) {
  const { model, now, tokens, targets } = shown;
  const { at } = state;
  const bars = tokensToShow(now.probs[at], targets[at]).map((token) =>
    chanceBar({ label: nextLabel(model, token), share: now.probs[at][token], isNext: token === targets[at] }),
  );
  const layers = Array.from({ length: model.config.n_layer }, (_, layer) => layerBoxes(shown, layer));
  const boxes = [
    flowBox("letter", longLabel(model, tokens[at]), `position ${at}`, { tab: "read" }),
    flowBox("embedding", "stream", partsOf(model)[0].name, { tab: "why" }, shades(now.embedded[at])),
    ...layers.flat(),
    flowBox("next", "next letter", readingSoFar(shown, at), { tab: "read" }, ...bars),
  ];
  const arrow = () => element("span", { "aria-hidden": "true" }, "→");
  byId("picture-where").replaceChildren(inText(readingSoFar(shown, at)));
  replaceKeepingFocus(byId("picture-flow"), boxes.flatMap((box, i) => (i > 0 ? [arrow(), box] : [box])));
}

function startPicture() {
  byId("picture-next").addEventListener("click", () => change({ at: (state.at + 1) % state.shown.tokens.length }));
}
