// Why this letter: its logit as the sum that it is, part by part; and what its loss is without each part.

// A part's name leads to where more is said of it: a head's numbers, or the switch of an MLP.
function partName({ key, name, layer, head }) {
  if (key === "embedding") return explained(`[${name}|embedding]`);
  const isHead = head !== undefined;
  const click = () => go(isHead ? { layer, head, tab: "inside" } : { tab: "whatif" });
  const label = `${name}: ${isHead ? "show it in numbers" : "switch it off"}`;
  return button({ class: "link", "aria-label": label, "data-key": `part ${key}`, click }, name);
}

function showWhy(shown) {
  const { model, now, targets, at } = shown;
  const target = targets[at];
  const token = state.letter === "end" ? model.bos : (model.tokens.get(state.letter) ?? target);
  const letterOf = (each) => (each === model.bos ? "end" : model.characters[each]);
  const tokens = new Set([...tokensToShow(now.probs[at], target), token]);
  const choices = [...tokens].map((each) => [letterOf(each), nextLabel(model, each)]);
  showChoices(byId("why-letters"), choices, letterOf(token), (letter) => change({ letter }));
  renew(byId("why-where"), inText(`${readingSoFar(shown, at)}?`));

  const loss = crossEntropy(now.logits[at], token, state.temperature);
  const parts = logitParts(model, now, at, token);
  const sums = parts.reduce((all, { adds }) => [...all, all.at(-1) + adds], [0]);
  const [low, high] = [Math.min(...sums), Math.max(...sums)];
  const share = (x) => (100 * (x - low)) / (high - low || 1);
  const rows = parts.map((part, i) => {
    const [from, to] = [sums[i], sums[i + 1]].map(share); // a bar begins where the one before ends
    const style = `left: ${Math.min(from, to)}%; width: ${Math.abs(to - from)}%`;
    const bar = element("span", { class: to < from ? "fall" : "rise", style });
    const waterfall = element("td", { class: "waterfall" }, element("span", { class: "track" }, bar));
    const without = element("td", { id: `without-${i}` }, "…");
    return tableRow(partName(part), [waterfall, signed(part.adds), without]);
  });
  const numbers = ["", signed(now.logits[at][token]), fixed(loss)];
  const sum = tableRow(explained("[the logit|logit]"), numbers, { class: "total" });
  const heading = tableHead(["", "", "adds", "[loss] without it"]);
  renew(byId("why-parts"), wideTable("What each part adds", heading, element("tbody", rows, sum)));
  later("why", 100, () => showLossWithout(shown, token, parts, loss, 0));
}

// The loss without each part, one part after the other, so that the page stays quick.
function showLossWithout(shown, token, parts, loss, i) {
  if (i === parts.length) return;
  const { model, tokens, changes, at } = shown;
  const off = new Map([...changes.off, [parts[i].key, null]]);
  const { logits } = forward(model, tokens.slice(0, at + 1), { ...changes, off });
  const without = crossEntropy(logits[at], token, state.temperature);
  const isGuessing = Math.abs(without - guessingLoss(model)) < 1e-9; // no part says anything
  const difference = element("span", { class: "unit" }, ` (${isGuessing ? "guessing" : signed(without - loss)})`);
  renew(byId(`without-${i}`), fixed(without), difference);
  later("why", 0, () => showLossWithout(shown, token, parts, loss, i + 1));
}
