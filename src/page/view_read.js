// Read: a card for each position, with the likeliest next letters and the loss of the one that comes.

const likeliestShown = 5;

// The likeliest tokens, and the one that comes if it is not among them.
function tokensToShow(probs, target) {
  const order = strongest(probs, [...probs.keys()], likeliestShown);
  if (!order.includes(target)) order[likeliestShown - 1] = target;
  return order;
}

// With `before`, a line marks what a chance was.
function chanceBars(model, probs, target, before = {}) {
  return tokensToShow(probs, target).map((token) => {
    const label = nextLabel(model, token);
    return chanceBar({ label, share: probs[token], isNext: token === target, mark: before[token] ?? null });
  });
}

function readingSoFar({ model, tokens }, t) {
  if (t === 0) return "at the beginning";
  const letters = tokens.slice(1, t + 1).map((token) => longLabel(model, token));
  return `after “${letters.length > 7 ? "…" : ""}${letters.slice(-7).join("")}”`;
}

function readCard(shown, t) {
  const { model, now, before, targets, isChanged } = shown;
  const next = nextLabel(model, targets[t]);
  const loss = fixed(now.losses[t], 2);
  return radio(
    t === shown.at,
    { class: "card", "data-key": `card ${t}`, click: () => change({ at: t }) },
    element("span", { class: "so-far" }, inText(readingSoFar(shown, t))),
    element("span", { class: "next" }, element("b", inText(next)), element("span", `loss ${loss}`)),
    chanceBars(model, now.probs[t], targets[t], isChanged ? before.probs[t] : {}),
  );
}

function showRead(shown) {
  byId("read-changed").hidden = !shown.isChanged;
  renew(byId("read-cards"), shown.tokens.map((_, t) => readCard(shown, t)));
}
