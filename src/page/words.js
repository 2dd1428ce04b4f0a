// Words that are explained. Their meanings stand in the section "Words", which is lessons/words.md. A screen reader is
// pointed to them, and for the eye they appear beside the word where the mouse or the focus rests on it.

const meanings = new Map(); // the id of the meaning of each term, in small letters

// In the glossary, an entry begins with terms in bold type and the lesson that introduces them; other bold words in it
// are terms, too.
function showGlossary(source) {
  const entries = source.split(/\*\*(?=[^*]+\*\*[^.:*]{0,30}?\(\d\d)/).slice(1);
  const shown = entries.map((entry, i) => {
    const text = entry.replace(/\s+/g, " ").replace(/[ -]+$/, "").replaceAll("`", "");
    const [terms, meaning] = text.split(/\*\*(.*)/s);
    const others = Array.from(meaning.matchAll(/\*\*(.+?)\*\*/g), ([, words]) => words);
    const id = `meaning-${i}`;
    for (const term of [terms, ...others].join(", ").split(", ")) meanings.set(term.toLowerCase(), id);
    const [, lesson, said] = meaning.match(/^(.*?\)),?:? ?(.*)$/);
    return element("div", element("dt", terms, lesson), element("dd", { id }, said.replaceAll("**", "")));
  });
  renew(byId("glossary"), shown);
}

function describeTerm(word, meaning) {
  const term = meaning.toLowerCase();
  const id = meanings.get(term) ?? meanings.get(`${term}s`) ?? "";
  const entry = byId(id);
  word.tabIndex = 0;
  word.setAttribute("role", "note");
  word.setAttribute("aria-describedby", id);
  word.dataset.entry = `${entry?.previousElementSibling.textContent}: ${entry?.textContent}`;
  return word;
}

// A text as parts of an element: [word] is explained, and so is [words|word], as another word.
function explained(text) {
  const termOf = (word, meaning = word) => describeTerm(element("span", { class: "term" }, word), meaning);
  return text.split(/\[(.+?)\]/).map((part, i) => (i % 2 ? termOf(...part.split("|")) : part));
}
