// Runs a program that was compiled to WebAssembly, as the worker of a page would, but prints to the terminal:
//
//   node tests/book/run.mjs PROGRAM [NAMES]
//
// Pictures go to the folder PICTURES, as those of a native program do.
import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { filesOf } from "../../src/book/pack.mjs";

const [path, names = "data/names.txt"] = process.argv.slice(2);
const name = path.endsWith("/heart") ? "heart" : path.replace(/.*lessons\//, "").replace(/\/main$/, "");
const files = { [resolve(names)]: readFileSync(names), ...filesOf(name) };
const Module = {
  wasmBinary: readFileSync(`${path}.wasm`), files, arguments: [resolve(names)], environment: { ...process.env },
};

globalThis.self = { location: { href: "" } };
globalThis.importScripts = () => {};
globalThis.postMessage = ({ line, error, code, crash, pictures }) => {
  if (line !== undefined) writeSync(1, `${line}\n`);
  if (error !== undefined) writeSync(2, `${error}\n`);
  if (crash !== undefined) writeSync(2, `the program crashed: ${crash}\n`);
  if (code === undefined) return;
  const folder = process.env.PICTURES ?? "build/pictures";
  if (pictures.length > 0) mkdirSync(folder, { recursive: true });
  for (const { name, svg } of pictures) writeFileSync(`${folder}/${name}`, svg);
  process.exitCode = code;
};
new Function("Module", readFileSync("src/book/worker.js", "utf8") + readFileSync(path, "utf8"))(Module);
