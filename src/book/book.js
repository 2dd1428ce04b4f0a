// What a page does besides showing its text: what the reader has read, guessed and run, covers before answers, walks
// step by step, the glossary, and the search. Without this script, all text and pictures are there.

const book = {}; // words.js, sections.js and the programs in run/ put their data here

// --- What is remembered ----------------------------------------------------------------------------------------------

// A browser may refuse to remember what a page of a folder stores. Then nothing is remembered.
function allRemembered() {
  try {
    return JSON.parse(localStorage.getItem("microgpt-book")) ?? {};
  } catch {
    return {};
  }
}

function remember(what, name, value) {
  const remembered = allRemembered();
  remembered[what] = { ...remembered[what], [name]: value };
  try {
    localStorage.setItem("microgpt-book", JSON.stringify(remembered));
  } catch {
    // see above
  }
  showMarks();
}

// recalled("read", "01_bigram")
const recalled = (what, name) => allRemembered()[what]?.[name];

// --- Small helpers ---------------------------------------------------------------------------------------------------

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const page = () => document.body.dataset.page;

// Data is a script of its own, since a page of a folder may not fetch a file.
function load(name) {
  load[name] ??= new Promise((done, failed) => {
    const script = make("script", { src: `${document.body.dataset.root}${name}.js` });
    script.addEventListener("load", () => done(book[name]));
    script.addEventListener("error", () => {
      delete load[name];
      failed(new Error(`${script.src} cannot be loaded.`));
    });
    document.head.append(script);
  });
  return load[name];
}

// --- The list of lessons ---------------------------------------------------------------------------------------------

const MARKS = { read: "✓", guess: "?", run: "▸" };
const SAID = { read: "read", guess: "guessed", run: "run" };
const legend = Object.keys(MARKS).map((what) => `${MARKS[what]} ${SAID[what]}`).join(", ");

function marksOf(name) {
  const isDone = { ...MARKS };
  isDone.read = recalled("read", name);
  isDone.guess = recalled("shown", name) && Object.values(recalled("guess", name) ?? {}).some(Boolean);
  isDone.run = recalled("run", name === "index" ? "heart" : name);
  return Object.keys(MARKS).filter((what) => isDone[what]);
}

const lessonsOfTables = () => all("td:first-child > a").filter((link) => /\/\d\d_\w+\.html$/.test(link.href));

// A lesson has a place for each mark: a point, until it is earned.
function showMarks() {
  for (const link of [...all("#path > a"), ...lessonsOfTables()]) {
    const name = link.getAttribute("href").replace(".html", "");
    const marks = marksOf(name);
    const place = link.closest("td") ?? link;
    place.querySelector(".marks")?.remove();
    if (marks.length === 0 && !/^\d/.test(name)) continue;
    const said = marks.map((what) => SAID[what]).join(", ") || "not read";
    const text = Object.keys(MARKS).map((what) => (marks.includes(what) ? MARKS[what] : "·")).join(" ");
    const shown = make("span", { className: "marks", textContent: ` ${text}`, title: said });
    shown.setAttribute("role", "img");
    shown.setAttribute("aria-label", said);
    place.append(shown);
  }
}

function legendAndReset() {
  const button = make("button", { type: "button", textContent: "Forget what I have read, guessed and run" });
  button.addEventListener("click", () => {
    if (!confirm("Forget everything that you have read, guessed and run?")) return;
    localStorage.removeItem("microgpt-book");
    location.reload();
  });
  return make("p", {}, legend, make("br"), button);
}

// A page is read when all its headings and its end have been on the screen; a jump to the end does not read it.
function watchTheEnd() {
  const unseen = new Set(all("main > h2, .turn"));
  const watcher = new IntersectionObserver((seen) => {
    for (const entry of seen) if (entry.isIntersecting) unseen.delete(entry.target);
    if (unseen.size === 0 && scrollY > 0) remember("read", page(), true);
  });
  unseen.forEach((place) => watcher.observe(place));
}

// --- Predict, then run -----------------------------------------------------------------------------------------------

// Of each question and its answer: a field for the guess, and a cover on the answer until it is made.
function askFirst(part, number) {
  const answer = part.querySelector(":scope > .answer");
  const questions = all(".question", part).filter((question) => question.closest(".predict") === part);
  const top = answer.querySelector(":scope > summary")?.nextSibling ?? answer.firstChild;
  const fields = questions.map((question, i) => {
    const name = number === 0 ? `${i + 1}` : `exercise ${number}.${i + 1}`;
    const input = field(question, name);
    showGuess(document.getElementById(`answer-${name}`) ?? answer.insertBefore(make("p"), top), input, name);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // else it presses the button, too
      (fields[i + 1] ?? part.querySelector(":scope > .cover button, :scope > .answer > summary"))?.focus();
    });
    return input;
  });
  if (answer.tagName !== "DETAILS") cover(answer, fields, number === 0 ? page() : `${page()} ${number}`);
}

// The guess, where the answer stands.
function showGuess(place, input, name) {
  const show = () => {
    const guess = make("b", { textContent: input.value.trim() });
    const said = `Answer${place.id && ` ${name}`}. You guessed: `;
    place.replaceChildren(...(guess.textContent ? [said, guess] : []));
  };
  place.className = "guessed";
  input.addEventListener("input", show);
  show();
}

function field(question, number) {
  const input = make("input", { type: "text", autocomplete: "off", value: recalled("guess", page())?.[number] ?? "" });
  input.setAttribute("aria-label", `Your guess: ${question.textContent.trim().slice(0, 100)}`);
  const label = make("label", { className: "guess" }, "Your guess", input);
  if (question.tagName === "LI") question.append(label);
  else question.after(label);
  input.addEventListener("change", () => remember("guess", page(), { ...recalled("guess", page()), [number]: input.value }));
  return input;
}

function cover(answer, fields, name) {
  const button = make("button", { type: "button" });
  const sentence = make("p", { textContent: "What it prints is covered: guess first." });
  const lid = make("div", { className: "cover" }, sentence, button);
  const showButton = () => {
    sentence.hidden = fields.every((input) => input.value.trim());
    button.textContent = sentence.hidden ? "Show what it prints" : "Show it without a guess";
  };
  const uncover = () => {
    lid.remove();
    answer.classList.remove("covered");
  };
  if (recalled("shown", name)) return uncover();
  answer.classList.add("covered");
  answer.before(lid);
  fields.forEach((input) => input.addEventListener("input", showButton));
  showButton();
  const show = () => {
    remember("shown", name, true);
    uncover();
  };
  button.addEventListener("click", () => {
    show();
    answer.tabIndex = -1;
    answer.focus({ preventScroll: true });
  });
  answer.parentElement.addEventListener("ran", show);
  uncoverFor.push({ answer, uncover });
}

// An address that leads into an answer uncovers it.
const uncoverFor = [];
function followAddress() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const found = target && uncoverFor.find(({ answer }) => answer.contains(target));
  if (!found) return;
  found.uncover();
  target.scrollIntoView();
}

// --- Walks in the debugger -------------------------------------------------------------------------------------------

function stepThrough(pre) {
  const steps = all(".step", pre);
  if (steps.length < 2) return;
  const isFirst = !document.querySelector(".session-box");
  const caption = isFirst ? [make("figcaption", { textContent: "Here the button types for you. Bold: what is typed in the debugger. Below it: its answer." })] : [];
  const next = make("button", { type: "button" });
  const rest = make("button", { type: "button", textContent: "All the rest" });
  const guess = make("input", { type: "text", autocomplete: "off", placeholder: "what will it print?" });
  guess.ariaLabel = "Your guess, if you like: what will the debugger print?";
  guess.addEventListener("keydown", (event) => event.key === "Enter" && next.click());
  const show = (count) => {
    steps.forEach((step, i) => (step.hidden = i >= count));
    pre.hidden = count === 0;
    const typed = steps[count]?.querySelector("kbd").textContent.replace("(gdb) ", "");
    next.textContent = `Type "${typed}" (${count + 1} of ${steps.length})`;
    next.onclick = () => {
      if (guess.value) steps[count].append(make("em", { textContent: `You guessed: ${guess.value}\n` }));
      guess.value = "";
      show(count + 1);
    };
    next.hidden = count === steps.length;
    guess.hidden = !steps[count]?.querySelector("kbd").nextSibling.textContent.replace("...", "").trim();
    rest.hidden = count >= steps.length - 1;
    showScrolling(pre);
  };
  rest.addEventListener("click", () => show(steps.length));
  pre.setAttribute("aria-live", "polite");
  const box = make("figure", { className: "session-box" });
  pre.replaceWith(box);
  box.append(...caption, pre, guess, next, rest);
  show(0);
}

// --- The glossary ----------------------------------------------------------------------------------------------------

const tip = make("div", { id: "tip", hidden: true });
tip.setAttribute("role", "tooltip");
let hiding = 0;
let explained = null; // whose entry it is

async function showTip(term) {
  clearTimeout(hiding);
  const words = await load("words");
  const [text, name, title] = words[term.hash.slice(1)];
  tip.replaceChildren(text, make("a", { href: `${name}.html`, textContent: title }));
  term.setAttribute("aria-describedby", "tip");
  explained = term;
  tip.hidden = false;
  const box = term.getBoundingClientRect();
  const isBelow = box.bottom + tip.offsetHeight + 8 < innerHeight;
  tip.style.top = `${scrollY + (isBelow ? box.bottom + 4 : box.top - tip.offsetHeight - 4)}px`;
  tip.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8))}px`;
}

// It stays while the mouse is on it, or on its way to it, and while the word has the focus.
function hideTip() {
  clearTimeout(hiding);
  hiding = setTimeout(() => (tip.hidden ||= document.activeElement !== explained && !tip.matches(":hover")), 200);
}

function explain(term) {
  term.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && showTip(term));
  term.addEventListener("pointerleave", hideTip);
  term.addEventListener("focus", () => showTip(term));
  term.addEventListener("blur", hideTip);
  // A click or a touch shows the entry, which leads on. By the keyboard (detail 0) it is there already.
  term.addEventListener("click", (event) => {
    if (event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    term.focus();
    showTip(term);
  });
}

// --- The search ------------------------------------------------------------------------------------------------------

function searchField() {
  const input = make("input", { type: "search", placeholder: "Search", ariaLabel: "Search all lessons and words" });
  const found = make("div", { id: "found", hidden: true });
  found.setAttribute("role", "region");
  found.setAttribute("aria-label", "Found");
  found.setAttribute("aria-live", "polite");
  input.addEventListener("input", async () => {
    const [sections, words] = [await load("sections"), await load("words")];
    found.replaceChildren(...results(input.value, sections, words));
    found.scrollTop = 0;
    found.hidden = input.value.trim() === "";
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") found.querySelector("a")?.click();
    if (event.key === "Escape") found.hidden = true;
  });
  document.addEventListener("click", (event) => {
    if (event.target !== input) found.hidden = true;
  });
  return [input, found];
}

function results(query, sections, words) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = Object.entries(words).map(([id, [text, , , terms]]) => ["words", "Words", terms.join(", "), id, text]);
  const rated = [...entries, ...sections]
    .map((section) => ({ section, rank: rank(section, wanted) }))
    .filter((result) => result.rank > 0)
    .sort((a, b) => b.rank - a.rank);
  if (rated.length === 0) return [make("p", { textContent: `Nothing has the words "${query.trim()}".` })];
  return rated.slice(0, 30).map(({ section: [name, title, heading, anchor, text] }) =>
    make(
      "a",
      { href: `${document.body.dataset.root}${name}.html#${anchor}` },
      make("b", { textContent: heading }),
      make("span", { textContent: `${title === heading ? "" : `${title}: `}${excerpt(text, wanted[0])}` }),
    ),
  );
}

// 0 unless each word occurs; a word in the heading counts most, above all if a term of the glossary begins with it.
function rank([, title, heading, , text], wanted) {
  const [top, low] = [heading.toLowerCase(), text.toLowerCase()];
  const whole = `${title.toLowerCase()} ${top} ${low}`;
  if (!wanted.every((word) => whole.includes(word))) return 0;
  const count = (word) => Math.min(9, low.split(word).length - 1);
  const isTerm = title === "Words" && top.split(", ").some((term) => term.startsWith(wanted.join(" ")));
  return wanted.reduce((sum, word) => sum + 1 + 20 * top.includes(word) + count(word), 50 * isTerm);
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 50);
  return `${at > 0 ? "… " : ""}${text.slice(at, at + 150)} …`;
}

// --- A page ----------------------------------------------------------------------------------------------------------

// What scrolls sideways must be reached by keyboard, and seen to go on.
function showScrolling(box) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => showScrolling(target)));
function watchScrolling(box) {
  sizes.observe(box);
  box.addEventListener("scroll", () => showScrolling(box), { passive: true });
}

function start() {
  document.getElementById("tools").append(...searchField());
  if (page()) startText();
  all("pre, .wide").forEach(watchScrolling);
}

function startText() {
  all(".predict").forEach(askFirst);
  all("pre.session").forEach(stepThrough);
  all(".term").forEach(explain);
  document.body.append(tip);
  tip.addEventListener("pointerleave", hideTip);
  document.addEventListener("keydown", ({ key }) => (tip.hidden ||= key === "Escape"));
  document.addEventListener("ran", (event) => remember("run", event.detail.program, true));
  document.getElementById("path").append(legendAndReset());
  lessonsOfTables()[0]?.closest(".wide").before(make("p", { className: "guessed", textContent: `Marks: ${legend}` }));
  showMarks();
  watchTheEnd();
  followAddress();
  addEventListener("hashchange", followAddress);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
