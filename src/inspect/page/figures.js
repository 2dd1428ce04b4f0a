// Drawing: elements, maps of weights, bars and curves. Text from the data only ever becomes text nodes and attributes,
// never markup.

// The browser's own parser tells the namespace of SVG, so no address has to stand in this file.
const svgNamespace = (() => {
  const parsed = document.createElement("template");
  parsed.innerHTML = "<svg></svg>";
  return parsed.content.firstChild.namespaceURI;
})();

function fillElement(made, attributes, children) {
  let acts;
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") (acts ??= {})[name] = value;
    else made.setAttribute(name, value);
  }
  if (acts) listen(made, acts);
  const all = children.flat().filter((child) => child !== null);
  noteLive(made, all);
  made.append(...all);
  return made;
}

// Whether an element, or one in it, does something.
function noteLive(place, children) {
  place.isLive ||= children.some(({ isLive }) => isLive);
}

// What an element does, by event. It can be given other acts.
function listen(made, acts = {}) {
  made.isLive = true;
  made.acts = acts;
  for (const type in acts) made.addEventListener(type, act); // once, however often it is added
}

function act(event) {
  event.currentTarget.acts[event.type]?.(event);
}

// element("p", { class: "note", click: f }, "text", otherElement); the attributes may be left out.
function element(tag, ...parts) {
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  return fillElement(document.createElement(tag), attributes, parts);
}

function button(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

// One of a group: only the one that is chosen is reached by Tab.
function radio(isChosen, attributes, ...children) {
  const how = { role: "radio", "aria-checked": String(isChosen), tabindex: isChosen ? 0 : -1 };
  return button({ ...how, ...attributes }, ...children);
}

function svg(tag, attributes = {}, ...children) {
  return fillElement(document.createElementNS(svgNamespace, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// --- What is shown anew ----------------------------------------------------------------------------------------------

// Makes the children of a place what these are. Only what differs is touched, so that the browser lays out only that.
// What has the focus keeps it, or hands it to what has its key now.
function renew(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  renewChildren(place, children.flat().filter((child) => child !== null));
  if (key !== undefined && document.activeElement.dataset.key !== key) focusKey(place, key);
}

function renewChildren(place, children) {
  const old = [...place.childNodes];
  noteLive(place, children);
  children.forEach((child, i) => {
    const made = child instanceof Node ? child : new Text(child);
    if (old[i]) renewNode(old[i], made);
    else place.append(made);
  });
  for (const each of old.slice(children.length)) each.remove();
}

function renewNode(old, made) {
  if (old === made || (!made.isLive && old.isEqualNode(made))) return;
  if (old.nodeName !== made.nodeName) return old.replaceWith(made);
  if (old.nodeValue !== made.nodeValue) old.nodeValue = made.nodeValue; // of a text
  if (!old.isEqualNode(made)) {
    for (const name of old.getAttributeNames()) if (!made.hasAttribute(name)) old.removeAttribute(name);
    for (const name of made.getAttributeNames()) {
      if (old.getAttribute(name) !== made.getAttribute(name)) old.setAttribute(name, made.getAttribute(name));
    }
  }
  if (old.acts !== made.acts) listen(old, made.acts);
  if (made.fill) old.fill = made.fill; // a map, which is filled later
  else renewChildren(old, [...made.childNodes]);
}

function focusKey(place, key) {
  [...place.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus({ preventScroll: true });
}

// --- Words for numbers -----------------------------------------------------------------------------------------------

function fixed(x, digits = 3) {
  if (!Number.isFinite(x)) return "–";
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

function counted(n) {
  return n.toLocaleString("en");
}

function signed(x, digits = 3) {
  const text = fixed(x, digits);
  return Number(text) > 0 ? `+${text}` : text;
}

function percent(p) {
  if (p > 0 && p < 0.001) return "<0.1%";
  return `${(100 * p).toFixed(p < 0.0995 ? 1 : 0)}%`;
}

// A token as a reader can see it. In maps BOS is a dot, as in the program.
const labelled = (bos) => ({ characters }, token) => (characters[token] ?? bos).trim() || "␣";
const [shortLabel, longLabel, nextLabel] = [".", "BOS", "end"].map(labelled);

// A word or name in the middle of a text, whichever way it is written.
function inText(word) {
  return element("bdi", word);
}

// As a shell reads it.
function shellWord(text) {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// On what a model was measured, as a text for explained() or, without marks, for others.
function measuredOn({ about, model }, isMarked = true) {
  const noun = nounOf(model);
  const words = {
    "held-out": `held-out ${noun}`,
    seen: `${noun} that it has seen`,
    given: `${noun} it was measured on`,
  };
  const { kind } = about.measured_on;
  return isMarked && kind === "held-out" ? `[${words[kind]}|held-out names]` : words[kind];
}

// The same with how many they are: of very many, only the first are measured.
function countMeasured({ about, model }) {
  const [measured, all] = [about.measured.documents, about.measured_on.available].map(counted);
  return `${measured === all ? all : `${measured} of ${all}`} ${measuredOn({ about, model })}`;
}

// The beginning of a command that shows in the terminal what the page shows, as parts of an element.
function inspectCommand({ about, model }) {
  const text = [...state.text].slice(0, model.config.block_size - 1).join("");
  return ["microgpt inspect ", inText(shellWord(about.path)), " --text ", inText(shellWord(text))];
}

// A text as parts of an element: [word] is explained, and so is [words|word], as another word.
function explained(text) {
  const termOf = (word, meaning = word) => describeTerm(element("span", { class: "term" }, word), meaning);
  return text.split(/\[(.+?)\]/).map((part, i) => (i % 2 ? termOf(...part.split("|")) : part));
}

function paragraph(text) {
  return element("p", ...explained(text));
}

// A name that a model wrote may have no letters at all.
function writtenName(name) {
  return name === "" ? element("span", { class: "empty" }, "no letters") : element("bdi", name);
}

function showNames(id, names) {
  renew(byId(id), names.map((name) => element("li", writtenName(name))));
}

// Shades are classes, since a browser computes the style of a class but once.
const mostShade = 40;
document.head.append(
  element("style", Array.from({ length: mostShade + 1 }, (_, i) => `.shade-${i}{--share:${(100 * i) / mostShade}%}`)),
);

function shadeOf(share) {
  return `shade-${Math.round(mostShade * share)}`;
}

// The shade of each number, the stronger the larger it is among them; and whether it is above 0.
function shadesOf(numbers) {
  const largest = Math.max(...numbers.map(Math.abs), 1e-12);
  return numbers.map((x) => `${shadeOf(Math.abs(x) / largest)} ${x < 0 ? "down" : "up"}`);
}

function numberList(numbers) {
  const all = [...numbers];
  const shades = shadesOf(all);
  return element("div", { class: "stream" }, all.map((x, i) => element("span", { class: shades[i] }, signed(x, 2))));
}

// --- Maps of weights -------------------------------------------------------------------------------------------------

const cellSize = 18;
const mapMargin = 22;
const longestMap = 40; // positions; of longer ones a map shows the first

// In pixels, so that its letters, of 11 pixels in the drawing, have 10.
function leastMapWidth(n) {
  return Math.ceil((10 / 11) * (mapMargin + cellSize * Math.min(n, longestMap) + 2));
}

// What to say where maps of n positions are cut.
function cutNote(n) {
  return n > longestMap ? `Only the first ${longestMap} of ${n} positions have room here.` : "";
}

// The map of a head: `about` has rows[t][s] for s <= t, the labels and a name, and what mapParts() and cellActions()
// take. A map has its size already, so it is filled when it comes near the window.
function headMap(model, { name, ...about }) {
  const n = Math.min(about.rows.length, longestMap);
  const size = mapMargin + cellSize * n + 2;
  // A short name need not fill the page.
  const style = `max-width: ${1.5 * size}px; min-width: min(100%, ${leastMapWidth(n)}px)`;
  const how = { class: "map", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": name, style };
  const drawn = svg("svg", { ...how, ...cellActions({ n, size, ...about }) });
  drawn.fill = () => mapParts(model, n, about);
  return drawn;
}

function fillMaps(isWanted) {
  const maps = [...document.querySelectorAll("svg.map")].filter((map) => map.fill && isWanted(map));
  for (const map of maps) {
    renewChildren(map, map.fill());
    map.fill = null;
  }
}

// A page has many maps, so all cells of one shade are one path. `picked` is a row to frame; forbidden(t, s) says which
// cells are crossed out.
function mapParts(model, n, { rows, labels, picked = -1, forbidden = () => false }) {
  const at = (i) => mapMargin + cellSize * i;
  const box = (t, s) => `M${at(s)} ${at(t)}h${cellSize - 1}v${cellSize - 1}H${at(s)}z`;
  const shades = new Map();
  const [down, across] = [[], []];
  let [seen, crosses] = ["", ""];
  for (let t = 0; t < n; t++) {
    down.push(svg("text", { x: mapMargin - 6, y: at(t) + 13, class: t === picked ? "picked-label" : null }, labels[t]));
    across.push(svg("text", { x: at(t) + 8.5, y: mapMargin - 7 }, labels[t]));
    for (let s = 0; s <= t; s++) {
      const shade = Math.round(mostShade * rows[t][s]);
      if (shade > 0) shades.set(shade, (shades.get(shade) ?? "") + box(t, s));
      if (allows(model, t, s)) seen += box(t, s);
      if (forbidden(t, s)) crosses += `M${at(s) + 4} ${at(t) + 4}l9 9m-9 0l9 -9`;
    }
  }
  const cells = [...shades].map(([shade, d]) => svg("path", { class: "cell", d, "fill-opacity": shade / mostShade }));
  const letters = [svg("g", { "text-anchor": "end" }, down), svg("g", { "text-anchor": "middle" }, across)];
  const parts = [svg("path", { class: "seen", d: seen }), svg("g", {}, cells), ...letters];
  if (crosses !== "") parts.push(svg("path", { class: "forbidden", d: crosses }));
  if (picked >= 0 && picked < n) {
    const frame = { x: at(0) - 1, y: at(picked) - 1, width: cellSize * (picked + 1) + 1, height: cellSize + 1, rx: 2 };
    parts.push(svg("rect", { class: "picked", ...frame }));
  }
  return parts;
}

// Maps of n positions side by side.
function mapGrid(n, figures) {
  return element("div", { class: "maps", style: `--map-width: ${leastMapWidth(n)}px` }, figures);
}

// A map or more of a head, under its name.
function mapFigure(caption, ...parts) {
  return element("figure", element("figcaption", { class: "head-name" }, ...caption), ...parts);
}

// Of all heads; `title` makes of a head's name that of its map, `tell` what stands beside the name and below the map.
function mapsOfHeads(model, { weights, labels }, title, tell = () => []) {
  const figures = headsOf(model).map(({ layer, head, name }, i) => {
    const [beside, ...below] = tell(i);
    const map = headMap(model, { rows: weights[layer][head], labels, name: title(name) });
    return mapFigure(beside ? [element("strong", name), beside] : [name], map, ...below);
  });
  return mapGrid(labels.length, figures);
}

// What the mouse does in a map, where its place says which cell it is at. pick(t, s) is called for a click, see(t, s)
// for "See the numbers", which a click then offers.
function cellActions({ rows, labels, n, size, pick = null, see = null }) {
  const cellAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = (pixels, extent) => Math.floor(((pixels / extent) * size - mapMargin) / cellSize);
    const [t, s] = [index(event.clientY - box.top, box.height), index(event.clientX - box.left, box.width)];
    return t >= 0 && t < n && s >= 0 && s <= t ? { t, s } : null;
  };
  const show = ({ clientX, clientY }, { t, s }, action) =>
    showTip(`${labels[t]} (${t}) looks at ${labels[s]} (${s}): ${fixed(rows[t][s])}`, clientX, clientY, action);
  const pointermove = (event) => {
    if (staysTip()) return;
    const cell = cellAt(event);
    if (cell === null) hideTip();
    else show(event, cell);
  };
  const click = (event) => {
    const cell = cellAt(event);
    if (cell === null) return;
    pick?.(cell.t, cell.s);
    const go = () => {
      closeTip();
      see(cell.t, cell.s);
    };
    show(event, cell, see && button({ class: "main", click: go }, "See the numbers"));
  };
  return { pointermove, click, pointerleave: hideTip };
}

// The line above a table, of elements or of texts as for explained(); a column without a name needs no header.
function tableHead(names) {
  const parts = (name) => (typeof name === "string" ? explained(name) : [name]);
  const cellOf = (name) => (name === "" ? element("td") : element("th", { scope: "col" }, ...parts(name)));
  return element("thead", element("tr", ...names.map(cellOf)));
}

// Its name, and a cell for each of the rest, which may be a cell already.
function tableRow(name, cells, attributes = {}) {
  const cellOf = (cell) => (cell.tagName === "TD" ? cell : element("td", ...[cell].flat()));
  return element("tr", attributes, element("th", { scope: "row" }, ...[name].flat()), ...cells.map(cellOf));
}

// A table that may be wider than the window.
function wideTable(name, ...parts) {
  const how = { class: "scroll", tabindex: 0, role: "region", "aria-label": name };
  return element("div", how, element("table", ...parts));
}

// --- Bars and curves -------------------------------------------------------------------------------------------------

// A line of a bar chart: label, bar, number. `mark` is another share to show on the bar, such as the one before.
function chanceBar({ label, share, mark = null, markClass = "before", isNext = false }) {
  const fill = element("span", { class: "fill", style: `width: ${100 * share}%` });
  const line = mark === null ? null : element("span", { class: markClass, style: `left: calc(${100 * mark}% - 1px)` });
  const track = element("span", { class: "track" }, fill, line);
  const how = { class: isNext ? "chance is-next" : "chance" };
  return element("span", how, element("bdi", label), track, element("span", percent(share)));
}

function runningMean(numbers, window) {
  let total = 0;
  return numbers.map((x, i) => {
    total += x - (i >= window ? numbers[i - window] : 0);
    return total / Math.min(window, i + 1);
  });
}

// Lines over an axis. lines: [{ className, values }]; place(i) is where value i lies on the axis, from 0 to 1, and
// `ticks` are the words below it, [[place, word], ...]. A value that is not finite is left out; one above the range is
// drawn at its upper end. Returns the drawing, and x and y of a value in it.
function lineChart({ lines, place, ticks, range: [low, high, distance], box: [width, height], name }) {
  const [left, right, top, bottom] = [34, width - 10, 10, height - 20];
  const across = (share) => left + share * (right - left);
  const x = (i) => across(place(i));
  const y = (value) => bottom - ((Math.min(value, high) - low) / (high - low)) * (bottom - top);
  const viewBox = `0 0 ${width} ${height}`;
  const drawn = svg("svg", { class: "chart", viewBox, role: "img", "aria-label": name });
  for (let tick = low; tick <= high + 1e-9; tick += distance) {
    drawn.append(svg("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }));
    drawn.append(svg("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick)));
  }
  for (const [share, word] of ticks) {
    const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    drawn.append(svg("text", { x: across(share), y: height - 4, "text-anchor": anchor }, word));
  }
  for (const { className, values } of lines) {
    const known = [...values.keys()].filter((i) => Number.isFinite(values[i]));
    const points = known.map((i) => `${x(i).toFixed(1)},${y(values[i]).toFixed(1)}`).join(" ");
    drawn.append(svg("polyline", { class: className, points }));
  }
  return { drawn, x, y };
}

// As wide as its place, so that its letters have the size they should.
function chartBox(place) {
  return [Math.max(240, Math.min(place.clientWidth, 600)), 262];
}

// Losses by step: each in a pale line, their running mean in a dark one. `steps` is how far the axis goes.
function lossCurve(losses, steps, name, box) {
  const lines = [
    { className: "raw", values: losses },
    { className: "mean", values: runningMean(losses, 50) },
  ];
  const place = (i) => (i + 0.5) / Math.max(steps, 1);
  const range = [0, Math.max(4, Math.ceil(Math.max(0, ...losses.slice(0, 50)))), 1];
  const ticks = [[0, "step 1"], [0.5, String(steps / 2)], [1, String(steps)]];
  return lineChart({ lines, place, ticks, range, box, name }).drawn;
}
