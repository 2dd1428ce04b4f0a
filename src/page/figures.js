// Drawing: elements, numbers as words, tables, bars and maps of weights. Text from the data only ever becomes text
// nodes and attributes, never markup.

// The browser's own parser tells the namespace of SVG, so no address has to stand in this file.
const svgNamespace = new DOMParser().parseFromString("<svg>", "text/html").body.firstChild.namespaceURI;

function fillElement(made, parts) {
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...parts.flat(Infinity).filter((child) => child !== null));
  return made;
}

// element("p", { class: "note", click: f }, "text", otherElement); the attributes may be left out.
function element(tag, ...parts) {
  return fillElement(document.createElement(tag), parts);
}

function svg(tag, ...parts) {
  return fillElement(document.createElementNS(svgNamespace, tag), parts);
}

function button(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

function byId(id) {
  return document.getElementById(id);
}

// Makes the children of a place what these are. What had the focus hands it to what has its key now; what was scrolled
// stays so.
function renew(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const scrolled = [...place.querySelectorAll(".scroll")].map(({ scrollLeft }) => scrollLeft);
  place.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
  place.querySelectorAll(".scroll").forEach((each, i) => scrolled[i] && (each.scrollLeft = scrolled[i]));
  if (key !== undefined) focusKey(place, key);
}

function focusKey(place, key) {
  [...place.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus({ preventScroll: true });
}

// One of a group: only the one that is chosen is reached by Tab.
function radio(isChosen, attributes, ...children) {
  const how = { role: "radio", "aria-checked": String(isChosen), tabindex: isChosen ? 0 : -1 };
  return button({ ...how, ...attributes }, ...children);
}

// A group of radio buttons, of pairs [value, label].
function showChoices(place, choices, chosen, choose) {
  const choice = ([value, label]) => {
    const how = { "data-key": `choice ${value}`, "data-value": value, click: () => choose(value) };
    return radio(value === chosen, how, element("bdi", label));
  };
  renew(place, Array.from(choices, choice));
}

// Arrow keys, Home and End in a group of buttons: the next one gets the focus. Of radio buttons it is chosen, too.
function moveBetweenButtons(event) {
  const group = event.target.closest('[role="radiogroup"], [role="toolbar"]');
  const buttons = [...(group?.querySelectorAll("button") ?? [])];
  const i = buttons.indexOf(document.activeElement);
  const last = buttons.length - 1;
  const to = { ArrowLeft: i - 1, ArrowUp: i - 1, ArrowRight: i + 1, ArrowDown: i + 1, Home: 0, End: last };
  if (i < 0 || !(event.key in to)) return;
  event.preventDefault();
  const next = buttons[(to[event.key] + buttons.length) % buttons.length];
  const { key } = next.dataset;
  if (group.role === "radiogroup") next.click();
  focusKey(group.isConnected ? group : document, key);
}

// --- Words -----------------------------------------------------------------------------------------------------------

function fixed(x, digits = 3) {
  if (!Number.isFinite(x)) return "–";
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

function signed(x, digits = 3) {
  const text = fixed(x, digits);
  return Number(text) > 0 ? `+${text}` : text;
}

// Four digits, as the debugger writes numbers, or fewer.
function significant(x) {
  const isPlain = x === 0 || (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e4);
  const text = isPlain ? String(Number(x.toPrecision(4))) : x.toExponential(3).replace(/\.?0+e/, "e");
  return text.replaceAll("-", "−");
}

function counted(n) {
  return n.toLocaleString("en");
}

function percent(p) {
  if (p > 0 && p < 0.001) return "<0.1%";
  return `${(100 * p).toFixed(p < 0.0995 ? 1 : 0)}%`;
}

// A word or name in the middle of a text, whichever way it is written.
function inText(word) {
  return element("bdi", word);
}

function shortened(text) {
  const letters = [...text];
  return letters.length > 40 ? `${letters.slice(0, 40).join("")}…` : text;
}

function paragraph(text) {
  return element("p", explained(text));
}

// A name that a model wrote may have no letters at all.
function showNames(id, names) {
  const written = (name) => (name === "" ? element("span", { class: "empty" }, "no letters") : inText(name));
  renew(byId(id), names.map((name) => element("li", written(name))));
}

// --- Numbers as shades, bars and tables ------------------------------------------------------------------------------

// A number's shade is the stronger the larger it is among these; and its colour says whether it is above 0.
function shades(numbers, tag, words = () => "") {
  const largest = Math.max(...numbers.map(Math.abs), 1e-12);
  return numbers.map((x) => {
    const share = ((100 * Math.abs(x)) / largest).toFixed(1);
    return element(tag, { class: x < 0 ? "down" : "up", style: `--share: ${share}%` }, words(x));
  });
}

function numberList(numbers) {
  return element("div", { class: "stream" }, shades([...numbers], "span", (x) => signed(x, 2)));
}

// A line of a bar chart: label, bar, number. `mark` is another share to show on the bar, such as the one before.
function chanceBar({ label, share, mark = null, markClass = "before", isNext = false }) {
  const fill = element("span", { class: "fill", style: `width: ${100 * share}%` });
  const place = { class: markClass, style: `left: calc(${100 * mark}% - 1px)` };
  const line = mark === null ? null : element("span", place);
  const track = element("span", { class: "track" }, fill, line);
  const how = { class: isNext ? "chance is-next" : "chance" };
  return element("span", how, inText(label), track, element("span", percent(share)));
}

// The line above a table, of elements or of texts as for explained(); a column without a name needs no header.
function tableHead(names) {
  const parts = (name) => (typeof name === "string" ? explained(name) : [name]);
  const cellOf = (name) => (name === "" ? element("td") : element("th", { scope: "col" }, parts(name)));
  return element("thead", element("tr", names.map(cellOf)));
}

// Its name, and a cell for each of the rest, which may be a cell already.
function tableRow(name, cells, attributes = {}) {
  const cellOf = (cell) => (cell.tagName === "TD" ? cell : element("td", cell));
  return element("tr", attributes, element("th", { scope: "row" }, name), cells.map(cellOf));
}

// A table that may be wider than the window.
function wideTable(name, ...parts) {
  const how = { class: "scroll", tabindex: 0, role: "region", "aria-label": name };
  return element("div", how, element("table", ...parts));
}

// --- Maps of weights -------------------------------------------------------------------------------------------------

const cellSize = 18;
const mapMargin = 22;
const longestMap = 40; // positions; of longer texts a map shows the first

// In pixels, so that its letters, of 11 pixels in the drawing, have 10.
function leastMapWidth(n) {
  return Math.ceil((10 / 11) * (mapMargin + cellSize * Math.min(n, longestMap) + 2));
}

// What to say where maps of n positions are cut.
function cutNote(n) {
  return n > longestMap ? `Only the first ${longestMap} of ${n} positions have room here.` : "";
}

// The map of a head of this layer, of rows[t][s] for s <= t. A row may be picked; forbidden(t, s) says which cells are crossed out;
// a click calls pick(t). A page has many maps, so all cells of one shade are one path.
function headMap(model, { layer, rows, labels, name, picked = -1, forbidden = () => false, pick }) {
  const n = Math.min(rows.length, longestMap);
  const size = mapMargin + cellSize * n + 2;
  const at = (i) => mapMargin + cellSize * i;
  const shaded = new Map();
  const [down, across] = [[], []];
  let [seen, crosses] = ["", ""];
  for (let t = 0; t < n; t++) {
    down.push(svg("text", { x: mapMargin - 6, y: at(t) + 13, class: t === picked && "picked-label" }, labels[t]));
    across.push(svg("text", { x: at(t) + 8.5, y: mapMargin - 7 }, labels[t]));
    for (let s = 0; s <= t; s++) {
      const cell = `M${at(s)} ${at(t)}h${cellSize - 1}v${cellSize - 1}H${at(s)}z`;
      const shade = Math.round(40 * rows[t][s]) / 40;
      if (shade > 0) shaded.set(shade, (shaded.get(shade) ?? "") + cell);
      if (allows(model, layer, t, s)) seen += cell;
      if (forbidden(t, s)) crosses += `M${at(s) + 4} ${at(t) + 4}l9 9m-9 0l9 -9`;
    }
  }
  const frame = { x: at(0) - 1, y: at(picked) - 1, width: cellSize * (picked + 1) + 1, height: cellSize + 1, rx: 2 };
  const cellAt = ({ currentTarget, clientX, clientY }) => {
    const { left, top, width } = currentTarget.getBoundingClientRect();
    const [s, t] = [clientX - left, clientY - top].map((x) => Math.floor(((x / width) * size - mapMargin) / cellSize));
    return t < n && s >= 0 && s <= t ? { t, s } : null;
  };
  const tip = svg("title");
  const pointermove = (event) => {
    const { t, s } = cellAt(event) ?? {};
    tip.textContent = t === undefined ? "" : `${labels[t]} (${t}) looks at ${labels[s]} (${s}): ${fixed(rows[t][s])}`;
  };
  const click = (event) => cellAt(event) && pick(cellAt(event).t);
  // A short text need not fill the page.
  const style = `max-width: ${1.5 * size}px; min-width: min(100%, ${leastMapWidth(n)}px)`;
  const how = { class: "map", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": name, style };
  return svg(
    "svg",
    { ...how, pointermove, click },
    tip,
    svg("path", { class: "seen", d: seen }),
    [...shaded].map(([shade, d]) => svg("path", { class: "cell", d, "fill-opacity": shade })),
    svg("g", { "text-anchor": "end" }, down),
    svg("g", { "text-anchor": "middle" }, across),
    svg("path", { class: "forbidden", d: crosses }),
    picked >= 0 && picked < n ? svg("rect", { class: "picked", ...frame }) : null,
  );
}
