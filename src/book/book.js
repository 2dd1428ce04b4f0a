// What a page does besides showing its text: it asks for guesses and goes through walks step by step.
// Without this script, all text and pictures are there.

const book = {}; // the programs in run/ put their data here

// --- Small helpers ---------------------------------------------------------------------------------------------------

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

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

// --- Predict, then run -----------------------------------------------------------------------------------------------

// Each question gets a field for the guess, and each answer shows what was guessed.
function askFirst(part, number) {
  const answer = part.querySelector(":scope > .answer");
  const top = answer.children[1];
  all(".question", part).forEach((question, i) => {
    const name = number === 0 ? `${i + 1}` : `exercise ${number}.${i + 1}`;
    const input = make("input", { type: "text", autocomplete: "off" });
    input.ariaLabel = `Your guess: ${question.textContent.trim().slice(0, 100)}`;
    const label = make("label", { className: "guess" }, "Your guess", input);
    if (question.tagName === "LI") question.append(label);
    else question.after(label);
    const place = document.getElementById(`answer-${name}`) ?? answer.insertBefore(make("p"), top);
    place.className = "guessed";
    const show = () => {
      const guess = make("b", { textContent: input.value.trim() });
      const said = `Answer${place.id && ` ${name}`}. You guessed: `;
      place.replaceChildren(...(guess.textContent ? [said, guess] : []));
    };
    input.addEventListener("input", show);
  });
  part.addEventListener("ran", () => (answer.open = true));
}

// An address that leads into an answer opens it.
function followAddress() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = target?.closest("details:not([open])");
  if (!closed) return;
  closed.open = true;
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

// --- A page ----------------------------------------------------------------------------------------------------------

// What scrolls sideways must be reached by keyboard, and seen to go on.
function showScrolling(box) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => showScrolling(target)));

function start() {
  if (document.body.dataset.page) {
    all(".predict").forEach(askFirst);
    all("pre.session").forEach(stepThrough);
    followAddress();
    addEventListener("hashchange", followAddress);
  }
  all("pre, .wide").forEach((box) => {
    sizes.observe(box);
    box.addEventListener("scroll", () => showScrolling(box), { passive: true });
  });
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
