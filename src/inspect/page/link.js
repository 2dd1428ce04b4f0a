// The state as a link: what stands behind the # of the page's address. Loading the page again, or sending the address
// to someone, brings back all that was set. What is damaged in an address, or too long for one, is left out.

const longestText = 500; // characters
const longestList = 300; // heads or cells

// How a setting is read from a text; undefined if the text cannot be one.
const whole = (low, high) => (text) => (/^\d{1,9}$/.test(text) ? within(low, high)(text) : undefined);
const within = (low, high) => (text) => (text.trim() !== "" && text >= low && text <= high ? Number(text) : undefined);
const oneOf = (...words) => (text) => (words.includes(text) ? text : undefined);
const seedText = (text) => (/^[-+]?\d{1,100}$/.test(text) ? text : undefined);
const shortText = (text) => (text.length <= longestText ? text : undefined);

// What a link remembers of the state, beside the text: [what is meant without it, how it is read].
const settings = {
  model: [0, whole(0, 1)],
  layer: [0, whole(0, 1e9)],
  head: [0, whole(0, 1e9)],
  at: [3, whole(0, 1e9)], // start() asks usualPosition()
  box: ["", shortText], // of the picture, that is open
  list: [-1, whole(0, 9999)], // of numbers that are shown one by one, and the number
  cell: [0, whole(0, 9999)],
  letter: ["", shortText], // to explain, or "end"; by default the one that comes
  temperature: [1, within(0.1, 3)],
  tour: [0, whole(1, 99)],
  step: [Infinity, whole(0, 1e9)], // of the training; the end
  maps: ["name", oneOf("name", "mean")],
  path: ["", (text) => (/^(loss|sum|(\d+\.)*\d+)?$/.test(text) ? shortText(text) : undefined)],
  tab: ["picture", (text) => oneOf(...sections.map(([id]) => id))(text)],
  theme: ["auto", oneOf("auto", "light", "dark")],
  seed: ["42", seedText],
  num: [20, whole(1, mostNames)],
  prompt: ["", shortText],
  learnFrom: ["fresh", oneOf("fresh", "model")],
  learnSeed: ["42", seedText],
  learnSpeed: [100, (text) => speeds.find(([speed]) => String(speed) === text)?.[0]],
};

// And its lists: what an entry looks like.
const lists = { off: /^\d+:(\d+:(off|mean)|mlp:off)$/, forbid: /^\d+:\d+:\d+:\d+$/, open: /^\d+:\d+$/ };

function link() {
  const hash = new URLSearchParams({ text: [...state.text].slice(0, longestText).join("") });
  for (const [key, [standard, read]] of Object.entries(settings)) {
    if (state[key] !== standard && read(String(state[key])) !== undefined) hash.set(key, state[key]);
  }
  const off = [...state.off].map(([key, how]) => `${key}:${how}`);
  for (const [key, list] of Object.entries({ off, forbid: [...state.forbidden], open: [...state.open] })) {
    if (list.length > 0) hash.set(key, list.slice(0, longestList).join(" "));
  }
  return `#${hash.toString().replaceAll("%3A", ":")}`;
}

// Browsers allow only so many changes of the address in a while.
function writeLinkSoon() {
  later("link", 250, () => history.replaceState(null, "", link()));
}

// Returns the text, or null if the link has none.
function readLink() {
  const hash = new URLSearchParams(location.hash.slice(1));
  for (const [key, [standard, read]] of Object.entries(settings)) state[key] = read(hash.get(key) ?? "") ?? standard;
  if (!state.models[state.model]) state.model = 0;
  state.wantedAt = state.at;
  const [off, forbidden, open] = Object.entries(lists).map(([key, entry]) =>
    (hash.get(key) ?? "").split(" ").filter((each) => entry.test(each)).slice(0, longestList),
  );
  state.off = new Map(off.map((each) => [each.slice(0, each.lastIndexOf(":")), each.slice(each.lastIndexOf(":") + 1)]));
  state.forbidden = new Set(forbidden);
  state.open = new Set(open);
  return hash.has("text") ? [...hash.get("text")].slice(0, longestText).join("") : null;
}
