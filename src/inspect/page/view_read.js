// Read a name: a card for each position, with the likeliest next letters and the loss of the one that comes.

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

function readingSoFar(shown, t) {
  if (t === 0) return "at the beginning";
  const letters = shown.tokens.slice(1, t + 1).map((token) => longLabel(shown.model, token));
  return `after “${letters.length > 7 ? "…" : ""}${letters.slice(-7).join("")}”`;
}

function readCard(shown, t) {
  const { model, now, before, targets, isChanged } = shown;
  const target = targets[t];
  const bars = chanceBars(model, now.probs[t], target, isChanged ? before.probs[t] : {});
  const chance = percent(now.probs[t][target]);
  const told = tokensToShow(now.probs[t], target)
    .map((token) => `${nextLabel(model, token)} ${percent(now.probs[t][token])}`);
  const summary =
    `Position ${t}, ${readingSoFar(shown, t)}: ${nextLabel(model, target)} comes, with probability ` +
    `${chance}, loss ${fixed(now.losses[t], 2)}. Likeliest: ${told.join(", ")}`;
  const soFar = element("span", { class: "so-far" }, element("bdi", readingSoFar(shown, t)));
  const letter = element("b", element("bdi", nextLabel(model, target)));
  const next = element("span", { class: "next" }, letter, element("span", `loss ${fixed(now.losses[t], 2)}`));
  const how = { class: "card", "aria-label": summary, "data-key": `card ${t}`, click: () => change({ at: t }) };
  return radio(t === state.at, how, soFar, next, ...bars);
}

function showRead(shown) {
  byId("read-changed").hidden = !shown.isChanged;
  renew(byId("read-cards"), shown.tokens.map((_, t) => readCard(shown, t)));
}

// --- The line at the top: the name, its loss, and what is changed ----------------------------------------------------

// What the model of a task answers; and the loss of the answer in the text, since what stands before "=" is chance. The
// text is open if it ends before its answer, or has not begun.
function answerOf({ model, now, tokens, changes }) {
  const equals = tokens.indexOf(model.tokens.get("="));
  if (equals < 0) return { isOpen: state.text === "" || model.tokens.has("="), words: [] };
  const prompt = state.text.slice(0, state.text.indexOf("=") + 1);
  const written = answered(model, prompt, changes);
  const losses = now.losses.slice(equals);
  const loss = losses.reduce((a, b) => a + b) / losses.length;
  const isOpen = written !== state.text && written.startsWith(state.text);
  const words = [
    ...(isOpen ? [] : [element("span", { class: "unit" }, `, ${fixed(loss)} after “=”`)]),
    element("span", { class: "unit" }, " –"),
    " its answer: ",
    element("strong", writtenName(written.slice(prompt.length))),
  ];
  return { isOpen, words };
}

// What losses differ by as they are shown, in the colour of what it means. One that cannot be seen is none.
function lossChange(before, now) {
  const x = now.toFixed(3) - before.toFixed(3);
  return x === 0 ? "no change" : element("span", { class: x > 0 ? "worse" : "better" }, signed(x));
}

function showVerdict(shown) {
  const { model, now, before, isChanged } = shown;
  const guessing = fixed(guessingLoss(model), 1);
  const unit = (words) => element("span", { class: "unit" }, words);
  const { isOpen, words } = answerOf(shown);
  const scale = [` (0 = certain, ${guessing} = guessing`, unit(", above = worse"), ")"];
  renew(
    byId("verdict"),
    state.text === "" ? `${byId("text").placeholder}. ` : "",
    ...explained(`[loss] ${fixed(now.loss)}${isOpen ? " if it ended here" : ""}`),
    ...(isChanged
      ? [" (", lossChange(before.loss, now.loss), unit(" with your changes"), ")"]
      : [isOpen ? "" : element("span", { class: "loss-scale" }, ...scale)]),
    ...words,
  );
  byId("undo").hidden = !isChanged;
}
