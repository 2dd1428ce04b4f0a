// Why this letter: its logit as the sum that it is, part by part; and what its loss is without each part.

function tokenToExplain({ model, targets }) {
  return state.letter === "end" ? model.bos : (model.tokens.get(state.letter) ?? targets[state.at]);
}

function showLettersToExplain({ model, now, targets }, token) {
  const letterOf = (each) => (each === model.bos ? "end" : model.characters[each]);
  const tokens = new Set([...tokensToShow(now.probs[state.at], targets[state.at]), token]);
  const choices = [...tokens].map((each) => [letterOf(each), nextLabel(model, each)]);
  showChoices(byId("why-letters"), choices, letterOf(token), (letter) => change({ letter }));
}

// A part's name leads to where more is said of it: a head's numbers, or the switch of an MLP.
function partName({ key, name, layer, head }) {
  if (key === "embedding") return explained(`[${name}|embedding]`);
  const isHead = head !== undefined;
  const where = isHead ? { layer, head, tab: "inside" } : { tab: "whatif" };
  const label = `${name}: ${isHead ? "show it in numbers" : "switch it off"}`;
  const click = () => change(where, { scroll: true });
  return [button({ class: "link", "aria-label": label, "data-key": `part ${key}`, click }, name)];
}

// A bar begins where the one before ends; [low, high] fills the cell.
function waterfallBar(from, to, [low, high]) {
  const share = (x) => (100 * (x - low)) / (high - low || 1);
  const left = share(Math.min(from, to));
  const style = `left: ${left}%; width: ${share(Math.max(from, to)) - left}%`;
  const bar = element("span", { class: to < from ? "fall" : "rise", style });
  return element("td", { class: "waterfall" }, element("span", { class: "track" }, bar));
}

function partRows(parts) {
  const sums = parts.reduce((all, { adds }) => [...all, all.at(-1) + adds], [0]);
  const range = [Math.min(...sums), Math.max(...sums)];
  return parts.map((part, i) =>
    tableRow(partName(part), [
      waterfallBar(sums[i], sums[i + 1], range),
      signed(part.adds),
      element("td", { id: `without-${i}` }, "…"),
    ]),
  );
}

// The loss without each part, one part after the other, so that the page stays quick.
function showLossesWithout(shown, token, parts, loss, i = 0) {
  if (i === parts.length) return;
  const { model, tokens, changes } = shown;
  const off = new Map([...changes.off, [parts[i].key, null]]);
  const { logits } = forward(model, tokens.slice(0, state.at + 1), { ...changes, off });
  const without = crossEntropy(logits[state.at], token, state.temperature);
  const isGuessing = Math.abs(without - guessingLoss(model)) < 1e-9; // no part says anything
  const difference = element("span", { class: "unit" }, ` (${isGuessing ? "guessing" : signed(without - loss)})`);
  renew(byId(`without-${i}`), fixed(without), difference);
  later("why", 0, () => showLossesWithout(shown, token, parts, loss, i + 1));
}

function showWhy(shown) {
  const { model, now } = shown;
  const { at } = state;
  const token = tokenToExplain(shown);
  const loss = crossEntropy(now.logits[at], token, state.temperature);
  const parts = logitParts(model, now, at, token);
  showLettersToExplain(shown, token);
  renew(byId("why-where"), inText(`${readingSoFar(shown, at)}?`));
  const numbers = ["", signed(now.logits[at][token]), fixed(loss)];
  const sum = tableRow(explained("[the logit|logits]"), numbers, { class: "total" });
  const heading = tableHead(["", "", "adds", "[loss] without it"]);
  const body = element("tbody", ...partRows(parts), sum);
  renew(byId("why-parts"), wideTable("What each part adds", heading, body));
  renew(byId("why-command"), inspectCommand(shown), ` --at ${at} --why`);
  later("why", 100, () => showLossesWithout(shown, token, parts, loss));
}
