// Programs compiled to WebAssembly become scripts, which a page can load from a folder, too:
//
//   node src/book/pack.mjs BUILD BOOK NAME...    a NAME is 01_bigram, 01_bigram/break/idea or heart
//
// BOOK/run/01_bigram.js puts {expected, loader, wasm, files} into the book. The last three are compressed and then
// written in letters, by base64. 01_bigram.idea.js, of a break, has only what differs from the lesson's program: {edits}.
// BOOK/run/data.js is what all programs need, and BOOK/run.js says what can run, and what takes names.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const text = (path) => readFileSync(path, "utf8");
const letters = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");

/// What the program prints. The heart prints what the published program does, whose losses stand there a second time
/// with all digits.
function expected(name) {
  if (name === "heart") return text("tests/golden/microgpt/gist_builtin.txt").replace(/^(step.*) \|.*$/gm, "$1");
  return text(`lessons/${name}/expected.txt`);
}

/// What PyTorch's attention computed, in the files that the lesson's program names.
function golden(name) {
  const folder = "tests/golden/attention/";
  const main = text(`lessons/${name.split("/")[0]}/main.cpp`);
  const paths = readdirSync(folder).filter((path) => main.includes(`"${path.replace(".safetensors", "")}"`));
  return Object.fromEntries(paths.map((path) => [folder + path, readFileSync(folder + path)]));
}

/// The files that a program reads besides names: {path: bytes}.
function filesOf(name) {
  if (name === "heart") return {};
  const seen = `lessons/${name}/seen.tsv`;
  return existsSync(seen) ? { [seen]: readFileSync(seen) } : golden(name);
}

/// How to make `after` from `before`: pieces, in order, that are copied, [from, to], or new, in letters. Code that is
/// compiled from almost the same text is almost the same: here or a little later, the same blocks come again.
function editsOf(before, after) {
  const block = 16;
  const key = (bytes, at) => bytes.toString("latin1", at, at + block);
  const places = new Map();
  for (let at = 0; at + block <= before.length; at += block) places.set(key(before, at), at);
  const edits = [];
  let fresh = 0; // where what is not copied begins
  const endFresh = (at) => fresh < at && edits.push(after.toString("base64", fresh, at));
  for (let at = 0; at + block <= after.length; ) {
    const from = places.get(key(after, at));
    if (from === undefined) {
      at++;
      continue;
    }
    let length = block, earlier = 0;
    while (at + length < after.length && after[at + length] === before[from + length]) length++;
    while (at - earlier > fresh && from > earlier && after[at - earlier - 1] === before[from - earlier - 1]) earlier++;
    endFresh(at - earlier);
    edits.push([from - earlier, from + length]);
    at = fresh = at + length;
  }
  endFresh(after.length);
  return edits;
}

/// Whether a program takes a file of names.
const takesNames = (name) => name === "heart" || (!name.includes("/") && text(`lessons/${name}/main.cpp`).includes("argv"));

const packed = (files) => Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, letters(bytes)]));

function pack(name, build) {
  const path = name === "heart" ? `${build}/heart` : `${build}/lessons/${name}/main`;
  if (!name.includes("/break/")) {
    const [loader, wasm] = [path, `${path}.wasm`].map((file) => letters(readFileSync(file)));
    return { expected: expected(name), loader, wasm, files: packed(filesOf(name)) };
  }
  const right = `${build}/lessons/${name.split("/")[0]}/main`;
  const [loader, wasm] = ["", ".wasm"].map((kind) => editsOf(readFileSync(right + kind), readFileSync(path + kind)));
  return { edits: { loader, wasm } };
}

const [build, book, ...names] = process.argv.slice(2);
mkdirSync(`${book}/run`, { recursive: true });
function script(key, program) {
  writeFileSync(`${book}/run/${key}.js`, `book["run/${key}"] = ${JSON.stringify(program)};\n`);
}
for (const name of names) script(name.replace("/break/", "."), pack(name, build));
script("data", { files: packed({ "data/names.txt": readFileSync("data/names.txt") }), worker: text("src/book/worker.js") });
const can = Object.fromEntries(names.map((name) => [name, takesNames(name)]));
writeFileSync(`${book}/run.js`, `const bookPrograms = ${JSON.stringify(can)};\n${text("src/book/curve.js")}${text("src/book/run.js")}`);
