// Programs compiled to WebAssembly become scripts, which a page can load from a folder, too:
//
//   node src/book/pack.mjs BUILD BOOK LESSON...    a LESSON is 01_bigram
//
// BOOK/run/01_bigram.js puts {expected, loader, wasm, files} into the book. The last three are compressed and then
// written in letters, by base64. BOOK/run/data.js is what all programs need, and BOOK/run.js says what can run, and what
// takes names.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const text = (path) => readFileSync(path, "utf8");
const letters = (path) => gzipSync(readFileSync(path), { level: 9 }).toString("base64");
const lettersOf = (paths) => Object.fromEntries(paths.map((path) => [path, letters(path)]));

const [build, book, ...lessons] = process.argv.slice(2);
mkdirSync(`${book}/run`, { recursive: true });
function script(key, program) {
  writeFileSync(`${book}/run/${key}.js`, `book["run/${key}"] = ${JSON.stringify(program)};\n`);
}

function pack(path, expected, files = []) {
  return { expected, loader: letters(path), wasm: letters(`${path}.wasm`), files: lettersOf(files) };
}

// The heart prints what the published program does, whose losses stand there a second time with all digits.
const published = text("tests/golden/microgpt/gist_builtin.txt").replace(/^(step.*) \|.*$/gm, "$1");
script("heart", pack(`${build}/heart`, published));
script("data", { files: lettersOf(["data/names.txt"]), worker: text("src/book/worker.js") });
const takesNames = { heart: true };
for (const name of lessons) {
  const main = text(`lessons/${name}/main.cpp`), seen = `lessons/${name}/seen.tsv`;
  const golden = readdirSync("tests/golden/attention").filter((file) => main.includes(`"${file.replace(".safetensors", "")}"`));
  const files = [...golden.map((file) => `tests/golden/attention/${file}`), ...[seen].filter(existsSync)];
  script(name, pack(`${build}/lessons/${name}/main`, text(`lessons/${name}/expected.txt`), files));
  takesNames[name] = main.includes("argv");
}
writeFileSync(`${book}/run.js`, `const bookPrograms = ${JSON.stringify(takesNames)};\n${text("src/book/curve.js")}${text("src/book/run.js")}`);
