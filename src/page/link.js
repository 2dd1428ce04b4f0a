// The state as a link: what stands behind the # of the page's address. Loading the page again, or sending the address
// to someone, brings back all that was set. What is damaged in an address, or too long for one, is left out.

// How a setting is read from a text; undefined if the text cannot be one.
const whole = (text) => (/^-?\d{1,9}$/.test(text) ? Number(text) : undefined);
const within = (low, high) => (text) => (text.trim() !== "" && text >= low && text <= high ? Number(text) : undefined);
const shortText = (text) => (text.length <= 1000 ? text : undefined);
const setOf = (entry) => (text) => new Set(text.split(" ").filter((each) => entry.test(each)).slice(0, 300));

// What a link remembers of the state: [what is meant without it, how it is read].
const settings = {
  text: [null, shortText], // null: that of the page's data
  tab: ["picture", (text) => (Object.hasOwn(views, text) ? text : undefined)],
  layer: [0, whole],
  head: [0, whole],
  at: [3, whole],
  box: ["", shortText], // of the picture, that is open
  letter: ["", shortText], // to explain, or "end"; by default the one that comes
  temperature: [1, within(0.1, 3)],
  node: [null, whole], // of the graph, or a parameter
  off: [new Set(), setOf(/^\d+:(\d+:(off|mean)|mlp:off)$/)],
  forbidden: [new Set(), setOf(/^\d+:\d+:\d+:\d+$/)],
  open: [new Set(), setOf(/^\d+:\d+$/)], // answers
};

function link() {
  const hash = new URLSearchParams();
  const textOf = (value) => (value instanceof Set ? [...value].slice(0, 300).join(" ") : String(value));
  for (const [key, [standard, read]] of Object.entries(settings)) {
    const text = textOf(state[key]);
    if (text !== textOf(standard) && read(text) !== undefined) hash.set(key, text);
  }
  return `#${hash.toString().replaceAll("%3A", ":")}`;
}

function writeLink() {
  history.replaceState(null, "", link());
}
