// Words that are explained where the mouse or the focus rests on them. The meanings stand at the end of the page, in a
// list for all to read; a screen reader is pointed to them, and for the eye they appear beside the word.

function meaningId(word) {
  return `means-${word.toLowerCase().replace(/[^a-z]+/g, "-")}`;
}

function nameMeanings() {
  for (const word of document.querySelectorAll("dt")) word.nextElementSibling.id = meaningId(word.textContent);
  for (const word of document.querySelectorAll(".term")) describeTerm(word, word.dataset.means ?? word.textContent);
  const at = (act) => (event) => event.target.closest?.(".term") && act(event.target.closest(".term"));
  for (const event of ["pointerover", "focusin", "click"]) document.addEventListener(event, at(showMeaning));
  for (const event of ["pointerout", "focusout"]) document.addEventListener(event, at(hideTip));
}

function describeTerm(word, meaning) {
  word.tabIndex = 0;
  word.setAttribute("role", "note");
  word.setAttribute("aria-describedby", meaningId(meaning));
  return word;
}

function showMeaning(word) {
  const { left, bottom } = word.getBoundingClientRect();
  showTip(byId(word.getAttribute("aria-describedby")).textContent, left, bottom - 8, null, true);
}

// Beside (x, y) of the window, inside it; above a word, since buttons follow it. With a button in it, it stays until
// the reader looks elsewhere.
function showTip(text, x, y, action = null, isAbove = false) {
  const tip = byId("tip");
  tip.replaceChildren(...[text, action].filter((part) => part !== null));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const room = document.documentElement;
  const isBelow = y + 16 + height < room.clientHeight && !(isAbove && y - height > 160);
  tip.style.left = `${scrollX + Math.max(8, Math.min(x + 8, room.clientWidth - width - 8))}px`;
  tip.style.top = `${scrollY + (isBelow ? y + 16 : Math.max(8, y - height - 24))}px`;
}

function staysTip() {
  return !byId("tip").hidden && byId("tip").querySelector("button") !== null;
}

function hideTip() {
  if (!staysTip()) closeTip();
}

function closeTip() {
  byId("tip").hidden = true;
}
