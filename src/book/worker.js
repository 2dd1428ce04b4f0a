// What runs in a program's worker before Emscripten's loader: it hands the program its files, and
// tells the page what it prints, what it drew, and how it ended. Module has wasmBinary, files ({path: bytes}) and
// arguments from the page; FS, ENV and callMain() come from the loader.
const started = performance.now();

function tellEnd(end) {
  const names = Module.FS.readdir("/pictures").filter((name) => name.endsWith(".svg")).sort();
  const pictures = names.map((name) => ({ name, svg: Module.FS.readFile(`/pictures/${name}`, { encoding: "utf8" }) }));
  postMessage({ ...end, pictures, seconds: (performance.now() - started) / 1000 });
}

Module.preRun = () => {
  Module.ENV.PICTURES = "/pictures";
  Module.FS.mkdir("/pictures");
  for (const [path, bytes] of Object.entries(Module.files)) {
    Module.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    Module.FS.writeFile(path, bytes);
  }
};
Module.print = (line) => postMessage({ line });
Module.printErr = (error) => postMessage({ error });
Module.onExit = (code) => tellEnd({ code });
Module.onRuntimeInitialized = () => {
  try {
    Module.callMain(Module.arguments);
  } catch (failure) { // such as a stack that is full; onExit tells what main() returns
    tellEnd({ code: 134, crash: String(failure.message ?? failure) });
  }
};
