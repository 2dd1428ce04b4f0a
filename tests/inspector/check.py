"""Compares the inspector's page with the program: check.py PROGRAM FIGURES FOLDER

Trains small models of every form, writes the page of each into FOLDER, opens it in a headless browser, and compares
what the page computes with what the program computes. Then it uses the page as a reader would.
"""
import base64
import json
import math
import os
import queue
import re
import shutil
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import use
from chromium import Chromium
from claim import check
from webdriver import Firefox, WebKit

TOLERANCE = 1e-12
# Of numbers on the tape as shares of themselves, where the browser's exp and cos are others: what nearly cancels keeps
# few digits.
SHARE_ELSEWHERE = 1e-9
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, FIGURES, FOLDER = sys.argv[1:4]

ATTENTION = {
    "mha": [],
    "two_layers": ["--n-layer", "2"],
    "three_layers": ["--n-layer", "3", "--n-head", "8", "--n-embd", "32"],
    "mqa_local": ["--attention", "mqa", "--mask", "local:3"],
    "gqa_rope": ["--attention", "gqa", "--n-kv-head", "2", "--pos", "rope", "--n-layer", "2"],
    "mla": ["--attention", "mla", "--q-latent", "12", "--kv-latent", "8"],
    "mla_rotary": ["--attention", "mla", "--q-latent", "8", "--kv-latent", "8", "--rope-dim", "2", "--n-layer", "3"],
    "mla_rope_global": ["--attention", "mla", "--rope-dim", "2", "--pos", "rope", "--mask", "global:2:1"],
    "mha_rope_strided": ["--pos", "rope", "--mask", "strided:2:3"],
    "block": ["--mask", "block:4"],
    "random": ["--mask", "random:2", "--n-layer", "2"],
    "bigbird": ["--attention", "gqa", "--mask", "bigbird:2:1:1"],
    "walkthrough": ["--preset", "walkthrough"],
    "one_head": ["--n-head", "1", "--n-embd", "8"],
}
# Those that are trained in the page, too: plain ones, and each kind of attention, mask and position.
TRAINED = ("mha", "two_layers", "accented", "gqa_rope", "mla_rotary", "mqa_local")
# Those whose numbers are compared in other browsers.
ELSEWHERE = ("mha", "gqa_rope", "mla_rotary")
ACCENTED = ["zoé", "renée", "jürgen", "françois", "ångström", "øystein", "škoda", "łucja", "ñandú", "maïté",
            "βeta", "дарья", "žofie", "çelik", "ımaz", "ăn"]
HOSTILE = ["<b>&amp;</b>", "</script>", "<!-- x", "\"quoted'", "שלום", "مرحبا", "😀😃👍", "a&b<c>",
           "');run!//", "${x}`", "<script>run!</script>", "\u202eabc"]
HOSTILE_FILES = ["<img src=x onerror=run!>.safetensors", "<!-- \"😀' & שלום.safetensors"]


# Threads that wait without spinning leave the processor to the browser and to the other models.
ENVIRONMENT = dict(os.environ, OMP_WAIT_POLICY="passive")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def file(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    with open(file(name), "w", encoding="utf-8") as out:
        out.write(text)
    return file(name)


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def make_page(name, options, names):
    """Trains a model on these names and writes its page: (model, page, what the program computes)."""
    model, page, data = file(f"{name}.safetensors"), file(f"{name}.html"), write(f"{name}.txt", "\n".join(names) + "\n")
    run(PROGRAM, "train", "--engine", "tensor", "--dtype", "f64", "--threads", "1", "--batch", "4", "--steps", "60",
        "--samples", "1", "--quiet", "--data", data, "--save", model, *options)
    run(PROGRAM, "inspect", model, "--html", page, "--data", data, "--text", names[0])
    return model, page, json.loads(run(FIGURES, model, data))


def make_page_of_two(first, second, names, text):
    page = file("two.html")
    run(PROGRAM, "inspect", first, "--compare", second, "--html", page, "--data", names, "--text", text)
    return page


# --- Equal: what the page computes is what the program computes ------------------------------------------------------

def differences(tab, expected):
    """The largest by kind of number."""
    tab.run(read(os.path.join(HERE, "compare.js")))
    found = tab.evaluate(f"compare({json.dumps(expected)})")
    return {kind: math.inf if difference is None else difference for kind, difference in found.items()}


def check_equal(tab, name, expected, share=TOLERANCE):
    found = differences(tab, expected)
    check(("tape_nodes" in found) == tab.evaluate("hasGraph(state.models[0].model)"), f"{name}: no tape is compared")
    wrong = {kind: x for kind, x in found.items() if not x <= (share if kind == "tape_share" else TOLERANCE)}
    check(not wrong, f"{name}: the page and the program differ: {wrong}")
    return max(x for kind, x in found.items() if kind != "tape_share")


SIGNS = {"−": "-", "·": "*", "÷": "/", "²": "**2", "e^": "math.exp", "relu(": "max(0, "}


def check_cells(tab, name, text):
    """Each number of the picture is what its line says, computed here; and it is that of the model."""
    cells = tab.evaluate(f"cellsInFull({json.dumps(text)})")
    for line, number, row in cells:
        *_, terms, made = line.split(" = ")
        for sign, python in SIGNS.items():
            terms, made = terms.replace(sign, python), made.replace(sign, python)
        value = eval(re.sub(r"√(\d+)", r"math.sqrt(\1)", terms)) if line.count(" = ") > 1 else float(made)
        check(abs(value - float(made)) < TOLERANCE, f"{name}: this is {value}: {line}")
        check(number is None or abs(number - float(made)) < TOLERANCE, f"{name}: the model has {number}: {line}")
        check(row is None or row == [float(term.split(" * ")[0]) for term in terms.split(" + ")],
              f"{name}: another row of weights: {line}")
    known = sum(number is not None for _, number, _ in cells)
    check(2 * known > len(cells), f"{name}: of {len(cells)} numbers of the picture only {known} are compared")


def samples(model, *options):
    lines = run(PROGRAM, "sample", model, "--dtype", "f64", *options).splitlines()
    return [line.split(":", 1)[1].strip() for line in lines if line.startswith("sample")]


def check_samples(tab, name, model):
    for seed, temperature in (("42", "0.5"), ("7", "0.9"), ("123456789012345678901", "1.3")):
        theirs = samples(model, "--num", "10", "--seed", seed, "--temperature", temperature)
        ours = tab.evaluate(f"sample(state.models[0].model, {{seed: '{seed}', temperature: {temperature}, num: 10}})")
        check(ours == theirs, f"{name}: seed {seed} draws {ours}, the program {theirs}")


def check_training(tab, name, options):
    """100 steps in the page, beside `microgpt train` on a file of the names in the page."""
    names = tab.evaluate("state.data.names")
    data = write(f"{name}.embedded.txt", "\n".join(names) + "\n")
    is_plain = tab.evaluate("hasGraph(state.models[0].model)")
    engine = [] if is_plain else ["--engine", "tensor", "--dtype", "f64", "--threads", "1"]
    out = run(PROGRAM, "train", *engine, "--data", data, "--digits", "17", "--samples", "1", *options)
    theirs = [float(loss) for loss in re.findall(r"step +\d+ / +\d+ \| loss (\S+)", out)][:100]
    ours = tab.evaluate("(() => { resetLearning({ learnFrom: 'fresh', learnSeed: '42' });"
                        " for (let i = 0; i < 100; i++) learnOneStep(state.learn); return state.learn.losses; })()")
    check(len(theirs) == 100, f"{name}: the program printed {len(theirs)} losses")
    worst = max(abs(a - b) for a, b in zip(ours, theirs))
    check(worst <= TOLERANCE, f"{name}: training in the page differs by {worst}")
    return worst


def matrices(page):
    """Where each matrix of a page begins, and how many numbers it has."""
    at = 0
    for matrix in json.loads(re.search(r'"parameters":(\[.*?\])', read(page)).group(1)):
        size = matrix["rows"] * matrix["cols"]
        yield matrix["name"], at, size
        at += size


def change_a_digit(page, at):
    """The same page, in which the sixth digit of the number at this place is another."""
    text = read(page)
    weights = re.search(r'"weights":"([^"]+)"', text).group(1)
    numbers = bytearray(base64.b64decode(weights))
    x = struct.unpack_from("<d", numbers, 8 * at)[0]
    struct.pack_into("<d", numbers, 8 * at, x * (1 + 1e-5))
    return write("changed.html", text.replace(weights, base64.b64encode(numbers).decode()))


def check_notices(tab, page, expected):
    """The comparison must fail if one digit of one weight is another, in whatever matrix."""
    for name, at, size in matrices(page):
        tab.open(change_a_digit(page, at + size // 2))
        check(max(differences(tab, expected).values()) > TOLERANCE, f"a changed weight of {name} was not noticed")
    print("inspector: a weight with another digit is noticed, in every matrix", flush=True)


def check_activations(tab, page):
    """The page knows every activation of the program, and says so if it does not know a model's."""
    tab.open(page)
    names = re.findall(r'Activation::\w+, "(\w+)"', read("src/base/activation.h"))
    check(tab.evaluate("Object.keys(activations)") == names, f"the page does not know the activations {names}")
    unknown = write("unknown.html", read(page).replace('"activation":"relu"', '"activation":"unheard_of"'))
    tab.open(unknown)
    check("'unheard_of'" in tab.text("#facts"), "the page does not refuse an activation that it does not know")
    check(not tab.errors and tab.evaluate("document.querySelector('main').hidden"), "a refused model is shown")


def wait_for_file(path):
    end = time.monotonic() + 60
    while not os.path.exists(path):
        check(time.monotonic() < end, f"nothing is downloaded to {path}")
        time.sleep(0.02)
    return path


def check_download(tab, made):
    """What was trained in the page feeds the whole page; its file has the same loss in `microgpt eval`, of every kind."""
    for name in TRAINED:
        folder = file(f"{name}.downloads")
        shutil.rmtree(folder, ignore_errors=True)
        tab.open(made[name][1])
        tab.keep_downloads(folder)
        tab.evaluate("resetLearning({ learnFrom: 'model' })")
        tab.click("#learn-step")
        tab.click("#learn-save")
        check(tab.text("#learn-status").startswith("Saved as trained.safetensors"), "it does not say what is saved")
        tab.click("#learn-use")
        check(tab.evaluate("state.shown.about.name") == "trained.safetensors" and tab.evaluate("state.model") == 1,
              f"{name}: a trained model is not used")
        trained = wait_for_file(os.path.join(folder, "trained.safetensors"))
        names = tab.evaluate("[...new Set(state.data.names)].slice(0, 10)")
        data = write("ten.txt", "\n".join(names) + "\n")
        out = run(PROGRAM, "eval", trained, "--data", data, "--dtype", "f64", "--digits", "17")  # measures one of them
        theirs = float(re.search(r"loss[^:]*: (\S+) nats", out).group(1))
        ours = tab.evaluate(f"{json.dumps(names)}.map((each) => documentLoss(state.shown.model, each))")
        check(min(abs(x - theirs) for x in ours) < TOLERANCE, f"{name}: eval measures {theirs}, the page {ours}")
        check(not tab.errors, f"{name}, trained: the page logged {tab.errors}")
    print("inspector: what is trained in the page is used and saved", flush=True)


# --- A history: the page at a point of the training, beside the checkpoint of that point -----------------------------

def round_weights(checkpoint, rounded):
    """Writes a checkpoint with every weight rounded to float32, as the page has them."""
    with open(checkpoint, "rb") as whole:
        header = whole.read(8)
        header += whole.read(struct.unpack("<Q", header)[0])
        numbers = whole.read()
    n = len(numbers) // 8
    floats = struct.unpack(f"<{n}f", struct.pack(f"<{n}f", *struct.unpack(f"<{n}d", numbers)))
    with open(rounded, "wb") as out:
        out.write(header + struct.pack(f"<{n}d", *floats))
    return rounded


def make_history(names):
    kept, page = file("kept"), file("kept.html")
    shutil.rmtree(kept, ignore_errors=True)
    data = write("kept.txt", "\n".join(names) + "\n")
    run(PROGRAM, "train", "--engine", "tensor", "--dtype", "f64", "--threads", "1", "--batch", "4", "--steps", "60",
        "--samples", "1", "--quiet", "--data", data, "--history", kept, "--every", "10")
    run(PROGRAM, "inspect", kept, "--html", page, "--data", data, "--text", names[0])
    return kept, page, data


def check_history(tab, names):
    kept, page, data = make_history(names)
    worst = 0
    for step in (0, 20, 60):
        checkpoint = os.path.join(kept, f"step_{step:06}.safetensors")
        if step < 60:
            checkpoint = round_weights(checkpoint, file("rounded.safetensors"))
        tab.open(page, f"#text={names[0]}&step={step}")
        worst = max(worst, check_equal(tab, f"step {step}", json.loads(run(FIGURES, checkpoint, data))))
        theirs = samples(checkpoint, "--num", "12")
        ours = tab.evaluate("showAll(), [...byId('history-names').children].map(each => each.textContent)")
        check(ours == theirs, f"step {step}: the page generates {ours}, the program {theirs}")
    use.use_history(tab, page)
    check_for_all_readers(tab, page)
    last = os.path.join(kept, "step_000060.safetensors")
    run(PROGRAM, "inspect", kept, "--compare", last, "--html", page, "--data", data)
    use.use_history_of_two(tab, page)
    return worst


def check_gallery(tab):
    run("src/inspect/pages.sh", PROGRAM, file("pages"))
    use.use_gallery(tab, file("pages/index.html"))
    check_for_all_readers(tab, file("pages/copy.html"))
    size = os.path.getsize(file("pages/names.html"))
    check(size <= 3_000_000, f"a page with 50 points has {size} bytes")
    found = {task: tab.evaluate(f"describeTask({json.dumps(run(PROGRAM, 'task', task, '--num', '50').split())}).does")
             for task in ("copy", "reverse", "most-frequent", "induction")}
    check(len({*found.values(), "writes an answer"}) == 5, f"tasks are not told apart: {found}")
    print("inspector: the tours of the gallery lead through their pages", flush=True)


# --- Offline, and text stays text ---------------------------------------------------------------------------------

def check_offline(tab, name):
    """No address of a host was asked for. (tests/page_test.cpp finds none in the page.)"""
    asked = [url for url in tab.requests if not url.startswith(("file:", "data:", "about:"))]
    check(not asked, f"{name}: the page asked for {asked}")


def count_markup(tab):
    """Elements that only a text could have brought."""
    elements = "img, iframe, object, link, main script, bdi *, code :not(bdi)"
    return tab.evaluate(f"document.querySelectorAll('{elements}').length")


def check_text_stays_text(tab, first, second):
    """Names, alphabets and names of files with letters that mean something in HTML."""
    tab.open(make_page_of_two(first, second, file("hostile.txt"), HOSTILE[0]))
    for each in HOSTILE:
        tab.evaluate(f"(b => {{ b.value = {json.dumps(each)}; b.dispatchEvent(new Event('input')); showAll(); }})"
                     "(byId('text'))")
        check(tab.evaluate("state.text") == each, f"the page does not read {each!r}")
        check(count_markup(tab) == 0, f"{each!r} became markup")
        cards = tab.evaluate("byId('read-cards').children.length")
        check(cards == min(len(each) + 1, 32), f"{each!r}: {cards} cards")
        tab.evaluate(f"Object.assign(state, {{ prompt: {json.dumps(each[:3])} }}), generateNames()")
        names = tab.evaluate("[...byId('sampled').children].map(each => each.textContent)")
        check(len(names) == 20 and all(name.startswith(each[:3]) for name in names), f"prompt {each[:3]!r}: {names}")
        check(count_markup(tab) == 0, f"names that begin with {each[:3]!r} became markup")
    for path in (first, second):
        name = os.path.basename(path)
        for place in ("#compared", "#models", "title"):
            check(name in tab.text(place), f"{place} does not show the file's name {name!r}")
    check(os.path.basename(first) in tab.text("#command"), "the command shows another name of the file")
    check(not tab.errors, f"hostile: the page logged {tab.errors}")  # what they would run is an error
    print("inspector: text that looks like markup stays text", flush=True)


# --- Other browsers ---------------------------------------------------------------------------------------------------

def check_elsewhere(kind, made):
    """Numbers and use in another browser."""
    worst = 0
    with kind() as tab:
        for name in ELSEWHERE:
            _, page, expected, _ = made[name]
            tab.open(page)
            worst = max(worst, check_equal(tab, f"{kind.__name__}, {name}", expected, SHARE_ELSEWHERE))
        use.use(tab, made["mha"][1])
    print(f"inspector: {kind.__name__} computes the same numbers, to {worst:.1e}, and is used alike", flush=True)


def other_browsers():
    for kind in (Firefox, WebKit):
        if kind.find_command():
            yield kind
        else:
            print(f"inspector: no {kind.__name__} here, so the page is not tried in it; try: apt-get install "
                  f"{kind.PACKAGES}")


# --- All of it --------------------------------------------------------------------------------------------------------

@contextmanager
def lent(tabs):
    tab = tabs.get()
    try:
        yield tab
    finally:
        tabs.put(tab)


def check_model(tabs, name, options, documents):
    """(model, page, what the program computes, the largest difference)"""
    model, page, expected = make_page(name, options, documents)
    with lent(tabs) as tab:
        tab.open(page)
        check(not tab.errors, f"{name}: the page logged {tab.errors}")
        worst = check_equal(tab, name, expected)
        if name != "hostile":
            check_cells(tab, name, documents[0])
            check_samples(tab, name, model)
        check_offline(tab, name)
        if name in TRAINED:
            worst = max(worst, check_training(tab, name, options))
    print(f"{name}: {len(documents)} documents, equal", flush=True)
    return model, page, expected, worst


def check_for_all_readers(tab, page):
    """Both colours, a phone and a desk."""
    for width in (390, 1920):
        for dark in (False, True):
            tab.resize(width, 900)
            tab.prefer(dark)
            tab.open(page, "#box=embedding&list=6&cell=1")
            tab.evaluate("showAll()")
            found = tab.findings()
            check(not found, f"{page}, {width} pixels wide, {'dark' if dark else 'light'}: {found}")
    tab.resize(1024, 800)
    tab.prefer(dark=False, contrast=True)
    for what in (".shades i", ".chance .track, .chance .fill", ".stream span", ".cells button", ".choices button"):
        shades = f"new Set([...document.querySelectorAll('{what}')].map((e) => getComputedStyle(e).backgroundColor)).size"
        check(tab.evaluate(shades) > 1, f"with a contrast theme, {what} are all alike")
    tab.prefer(dark=False)


def all_models():
    """name -> (options, documents)"""
    names = read("data/names.txt").split()[:200]
    models = {name: (options, names) for name, options in ATTENTION.items()}
    models["accented"] = ([], (ACCENTED * 13)[:200])
    models["hostile"] = (["--block-size", "32"], (HOSTILE * 20)[:200])
    return models


def renamed(model, name):
    shutil.copy(model, file(name))
    return file(name)


def check_all(tabs, workers):
    """The page of a model of the default shape, the largest difference, and how many models there are."""
    made = {name: workers.submit(check_model, tabs, name, *how) for name, how in all_models().items()}
    made = {name: each.result() for name, each in made.items()}
    elsewhere = [workers.submit(check_elsewhere, kind, made) for kind in other_browsers()]
    model, page, expected, _ = made["mha"]
    hostile = [renamed(made["hostile"][0], name) for name in HOSTILE_FILES]
    two = make_page_of_two(model, made["mqa_local"][0], file("mha.txt"), "emma")

    def with_a_tab(act, *arguments):
        with lent(tabs) as tab:
            act(tab, *arguments)
    for each in [workers.submit(with_a_tab, *task) for task in
                 ((check_notices, page, expected), (check_activations, page), (use.use, page),
                  (use.use_keyboard, page), (use.use_layout, page), (use.use_layout, made["three_layers"][1]),
                  (check_download, made), (use.use_two, two), (check_history, read(file("mha.txt")).split()),
                  (check_text_stays_text, *hostile), (check_gallery,),
                  (check_for_all_readers, page))] + elsewhere:
        each.result()
    return page, max(worst for *_, worst in made.values()), len(made)


def main():
    begin = time.time()
    os.makedirs(FOLDER, exist_ok=True)
    n = min(os.cpu_count(), 4)  # browsers, each busy with another model
    with ExitStack() as opened:
        tabs = queue.SimpleQueue()
        for _ in range(n):
            tabs.put(opened.enter_context(Chromium()))
        workers = opened.enter_context(ThreadPoolExecutor(n))
        opened.callback(workers.shutdown, cancel_futures=True)  # the first claim that does not hold ends it all
        page, worst, count = check_all(tabs, workers)
    size = os.path.getsize(page)
    check(size <= 300_000, f"the default model's page has {size} bytes")
    print(f"{count} models: logits, weights, losses, silenced heads, forbidden cells, samples, training and "
          f"the scalar tape are equal; largest difference {worst:.1e}, of {TOLERANCE:.0e} at most")
    print(f"{size / 1024:.0f} KiB; {time.time() - begin:.0f} s in all")


main()
