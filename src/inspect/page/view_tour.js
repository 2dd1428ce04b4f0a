// The tour: a few questions, each with one thing to try in a section of the page, and what one sees there. A step is a
// link, #tour=3. Steps that do not fit the model are left out.

// --- What the steps ask of a model -----------------------------------------------------------------------------------

// The head that stands out most; undefined if none does.
function clearHead({ about }) {
  const gain = ({ importance }) => importance?.zeroed.loss ?? 0;
  const clear = (about.heads ?? []).filter(isClear);
  return clear.sort((a, b) => gain(b) - gain(a))[0];
}

// Which part is missed most, and whether the heads help.
function whoKnows(model, lossOf) {
  const without = (...parts) => lossOf(new Map(parts.map(({ key }) => [key, null])));
  const parts = partsOf(model).slice(1);
  const [loss, losses] = [without(), parts.map((part) => without(part))];
  const worst = Math.max(...losses);
  const heads = without(...headsOf(model));
  const verdict =
    heads <= loss ? "here they do not help" : heads > worst ? "together they are missed more" : "here they help";
  return (
    `Missed most is ${parts[losses.indexOf(worst)].name}: without it the loss is ${fixed(worst)} instead of ` +
    `${fixed(loss)}. Without any head it is ${fixed(heads)}: ${verdict}.`
  );
}

function whatAddsMost({ model, now, tokens }, token) {
  const { at } = state;
  const { name, adds } = most(logitParts(model, now, at, token), (part) => part.adds);
  const lossOf = (off) =>
    crossEntropy(forward(model, tokens.slice(0, at + 1), { ...unchanged, off }).logits[at], token);
  return (
    `Most is added by ${name}: ${signed(adds, 2)}. But who knows the letter? Leave out the first line, which all ` +
    `others read. ${whoKnows(model, lossOf)}`
  );
}

// A document that repeats its word, in which the first letter comes again.
function twice(model) {
  const fits = (each) => each.length < model.config.block_size && canRead(model, each);
  return state.data.names.find((each) => fits(each) && /^(.)(.+\1.*)=\1\2$/.test(each));
}

function whatItLooksFor(shown) {
  const { model, about, now, tokens } = shown;
  const { layer, head } = state;
  const record = about.heads.find((each) => each.layer === layer && each.head === head);
  const looks = ({ weights }, t) => likeliest(weights[layer][head][t]);
  const parts = meaningsOf(record);
  const [field, , , , isThere] = placeOfShape(record) ?? [];
  const mass = record[field];
  const count = `${counted(about.measured.documents)} ${nounOf(model)}`;
  if (mass) parts[0] += ` Over ${count} that gets ${percent(mass.value)}; an even share is ${percent(mass.even)}.`;
  const text = record.shape === "induction" && twice(model);
  if (!text) {
    const share = (t) => now.weights[layer][head][t][looks(now, t)];
    const shows = (t) => (isThere?.(looks(now, t), t, tokens) ? share(t) - 1 / (t + 1) : 0);
    const t = most([state.at, ...tokens.keys()], shows);
    const first = looks(now, t);
    const here = isThere ? (shows(t) > 0 ? "At its clearest here," : "Here, unusually,") : "Here,";
    const where = `${longLabel(model, tokens[first])} (${first})`;
    parts.push(`${here} ${readingSoFar(shown, t)}, it gives ${percent(share(t))} to ${where}.`);
  } else {
    const run = read(model, text, unchanged, 1);
    const answer = run.tokens.indexOf(model.tokens.get("=")) + 1;
    const again = run.tokens.indexOf(run.tokens[answer], answer + 1);
    const [a, b] = [answer, again].map((t) => t - looks(run, t));
    const why = a === b ? "it may know the place, not the letter" : "it does not go by the place alone";
    parts.push(`After “=” it looks ${a} places back from the first “${text[0]}”, and ${b} from the second: ${why}.`);
  }
  return parts.join(" ");
}

// --- The steps -------------------------------------------------------------------------------------------------------

// What a step asks and suggests, and what one sees then, as texts of what is shown. It is in the section `tab`, or in
// front of the element `before`. fits() says for which models it is.
const tourSteps = [
  {
    tab: "picture",
    ask: () => "What happens to one letter?",
    attempt: () => "Press “Next letter” a few times. Then click the last box that is called “stream”. " +
      "“Number by number” shows how each number comes about.",
    see: ({ model, now }) => {
      const probs = now.probs[state.at];
      const first = likeliest(probs);
      return (
        `The letter becomes ${model.config.n_embd} numbers. All that follows only adds to them. At the end they say ` +
        `“${nextLabel(model, first)}”, with a probability of ${percent(probs[first])}.`
      );
    },
  },
  {
    tab: "read",
    ask: ({ model }) => `Which letter of a ${nounOf(model).slice(0, -1)} surprises it most?`,
    attempt: ({ model }) =>
      `Type a ${nounOf(model).slice(0, -1)} of your own at the top, and look for the largest loss.`,
    see: (shown) => {
      const { losses } = shown.now;
      const t = losses.indexOf(Math.max(...losses));
      const letter = nextLabel(shown.model, shown.targets[t]);
      return (
        `In “${shortened(state.text)}” it is “${letter}” ${readingSoFar(shown, t)}, with a loss of ` +
        `${fixed(losses[t], 2)}. One who only guesses has ${fixed(guessingLoss(shown.model), 2)} everywhere.`
      );
    },
  },
  {
    tab: "why",
    ask: (shown) =>
      `Where does the “${nextLabel(shown.model, tokenToExplain(shown))}” ${readingSoFar(shown, state.at)} come from?`,
    attempt: () => "Look for the longest bar, and then for the largest loss in the last column. Pick another letter.",
    see: (shown) => whatAddsMost(shown, tokenToExplain(shown)),
  },
  {
    tab: "look",
    fits: (shown) => shown.about.heads && clearHead(state.points.at(-1) ?? shown),
    ask: (shown) => `What does ${headName(shown)} look for?`,
    attempt: ({ model }) => {
      const text = twice(model);
      return (
        "Look at its map, here and in the mean. Guess, and then uncover the answer below the map." +
        (text ? ` Then type “${text}”, and see which “${text[0]}” it follows.` : "")
      );
    },
    see: whatItLooksFor,
  },
  {
    tab: "inside",
    ask: (shown) => `How does ${headName(shown)} choose where to look?`,
    attempt: () =>
      "Follow one line of the table below: numbers, products, their sum, the weight. Then pick another letter.",
    see: (shown) => {
      const { seen, scores, weights } = headFacts(shown);
      const [first] = strongest(weights, seen, 1);
      return (
        `The key of “${longLabel(shown.model, shown.tokens[first])}” at position ${first} fits the query best: its ` +
        `score is ${signed(scores[first], 2)}, and so it gets ${percent(weights[first])} of the weight. As much of ` +
        "what the head passes on is the value of that letter."
      );
    },
  },
  {
    tab: "whatif",
    ask: () => "Which part can it not do without?",
    attempt: () => "Switch the parts off, one after the other, then all heads at once. Watch the loss at the top.",
    see: ({ model }) => whoKnows(model, (off) => read(model, state.text, { ...unchanged, off }, 1).loss),
  },
  {
    tab: "whatif",
    before: "generate-title",
    ask: ({ model }) => `What ${nounOf(model)} does it invent?`,
    attempt: ({ model }) =>
      `Generate ${nounOf(model)}. Move the Temperature slider, just above, to 0.5, and generate again; then to 2.`,
    see: () => "The lower the temperature, the more it keeps to what is likeliest. At 2 nearly everything is possible.",
  },
  {
    tab: "learn",
    fits: (shown) => state.data.names.some((name) => canRead(shown.model, name)),
    ask: () => "How does it learn?",
    attempt: () => "Press “Train”. Watch the curve, what it generates, and the maps.",
    see: ({ model }) =>
      `Each step moves all ${counted(model.numbers.length)} numbers a little, so that the loss of what ` +
      `was read would have been smaller. It begins with guessing, at about ${fixed(guessingLoss(model), 1)}.`,
  },
  {
    tab: "history",
    fits: () => state.points.length > 0,
    ask: () => "When did it learn most?",
    attempt: () => "Press “Replay training” at the top of the page, and read what it generates on the way.",
    see: () => {
      const [first, early, last] = [0, pointOfStep(20), state.points.length - 1].map((i) => state.points[i].about);
      return [first, early, last]
        .map((about, i) => `${i ? "after" : "After"} ${stepWords(about)} its loss was ${fixed(about.measured.loss, 2)}`)
        .join(", ")
        .concat(": most is learnt at the beginning.");
    },
  },
  {
    tab: "graph",
    fits: ({ model }) => hasGraph(model),
    ask: () => "How does it know which way to move a number?",
    attempt: () => "Press “One step down” until you come to a parameter.",
    see: (shown) => {
      const graph = currentGraph(shown);
      const { thing } = graph.follow(walkedPath()).at(-1);
      const { grad } = thing;
      const isEnd = graph.childrenOf(thing).length === 0;
      const moves = ["makes it larger", "leaves it", "makes it smaller"][Math.sign(grad) + 1];
      return (
        "A positive gradient says that the loss rises with the number. That of " +
        `“${graph.labels.textOf(thing)}” is ${significant(grad)}` +
        (isEnd ? `, so training ${moves}.` : ". Training moves only parameters: go on down to one.")
      );
    },
  },
];

function headName({ model }) {
  return headsOf(model).find(({ layer, head }) => layer === state.layer && head === state.head).name;
}

// --- Walking ---------------------------------------------------------------------------------------------------------

function stepsFor(shown) {
  return tourSteps.filter(({ fits = () => true }) => fits(shown));
}

// A step keeps the model, the text and the colours; what was changed on the way is undone.
function tourLink(n) {
  const hash = new URLSearchParams({ tour: n });
  for (const key of ["model", "theme"]) if (state[key] !== settings[key][0]) hash.set(key, state[key]);
  return `#${hash}`;
}

// Comes to the step of a link that says nothing else.
function beginStep() {
  const { shown } = state;
  const step = stepsFor(shown)[state.tour - 1];
  if (step === undefined) return;
  const { layer, head } = clearHead(state.points.at(-1) ?? shown) ?? { layer: 0, head: 0 };
  const at = Math.min(usualPosition(state.text), shown.tokens.length - 1);
  Object.assign(state, { layer, head, at, wantedAt: at, tab: step.tab });
  byId("tour-answer").open = false;
  byId("tour-see").textContent = "";
}

function showTour(shown) {
  const steps = stepsFor(shown);
  byId("tour-begin").textContent = `Take the tour: ${steps.length} questions, each with one thing to try`;
  byId("tour-begin").href = tourLink(1);
  const step = steps[state.tour - 1];
  byId("tour").hidden = step === undefined;
  if (step === undefined) return void (state.tour = 0);
  const place = byId(step.before) ?? byId(step.tab).querySelector(".lead");
  if (place.previousElementSibling !== byId("tour")) place.before(byId("tour"));
  byId("tour-count").textContent = `Tour, ${state.tour} of ${steps.length}`;
  renew(byId("tour-ask"), inText(step.ask(shown)));
  renew(byId("tour-try"), inText(step.attempt(shown)));
  const isLast = state.tour === steps.length;
  byId("tour-back").hidden = state.tour === 1;
  byId("tour-back").href = tourLink(state.tour - 1);
  byId("tour-next").textContent = isLast ? "Done" : "Next question";
  byId("tour-next").href = tourLink(isLast ? 0 : state.tour + 1);
  // What one sees takes a moment, so it is computed when it is asked for.
  later("tour", 50, () => byId("tour-answer").open && renew(byId("tour-see"), inText(step.see(shown))));
}

function startTour() {
  byId("tour-answer").addEventListener("toggle", () => showTour(state.shown));
  for (const id of ["tour-begin", "tour-back", "tour-next"]) {
    byId(id).addEventListener("click", () => {
      clearTimeout(timers.link); // it would write over the link that is followed
      rememberPlace();
    });
  }
  byId("tour-close").addEventListener("click", () => {
    change({ tour: 0 });
    byId("tour").closest("section").focus({ preventScroll: true }); // the button has gone
  });
}
