// Whole: the whole model in one picture. What happens to the chosen letter, in order, with its numbers as shades. A box
// leads to where more is said of it, or opens: then its numbers stand below the picture.

const mostShades = 64; // of a longer list, the first

// `does` is what a click does; `note` is a text or an element.
function flowBox(key, name, note, does, numbers = null, more = []) {
  const tabindex = key === "letter" ? 0 : -1; // the others are reached by arrow keys
  const how = { class: "shades", "aria-hidden": "true" };
  const strip = numbers && element("span", how, shades(numbers.slice(0, mostShades), "i"));
  const attributes = { class: "flow-box", "data-key": `flow ${key}`, tabindex, click: does };
  const small = element("small", typeof note === "string" ? inText(note) : note);
  return button(attributes, element("b", inText(name)), small, strip, more);
}

// By key: its name, what happened, and its lists of numbers. The picture shows the last one, or `shaded`.
function openingBoxes({ model, now, tokens, at }) {
  const { wte, wpe } = model.w;
  const letter = [`${longLabel(model, tokens[at])} (wte)`, [...wte.row(tokens[at])]];
  const place = model.config.rope ? [] : [[`position ${at} (wpe)`, [...wpe.row(at)]]];
  const added = [letter, ...place, ["both, divided by the root of their mean square", now.embedded[at]]];
  const boxes = new Map([["embedding", { name: "stream", note: partsOf(model)[0].name, lists: added }]]);
  now.layers.forEach((positions, layer) => {
    const { x_residual, attn_out, x } = positions[at];
    const { active, mlp_out, x: after } = now.mlps[layer][at];
    const key = `${layer}:mlp`;
    const { name } = partsOf(model).find((part) => part.key === key);
    const sums = `inside: ${active.length} weighted sums of the stream, where what is below 0 becomes 0`;
    boxes.set(`${layer} heads`, {
      name: "stream",
      note: "the heads added",
      lists: [["before", x_residual], ["what the heads add", attn_out], ["their sum", x]],
    });
    boxes.set(key, {
      name,
      note: switched(key) === "on" ? "at this letter alone" : "switched off",
      shaded: active,
      lists: [[sums, active], ["what it adds", mlp_out]],
    });
    boxes.set(`${layer} mlp`, {
      name: "stream",
      note: "the MLP added",
      lists: [["before", x], ["what the MLP adds", mlp_out], ["their sum", after]],
    });
  });
  return boxes;
}

function showPicture(shown) {
  const { model, now, tokens, targets, at } = shown;
  const opening = openingBoxes(shown);
  const [embedding, ...others] = [...opening].map(([key, { name, note, lists, shaded = lists.at(-1)[1] }]) => {
    const open = () => {
      change({ box: state.box === key ? "" : key });
      byId("picture-box").scrollIntoView({ block: "nearest" });
    };
    const box = flowBox(key, name, note, open, shaded);
    box.setAttribute("aria-expanded", String(state.box === key));
    return box;
  });
  // It tells what its head looks at most, and how much of its look that is; or that it is switched off.
  const headBox = ({ key, name, layer, head }) => {
    const { attn_weights, head_out } = now.layers[layer][at];
    const first = likeliest(attn_weights[head]);
    const how = switched(key);
    const looks = inText(`${percent(attn_weights[head][first])} at ${longLabel(model, tokens[first])} (${first})`);
    const replaced = element("span", { class: "changed" }, how === "off" ? "switched off" : "its mean output");
    const open = () => go({ layer, head, tab: "inside" });
    return flowBox(key, name, how === "on" ? looks : replaced, open, head_out[head]);
  };
  const layers = now.layers.flatMap((_, layer) => {
    const heads = headsOf(model).filter((part) => part.layer === layer);
    const beside = element("span", { class: "flow-heads" }, heads.map(headBox));
    return [beside, ...others.slice(3 * layer, 3 * layer + 3)]; // the stream, the MLP, the stream
  });
  const toRead = () => go({ tab: "read" });
  const bars = chanceBars(model, now.probs[at], targets[at]);
  const boxes = [
    flowBox("letter", longLabel(model, tokens[at]), `position ${at}`, toRead),
    embedding,
    ...layers,
    flowBox("next", "next letter", inText(readingSoFar(shown, at)), toRead, null, bars),
  ];
  const arrow = () => element("span", { "aria-hidden": "true" }, "→");
  renew(byId("picture-flow"), boxes.flatMap((box, i) => (i > 0 ? [arrow(), box] : [box])));
  renew(byId("picture-where"), inText(readingSoFar(shown, at)));
  byId("picture-next").onclick = () => change({ at: (at + 1) % tokens.length }); // after the last comes the first
  const open = opening.get(state.box);
  byId("picture-box").hidden = !open;
  if (!open) return;
  // The stream ends in the logits, so one can ask at each place what the model would say if it ended there.
  const { lm_head } = model.w;
  const logits = Array.from({ length: lm_head.rows }, (_, token) => dot(lm_head.row(token), open.lists.at(-1)[1]));
  const said = [
    element("h4", "What it would say if it ended here"),
    element("div", { class: "chances" }, chanceBars(model, probabilities(logits), targets[at])),
  ];
  const door = (tab, words) => button({ class: "link", click: () => go({ tab }) }, words);
  const doors = element("p", door("why", "What it adds"), " ", door("whatif", "Switch it off"));
  const numbers = open.lists.map(([words, list]) => [element("h4", inText(words)), numberList(list)]);
  const title = element("h3", inText(open.name), `, ${open.note}`);
  renew(byId("picture-box"), title, numbers, open.name === "stream" ? said : doors);
}
