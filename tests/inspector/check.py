"""Compares the inspector's page with the program: check.py PROGRAM FIGURES FOLDER

Trains small models of every form, writes the page of each into FOLDER, opens it in a headless browser, and compares
what the page computes with what the program computes. Then it uses the page as a reader would.
"""
import base64
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import browser
import use
from claim import check

TOLERANCE = 1e-9
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, FIGURES, FOLDER = sys.argv[1:4]

ATTENTION = {
    "mha": [],
    "two_layers": ["--n-layer", "2"],
    "four_layers": ["--n-layer", "4", "--n-head", "2"],
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
ACCENTED = ["zoé", "renée", "jürgen", "françois", "ångström", "øystein", "škoda", "łucja", "ñandú", "maïté",
            "βeta", "дарья", "žofie", "çelik", "ımaz", "ăn"]
HOSTILE = ["<b>&amp;</b>", "</script>", "<!-- x", "\"quoted'", "שלום", "مرحبا", "😀😃👍", "a&b<c>", "');alert(1)//",
           "${x}`", "<script>alert(1)</script>"]


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


def make_page_of_two(first, second):
    page = file("two.html")
    run(PROGRAM, "inspect", first, "--compare", second, "--html", page, "--data", file("mha.txt"), "--text", "emma")
    return page


# --- Equal: what the page computes is what the program computes ------------------------------------------------------

def compare(tab, name, expected):
    """The largest difference by kind of number."""
    tab.evaluate(read(os.path.join(HERE, "compare.js")))
    return {kind: math.inf if found is None else found for kind, found in
            tab.evaluate(f"compare({json.dumps(expected)})").items()}


def check_equal(tab, name, expected):
    found = compare(tab, name, expected)
    check(("tape_nodes" in found) == tab.evaluate("canTrain(state.models[0].model)"), f"{name}: no tape is compared")
    wrong = {kind: x for kind, x in found.items() if not x <= TOLERANCE}
    check(not wrong, f"{name}: the page and the program differ: {wrong}")
    return max(found.values())


def check_samples(tab, name, model):
    for seed, temperature in (("42", "0.5"), ("7", "0.9"), ("123456789012345678901", "1.3")):
        lines = run(PROGRAM, "sample", model, "--num", "10", "--seed", seed, "--temperature", temperature).splitlines()
        theirs = [line.split(":", 1)[1].strip() for line in lines if line.startswith("sample")]
        ours = tab.evaluate(f"sample(state.models[0].model, {{seed: '{seed}', temperature: {temperature}, num: 10}})")
        check(ours == theirs, f"{name}: seed {seed} draws {ours}, the program {theirs}")


def check_training(tab, name, options):
    """100 steps in the page, beside `microgpt train` on a file of the names in the page."""
    names = tab.evaluate("state.data.names")
    data = write(f"{name}.embedded.txt", "\n".join(names) + "\n")
    out = run(PROGRAM, "train", "--data", data, "--digits", "17", "--samples", "1", *options)
    theirs = [float(loss) for loss in re.findall(r"step +\d+ / +\d+ \| loss (\S+)", out)][:100]
    ours = tab.evaluate("(() => { resetLearning({ from: 'fresh', seed: '42' });"
                        " for (let i = 0; i < 100; i++) learnOneStep(state.learn); return state.learn.losses; })()")
    check(len(theirs) == 100, f"{name}: the program printed {len(theirs)} losses")
    worst = max(abs(a - b) for a, b in zip(ours, theirs))
    check(worst <= TOLERANCE, f"{name}: training in the page differs by {worst}")
    return worst


def check_notices(tab, page, expected):
    """The comparison must fail if one weight of the page is changed a little."""
    text = read(page)
    weights = re.search(r'"weights":"([^"]+)"', text).group(1)
    numbers = bytearray(base64.b64decode(weights))
    at = len(numbers) // 16 * 8  # the middle
    struct.pack_into("<d", numbers, at, struct.unpack_from("<d", numbers, at)[0] + 1e-4)
    changed = write("changed.html", text.replace(weights, base64.b64encode(numbers).decode()))
    tab.open(changed)
    found = compare(tab, "changed", expected)
    check(max(found.values()) > TOLERANCE, "a changed weight was not noticed")


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
        lines = run(PROGRAM, "sample", checkpoint, "--num", "12").splitlines()
        theirs = [line.split(":", 1)[1].strip() for line in lines if line.startswith("sample")]
        ours = tab.evaluate("[...byId('history-names').children].map(each => each.textContent)")
        check(ours == theirs, f"step {step}: the page generates {ours}, the program {theirs}")
    use.use_history(tab, page)
    last = os.path.join(kept, "step_000060.safetensors")
    run(PROGRAM, "inspect", kept, "--compare", last, "--html", page, "--data", data)
    use.use_history_of_two(tab, page)
    return worst


# --- Offline, and text stays text ---------------------------------------------------------------------------------

def check_offline(tab, name, page, names):
    """No address of a host: not in the page, apart from what the names say, and none was asked for."""
    text = read(page)
    page_alone = re.sub(r'(<script type="application/json" id="data">).*?(</script>)', r"\1\2", text, flags=re.S)
    check(re.search(r"[a-z]+:/" + "/", page_alone) is None, f"{name}: the page names an address")
    code = re.sub(r"(^|[\s>])//[^\n]*", "", page_alone)  # comments of the scripts
    check("/" + "/" not in code, f"{name}: the page has a // that is no comment")
    data = re.search(r'id="data">(.*?)</script>', text, re.S).group(1)
    check("<" not in data, f"{name}: the data has a <")
    for each in names:
        data = data.replace(json.dumps(each, ensure_ascii=False)[1:-1].replace("<", "\\u003c"), "")
    data = re.sub(r'"(weights|names|text)":("[^"]*"|\[[^\]]*\])', "", data)
    check("/" + "/" not in data, f"{name}: the data names an address")
    check("default-src 'none'" in text and "connect-src 'none'" in text, f"{name}: no policy against connections")
    asked = [url for url in tab.requests if not url.startswith(("file:", "data:", "about:"))]
    check(not asked, f"{name}: the page asked for {asked}")


def check_text_stays_text(tab, names):
    markup = "document.querySelectorAll('img, main script, main b b, iframe, object, link').length"
    check(tab.evaluate(markup) == 0, "text became markup")
    for each in names:
        tab.evaluate(f"(b => {{ b.value = {json.dumps(each)}; b.dispatchEvent(new Event('input')); showAll(); }})"
                     "(byId('text'))")
        check(tab.evaluate("state.text") == each, f"the page does not read {each!r}")
        check(tab.evaluate(markup) == 0, f"{each!r} became markup")
        cards = tab.evaluate("byId('read-cards').children.length")
        check(cards == min(len(each) + 1, 32), f"{each!r}: {cards} cards")


def main():
    begin = time.time()
    if browser.find() is None:
        raise SystemExit("no chromium; try: apt-get install chromium")
    os.makedirs(FOLDER, exist_ok=True)
    names = read("data/names.txt").split()[:200]
    models = {name: (options, names) for name, options in ATTENTION.items()}
    models["accented"] = ([], (ACCENTED * 13)[:200])
    models["hostile"] = (["--block-size", "32"], (HOSTILE * 20)[:200])
    made = {}
    worst = 0
    with browser.Browser() as tab, ThreadPoolExecutor(os.cpu_count()) as workers:
        making = {name: workers.submit(make_page, name, *how) for name, how in models.items()}
        for name, (options, documents) in models.items():
            model, page, expected = made[name] = making[name].result()
            tab.open(page)
            check(not tab.errors, f"{name}: the page logged {tab.errors}")
            worst = max(worst, check_equal(tab, name, expected))
            if name != "hostile":
                check_samples(tab, name, model)
            check_offline(tab, name, page, documents)
            if name in ("mha", "two_layers", "accented"):
                worst = max(worst, check_training(tab, name, options))
            print(f"{name}: {len(documents)} documents, equal", flush=True)
        tab.open(made["hostile"][1])
        check_text_stays_text(tab, HOSTILE)
        check_notices(tab, made["mha"][1], made["mha"][2])
        use.use(tab, made["mha"][1])
        worst = max(worst, check_history(tab, names))
        use.use_two(tab, make_page_of_two(made["mha"][0], made["mqa_local"][0]))
        keystroke, whole, steps, graph = use.measure_speed(tab, made["mha"][1])
    check(keystroke <= 16, f"a keystroke takes {keystroke:.1f} ms")
    check(steps >= 500, f"only {steps:.0f} training steps a second")
    check(graph <= 200, f"the graph of a name takes {graph:.0f} ms")
    size = os.path.getsize(made["mha"][1])
    check(size <= 400_000, f"the default model's page has {size} bytes")
    print(f"{len(models)} models: logits, weights, losses, silenced heads, forbidden cells, samples, training and "
          f"the scalar tape are equal; largest difference {worst:.1e}")
    print(f"a keystroke takes {keystroke:.1f} ms, the whole page {whole:.1f} ms, a graph {graph:.1f} ms; "
          f"{steps:.0f} training steps a second; {size / 1024:.0f} KiB; {time.time() - begin:.0f} s in all")


main()
