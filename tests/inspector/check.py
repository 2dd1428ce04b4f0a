"""Compares the inspector's page with the program: check.py PROGRAM FIGURES FOLDER

Trains small models of every form, writes the page of each into FOLDER, opens it in a headless browser, and compares
what the page computes with what the program computes. Then it uses the page as a reader would.
"""
import json
import math
import os
import queue
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import use
from browser import check
from chromium import Chromium
from webdriver import Firefox, WebKit

TOLERANCE = 1e-12
# Of numbers on the tape as shares of themselves, where the browser's exp and cos are others: what nearly cancels keeps
# few digits.
SHARE_ELSEWHERE = 1e-9
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, FIGURES, FOLDER = sys.argv[1:4]

MODELS = {
    "mha": [],
    "three_layers": ["--n-layer", "3", "--n-head", "8", "--n-embd", "32"],
    "mqa_local": ["--attention", "mqa", "--mask", "local:3"],
    "gqa_rope": ["--attention", "gqa", "--n-kv-head", "2", "--pos", "rope", "--n-layer", "2"],
    "mla": ["--attention", "mla", "--q-latent", "12", "--kv-latent", "8"],
    "mla_rotary": ["--attention", "mla", "--q-latent", "8", "--kv-latent", "8", "--rope-dim", "2", "--n-layer", "3"],
    "mha_rope_strided": ["--pos", "rope", "--mask", "strided:2:3,full", "--n-layer", "2"],
    "bigbird": ["--attention", "gqa", "--mask", "bigbird:2:1:1"],
    "walkthrough": ["--preset", "walkthrough"],
    "one_head": ["--n-head", "1", "--n-embd", "8"],
    "accented": [],
    "hostile": ["--block-size", "32"],
}
# Those whose numbers are compared in other browsers.
ELSEWHERE = ("mha", "gqa_rope", "mla_rotary")
ACCENTED = ["zoé", "renée", "jürgen", "françois", "ångström", "øystein", "škoda", "łucja", "ñandú", "maïté",
            "βeta", "дарья", "žofie", "çelik", "ımaz", "ăn"]
HOSTILE = ["<b>&amp;</b>", "</script>", "<!-- x", "\"quoted'", "שלום", "مرحبا", "😀😃👍", "a&b<c>",
           "');run!//", "${x}`", "<script>run!</script>", "\u202eabc"]
HOSTILE_FILE = "<img src=x onerror=run!> \"😀\" & שלום.safetensors"

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


def train(name, options, data):
    model = file(f"{name}.safetensors")
    run(PROGRAM, "train", "--engine", "tensor", "--dtype", "f64", "--threads", "1", "--samples", "1", "--quiet",
        "--data", data, "--save", model, "--force", *options)
    return model


# --- Equal: what the page computes is what the program computes -------------------------------------------------------

def check_equal(tab, name, expected, share=TOLERANCE):
    tab.run(read(os.path.join(HERE, "compare.js")))
    found = {kind: math.inf if x is None else x for kind, x in tab.evaluate(f"compare({json.dumps(expected)})").items()}
    check(("tape_ops" in found) == tab.evaluate("hasGraph(page.model)"), f"{name}: no tape is compared")
    wrong = {kind: x for kind, x in found.items() if not x <= (share if kind == "tape_share" else TOLERANCE)}
    check(not wrong, f"{name}: the page and the program differ: {wrong}")
    return max(x for kind, x in found.items() if kind != "tape_share")


def check_samples(tab, name, model):
    for seed, temperature in (("42", "0.5"), ("1234567890123456789", "1.3")):
        how = ["--dtype", "f64", "--num", "10", "--seed", seed, "--temperature", temperature]
        out = run(PROGRAM, "sample", model, *how)
        theirs = [line.split(":", 1)[1].strip() for line in out.splitlines() if line.startswith("sample")]
        ours = tab.evaluate(f"sample(page.model, {{seed: '{seed}', temperature: {temperature}, num: 10}})")
        check(ours == theirs, f"{name}: seed {seed} draws {ours}, the program {theirs}")


def check_model(tabs, name, options):
    """(page, what the program computes, the largest difference)"""
    names = {"accented": ACCENTED * 13, "hostile": HOSTILE * 20}.get(name) or read("data/names.txt").split()
    data, page = write(f"{name}.txt", "\n".join(names[:200]) + "\n"), file(f"{name}.html")
    model = train(name, ["--batch", "4", "--steps", "60", *options], data)
    run(PROGRAM, "inspect", model, "--html", page, "--data", data, "--text", names[0])
    expected = json.loads(run(FIGURES, model, data))
    with lent(tabs) as tab:
        tab.open(page)
        worst = check_equal(tab, name, expected)
        if name != "hostile":
            check_samples(tab, name, model)
        asked = [url for url in tab.requests if not url.startswith(("file:", "data:", "about:"))]
        check(not asked and not tab.errors, f"{name}: the page asked for {asked}, and logged {tab.errors}")
    print(f"{name}: 200 documents, equal", flush=True)
    return page, expected, worst


def check_activations(tab, page):
    """The page says so if it does not know a model's activation."""
    tab.open(write("unknown.html", read(page).replace('"activation":"relu"', '"activation":"unheard_of"')))
    check("'unheard_of'" in tab.text("#facts"), "the page does not refuse an activation that it does not know")
    check(not tab.errors and tab.evaluate("document.querySelector('main').hidden"), "a refused model is shown")


def check_text_stays_text(tab):
    """Names, alphabets and names of files with letters that mean something in HTML."""
    model = shutil.copy(file("hostile.safetensors"), file(HOSTILE_FILE))
    run(PROGRAM, "inspect", model, "--html", file("hostile.html"), "--data", file("hostile.txt"))
    tab.open(file("hostile.html"))
    count_markup = "document.querySelectorAll('img, iframe, object, link, main script, bdi *').length"
    for each in HOSTILE:
        for name in use.TABS:
            tab.evaluate(f"byId('text').value = {json.dumps(each)}, byId('text').dispatchEvent(new Event('input')),"
                         f" change({{ tab: '{name}' }})")
            check(tab.evaluate("state.text") == each, f"the page does not read {each!r}")
            check(tab.evaluate(count_markup) == 0, f"{each!r} became markup")
    for place in ("#facts", "title"):
        check(HOSTILE_FILE in tab.text(place), f"{place} shows another name of the file")
    check(not tab.errors, f"hostile: the page logged {tab.errors}")  # what they would run is an error
    print("inspector: text that looks like markup stays text", flush=True)


def check_task(tab):
    data = write("copy.txt", run(PROGRAM, "task", "copy"))
    unseen = write("unseen.txt", run(PROGRAM, "task", "copy", "--held-out", "--num", "300"))
    model = train("copy", ["--batch", "32", "--steps", "1000", "--n-embd", "32"], data)
    run(PROGRAM, "inspect", model, "--html", file("copy.html"), "--data", unseen)
    use.use_task(tab, file("copy.html"))


# --- All of it --------------------------------------------------------------------------------------------------------

def check_elsewhere(kind, made):
    """Numbers and use in another browser."""
    worst = 0
    with kind() as tab:
        for name in ELSEWHERE:
            page, expected, _ = made[name]
            tab.open(page)
            worst = max(worst, check_equal(tab, f"{kind.__name__}, {name}", expected, SHARE_ELSEWHERE))
        use.use(tab, made["mha"][0])
    print(f"inspector: {kind.__name__} computes the same numbers, to {worst:.1e}, and is used alike", flush=True)


def other_browsers():
    for kind in (Firefox, WebKit):
        if kind.find_command():
            yield kind
        else:
            print(f"inspector: no {kind.__name__} here, so the page is not tried in it; try: apt-get install "
                  f"{kind.PACKAGES}")


@contextmanager
def lent(tabs):
    tab = tabs.get()
    try:
        yield tab
    finally:
        tabs.put(tab)


def check_all(tabs, workers):
    """The page of a model of the default shape, and the largest difference."""
    def with_a_tab(act, *arguments):
        with lent(tabs) as tab:
            act(tab, *arguments)
    made = {name: workers.submit(check_model, tabs, name, options) for name, options in MODELS.items()}
    made = {name: each.result() for name, each in made.items()}
    page = made["mha"][0]
    tasks = [workers.submit(check_elsewhere, kind, made) for kind in other_browsers()]
    tasks += [workers.submit(with_a_tab, *task) for task in
              ((use.use, page), (use.check_layout, page), (use.check_layout, made["three_layers"][0]),
               (check_activations, page), (check_text_stays_text,), (check_task,))]
    for each in tasks:
        each.result()
    return page, max(worst for *_, worst in made.values())


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
        page, worst = check_all(tabs, workers)
    size = os.path.getsize(page)
    check(size <= 200_000, f"the default model's page has {size} bytes")
    print(f"{len(MODELS)} models: logits, weights, losses, silenced heads, forbidden cells, parts of logits, samples "
          f"and the scalar tape are equal; largest difference {worst:.1e}; {time.time() - begin:.0f} s in all")


main()
