"""The inspector used as a reader uses it: typing, clicking, keys, links, in windows of any size."""
import json
import math
import re

from browser import check

TABS = ("picture", "read", "why", "look", "inside", "whatif", "graph", "words")


def loss_shown(tab):
    return float(re.search(r"loss (\d+\.\d+)", tab.text(".verdict")).group(1))


def type_text(tab, text):
    tab.evaluate("byId('text').focus(), byId('text').select()")
    tab.press("Backspace")
    tab.type(text)


def texts(tab, selector):
    return tab.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((each) => each.textContent)")


def numbers(lines):
    return [float(line.split()[0].replace("−", "-")) for line in lines]


def written_link(tab):
    """The page's address, when it holds the last change."""
    check(tab.until("location.hash === link()"), "the address is not that of the state")
    return tab.evaluate("location.hash")


# --- One section after the other --------------------------------------------------------------------------------------

def use_top(tab, page):
    tab.open(page)
    check(tab.text("h1") == "A tiny GPT that learned from 200 names to invent new ones. Type yours.",
          "the page does not say what it is")
    check(tab.until("byId('invented').children.length === 12"), "no new names are in view")
    check(texts(tab, "#invented li") == tab.evaluate("sample(page.model, { num: 12 })"), "the new names are others")
    type_text(tab, "olivia")
    check(tab.evaluate("state.text") == "olivia", "typing does not reach the page")
    check(abs(loss_shown(tab) - tab.evaluate("documentLoss(page.model, 'olivia')")) < 6e-4, "the loss shown is another")
    tokens = tab.evaluate("page.model.bos + 1")
    check(f"(0 = certain, {math.log(tokens):.1f} = guessing, above = worse)" in tab.text("#verdict"), "no scale")
    tab.type("7")
    check("“7”" in tab.text("#message") and tab.evaluate("state.text") == "olivia", "an unknown letter is not named")
    type_text(tab, "7")
    check("Still reading" in tab.text("#message"), "what cannot be read takes the place of what can")
    type_text(tab, " Em!m?A ")
    check(tab.text("#message") == "Read as “emma”: spaces are left out; capitals become small letters; the model does "
          "not know “!”, “?”." and tab.evaluate("state.text") == "emma", "what a person types is not read")
    type_text(tab, 20 * "a")
    check("there is room for 15 of 20 letters" in tab.text("#message"), "a long text is not told of")
    type_text(tab, "")
    check(tab.evaluate("shown.tokens.length") == 1, "nothing is not read")
    type_text(tab, "olivia")
    check(tab.text("#message") == "", "the message stays")


def use_picture(tab, page):
    """One letter at a time; a shade for every number; and a box opens, or leads to its section."""
    tab.open(page, "#text=olivia&at=5")
    check(tab.evaluate("[...document.querySelectorAll('#picture-flow .shades')].map((each) => each.children.length)") ==
          [16, 4, 4, 4, 4, 16, 64, 16], "the picture lacks numbers")
    tab.click("#picture-next")
    check(tab.evaluate("shown.at") == 6 and "position 6" in tab.text("#picture-flow"), "the letter does not move on")
    tab.click("#picture-next")
    check(tab.evaluate("shown.at") == 0, "after the last letter the first does not come")
    tab.evaluate("change({ at: 3, off: new Set(['0:1:off']) })")
    share = tab.evaluate("percent(Math.max(...shown.now.layers[0][3].attn_weights[0]))")
    boxes = tab.text("#picture-flow")
    check(f"{share} at " in boxes and "switched off" in boxes, "a box does not say how much its head looks")
    tab.click("#undo")
    tab.click('#picture-flow [data-key="flow 0 heads"]')
    lists = [numbers(texts(tab, f"#picture-box .stream:nth-of-type({n}) span")) for n in (1, 2, 3)]
    check(all(abs(a + b - c) < 0.02 for a, b, c in zip(*lists)), f"the numbers do not add up: {lists}")
    tab.click('#picture-flow [data-key="flow 0 mlp"]')
    check(texts(tab, "#picture-box .chance") == texts(tab, '[data-key="flow next"] .chance'), "it ends elsewhere")
    tab.click('#picture-flow [data-key="flow 0 mlp"]')
    check(tab.evaluate("byId('picture-box').hidden"), "a box does not close")
    tab.evaluate("document.querySelector('#picture-flow button').focus()")
    for key in 3 * ["ArrowRight"] + ["Enter"]:
        tab.press(key)
    check(tab.evaluate("[state.tab, state.head, document.activeElement.id]") == ["inside", 1, "inside"],
          "a box does not lead to its section")
    tab.evaluate("void setTimeout(() => history.back())")
    check(tab.until("state.tab === 'picture'"), "Back does not return to the picture")


def use_read_and_why(tab, page):
    """The parts of a logit: of the letter that comes, of another, and without a part."""
    tab.open(page, "#text=olivia&tab=read")
    tab.click("#read-cards > :nth-child(5)")
    check(tab.evaluate("shown.at") == 4, "a click on a card does not pick its letter")
    tab.press("ArrowLeft")
    check(tab.evaluate("[shown.at, document.activeElement.dataset.key].join()") == "3,card 3", "arrows pick no letter")
    tab.click("#sections [data-tab=why]")
    check(tab.until("!byId('why-parts').textContent.includes('…')"), "no losses without the parts appear")
    adds = numbers(texts(tab, "#why-parts td:nth-child(3)"))
    losses = numbers(texts(tab, "#why-parts td:nth-child(4)"))
    check(len(adds) == 7 and abs(sum(adds[:-1]) - adds[-1]) < 0.005, f"the parts do not add up: {adds}")
    check(abs(losses[-1] - tab.evaluate("shown.now.losses[3]")) < 6e-4, "the loss is that of another letter")
    tab.click("#why-letters > :not([aria-checked='true'])")
    check(numbers(texts(tab, "#why-parts .total td:nth-child(3)")) != adds[-1:], "another letter has the same logit")
    tab.click('#why-parts [data-key="part 0:mlp"]')
    tab.click('#switches [data-key="switch 0:mlp off"]')
    check(abs(losses[5] - tab.evaluate("shown.now.losses[3]")) < 6e-4, "without the MLP the loss is another")
    tab.evaluate("change({ at: 0, tab: 'why', off: new Set() })")
    tokens = tab.evaluate("page.model.bos + 1")
    check(tab.until(f"byId('without-0').textContent === '{math.log(tokens):.3f} (guessing)'"), "guessing has no name")


def use_look_and_inside(tab, page):
    tab.open(page, "#text=olivia&tab=look")
    tab.evaluate("document.querySelector('#look .term').focus()")
    tip = "[document.activeElement.dataset.entry, getComputedStyle(document.activeElement, '::after').content]"
    entry, content = tab.evaluate(tip)
    check(entry.startswith("Head (08): attention with one slice") and content != "none", f"a word says {entry}")
    check(set(texts(tab, "#gallery .answer button")) == {"Guess, then show"}, "an answer is given away")
    tab.click('#gallery [data-key="answer 0:2"]')
    check(tab.evaluate("document.querySelectorAll('.masses').length") == 1, "no answer appears")
    measured = tab.evaluate("places.map(([field]) => percent(shown.about.heads[2][field].value))")
    check(texts(tab, ".masses .chance > :last-child") == measured, "it is another head's")
    tab.click("#gallery figure:nth-child(2) .map")
    check(tab.evaluate("[state.tab, state.head].join()") == "inside,1", "a map does not lead to its numbers")
    tab.click('#pick-head [data-key="choice 0:2"]')
    rows = numbers(texts(tab, "#strongest tbody td:nth-child(2)"))
    check(rows == tab.evaluate("(({ weights, seen }) => strongest(weights, seen, 5))(headFacts(shown))"), "others look")


def use_whatif(tab, page):
    tab.open(page, "#text=olivia&tab=whatif&head=2")
    before = loss_shown(tab)
    tab.click('#switches [data-key="switch 0:1 off"]')
    check(loss_shown(tab) != before, "a head cannot be switched off")
    tab.click('#switches [data-key="switch 0:3 mean"]')
    mean = "String(at.head_out[3]) === String(shown.about.means['0:3'])"
    check(tab.evaluate(f"shown.now.layers[0].every((at) => {mean})"), "a head does not say its mean")
    tab.click('#forbid [data-key="cell 3 1"]')
    weights = tab.evaluate("shown.now.layers[0][3].attn_weights.map((each) => each[1])")
    check([x == 0 for x in weights] == [False, False, True, False], "a cell cannot be forbidden, or in others, too")
    tab.press("ArrowRight")
    tab.press("Enter")
    check(tab.evaluate("state.forbidden.has('0:2:3:2')"), "the keyboard cannot forbid a cell")
    changed = loss_shown(tab)
    link = written_link(tab)
    tab.click("#undo")
    check(abs(loss_shown(tab) - before) < 1e-9, "undoing the changes does not undo them")
    written_link(tab)
    tab.evaluate(f"location.hash = {json.dumps(link)}")
    check(tab.until("state.off.size === 2") and abs(loss_shown(tab) - changed) < 1e-9, "a link is not followed")
    tab.click("#undo")
    tab.evaluate("byId('sampling').requestSubmit()")
    check(len(texts(tab, "#sampled li")) == 20, "no names are generated")
    tab.evaluate("byId('seed').value = 'x', byId('sampling').requestSubmit()")
    check("“x” is not a whole number" in tab.text("#sampling-message"), "a seed that is none is not named")
    tab.evaluate("byId('temperature').focus()")
    tab.press("ArrowRight")
    check(tab.evaluate("state.temperature") == 1.05 and "with your changes" in tab.text("#verdict"), "no temperature")


def use_graph(tab, page):
    """From the loss to a parameter, and why its gradient is what it is."""
    tab.open(page, "#text=olivia&tab=graph&at=2")
    check(tab.text("#graph-node h3") == "loss of i", "it does not begin at the letter")
    steps = 0
    while tab.evaluate("!byId('graph-down').disabled"):
        tab.click("#graph-down")
        steps += 1
    check(steps > 3 and "Computed anew" in tab.text("#graph-node"), "steps down do not lead to a parameter")
    tab.click("#graph-up")
    check(tab.evaluate("state.node >= 0"), "there is no step up")
    tab.evaluate("goToNode(-1 - (page.model.w['layer0.attn_wq'].at + 2 * 16 + 3))")
    check(tab.text("#graph-node h3") == "layer0.attn_wq[2][3]", "a parameter has another name")
    check("to the last bit" in tab.text("#graph-node .total"), "the contributions are not the gradient")
    check(tab.evaluate("document.querySelectorAll('#graph-node tbody button').length === shown.tokens.length"),
          "a parent is missing")
    link = written_link(tab)
    tab.click("#graph-node tbody button")
    check(tab.text("#graph-node h3") == "q[head 0][2]", "a parent in the table does not lead up")
    tab.click("#graph-drawing > :last-child .node, #graph-drawing .node:last-child")
    check(tab.evaluate("document.activeElement.matches('.current')"), "a box that is chosen has no focus")
    tab.open(page, link)
    check(tab.text("#graph-node h3") == "layer0.attn_wq[2][3]", f"{link} leads elsewhere")
    tab.open(page, "#text=olivia&tab=graph&node=999999")
    check(tab.text("#graph-node h3").startswith("loss of"), "a node that is none is shown")


SETTINGS = {"text": "olivia", "tab": "whatif", "layer": 0, "head": 2, "at": 4, "box": "0:mlp", "letter": "o",
            "temperature": 1.5, "node": -7}
LISTS = {"off": ["0:1:off", "0:3:mean"], "forbidden": ["0:2:3:1"], "open": ["0:0"]}
DAMAGED = ("#%", "#&=&", "#text=%E0%A4%&layer", "#tab=nowhere&layer=-1&head=x&at=1e9&node=x",
           "#temperature=NaN&off=0:1:gone+9:9:off+:::+__proto__&forbidden=1:2+a:b:c:d+9:0:3:1&open=<b>",
           "#text=" + 100_000 * "x")


def settings(tab):
    return tab.evaluate(f"[{json.dumps([*SETTINGS])}.map((key) => state[key]), {json.dumps([*LISTS])}.map((key) =>"
                        " [...state[key]])]")


def use_links(tab, page):
    """A link brings back everything that was set; one that is damaged brings back what it can, without an error."""
    tab.open(page)
    lists = ", ".join(f"{key}: new Set({json.dumps(each)})" for key, each in LISTS.items())
    tab.evaluate(f"change({{ ...{json.dumps(SETTINGS)}, {lists} }}), change({{ letter: 'o', node: -7 }})")
    link = written_link(tab)
    changed = loss_shown(tab)
    tab.open(page, link)
    check(settings(tab) == [[*SETTINGS.values()], [*LISTS.values()]], f"{link} brings back {settings(tab)}")
    check(abs(loss_shown(tab) - changed) < 1e-9, "a link does not open the state that it was made from")
    for damaged in DAMAGED:
        tab.open(page, damaged)
        check(settings(tab)[1] == [[], [], []] and tab.evaluate("!shown.isChanged"), f"{damaged[:80]} changes it")
        check(tab.evaluate("state.tab === 'picture' && byId('picture-flow').children.length > 0"), f"{damaged[:80]}")
        check(not tab.errors, f"{damaged[:80]}: the page logged {tab.errors}")
    tab.open(page, "#text=Emma")
    check(tab.evaluate("state.text") == "emma" and "“emma”" in tab.text("#message"), "a link with capitals is not read")


# --- Every section alike ----------------------------------------------------------------------------------------------

def check_words(tab):
    """A section explains the words of the field that it uses."""
    unexplained = tab.evaluate("""(() => {
      const words = ["attention", "head", "layer", "logit", "loss", "MLP", "entropy", "even share", "gradient",
        "local gradient", "softmax", "residual stream", "score", "weight", "query", "temperature", "tape"];
      const uses = (text, word) =>
        RegExp(`(?<![\\\\p{L}_])${word.replace(/s$/, "")}(e?s)?(?![\\\\p{L}_])`, "iu").test(text);
      // Names may look like words, and "rotary positions" are explained as such.
      const hidden = document.createElement("style");
      hidden.textContent = "bdi, bdo, .term, details { display: none }";
      document.head.append(hidden);
      const found = [...document.querySelectorAll(".bar-row, main > section:not(#words, [hidden])")].flatMap((part) => {
        const explained = [...part.querySelectorAll(".term")].map((each) => each.getAttribute("aria-describedby"));
        const isExplained = (word) => explained.includes(meanings.get(word.toLowerCase()));
        return words.filter((word) => uses(part.innerText, word) && !isExplained(word))
          .map((word) => `${word} in ${part.id || part.className}`);
      });
      hidden.remove();
      const isLacking = (each) => !byId(each.getAttribute("aria-describedby"));
      const lacking = [...document.querySelectorAll(".term")].filter(isLacking);
      return [...found, ...lacking.map((each) => `${each.textContent}, which has no meaning`)];
    })()""")
    check(unexplained == [], f"words of the field that are not explained: {unexplained}")


STOPS = """[...document.querySelectorAll("a, button, input, summary, .term, .scroll")]
  .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.disabled)"""
GROUPS = "[...document.querySelectorAll('[role=radiogroup]')].filter((each) => each.checkVisibility())"


def use_keyboard(tab, page):
    """In every section Tab reaches all that can be pressed, what is pressed keeps the focus, and arrows choose."""
    for name in TABS:
        tab.open(page, f"#text=olivia&tab={name}&temperature=1.5")
        check_words(tab)
        tab.evaluate(f"{STOPS}.forEach((each, i) => each.dataset.stop = i), window.reached = new Set()")
        for _ in range(tab.evaluate(f"{STOPS}.length") + 3):
            tab.press("Tab")
            tab.evaluate("void reached.add(document.activeElement.dataset.stop)")
        missed = tab.evaluate(f"{STOPS}.filter(({{ dataset }}) => !reached.has(dataset.stop)).map((e) => e.outerHTML)")
        check(missed == [], f"{name}: the Tab key does not reach {missed}")
        for i in range(tab.evaluate(f"{GROUPS}.length")):
            chosen = "document.activeElement.ariaChecked === 'true' && document.activeElement.dataset.key"
            tab.evaluate(f"{GROUPS}[{i}].querySelector('[tabindex=\"0\"]').focus()")
            first = tab.evaluate(chosen)
            tab.press("ArrowRight")
            second = tab.evaluate(chosen)
            check(second not in (False, None, first), f"{name}: the arrow keys lead from {first} to {second}")
            tab.press("ArrowLeft")
            check(tab.evaluate(chosen) == first, f"{name}: the arrow keys do not lead back to {first}")
        for selector in (".cover", "#picture-next", "#graph-down", "[data-key^=flow]", "#undo"):
            if tab.evaluate(f"Boolean(document.querySelector('{selector}')?.checkVisibility())"):
                tab.evaluate(f"document.querySelector('{selector}').focus()")
                tab.press("Enter")
                check(tab.evaluate("document.activeElement !== document.body"), f"{selector} loses the focus")


SIZES = ((320, 640), (390, 844), (844, 390), (1024, 800), (1920, 1080))
# Labels of drawings that are smaller than 10 pixels, and things that a finger presses often and misses.
SMALL = """[...document.querySelectorAll("svg text")].filter((each) => each.checkVisibility() &&
  parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a < 9.99).map((each) => each.textContent)"""
HARD_TO_HIT = """[...document.querySelectorAll(".choices button, nav a, button:not(.link, .cells *), #text")]
  .filter((each) => each.checkVisibility() && each.offsetHeight < 44).map((each) => each.textContent)"""


def check_layout(tab, page):
    """Room for all on a phone as on a wide screen, and for all readers."""
    for width, height in SIZES:
        tab.resize(width, height)
        for name in TABS:
            where = f"{page}, {name}, {width} x {height}"
            tab.open(page, f"#tab={name}&box=embedding&open=0:0&off=0:1:off")
            check(tab.evaluate("document.documentElement.scrollWidth") <= width, f"{where}: the page is wider")
            check(tab.evaluate(SMALL) == [], f"{where}: labels smaller than 10 pixels: {tab.evaluate(SMALL)}")
            if width < 600:
                check(tab.evaluate(HARD_TO_HIT) == [], f"{where}: hard to hit: {tab.evaluate(HARD_TO_HIT)}")
            if height > 600:
                high = tab.evaluate("document.querySelector('.bar').offsetHeight / innerHeight")
                check(high <= 0.2, f"{where}: the bar takes {high}")
    tab.resize(1024, 800)
    tab.prefer(contrast=True)
    for name, what in (("picture", ".shades i"), ("read", ".chance .track, .chance .fill"), ("inside", ".stream span"),
                       ("whatif", ".cells button"), ("whatif", ".choices button")):
        tab.evaluate(f"change({{ tab: '{name}' }})")
        all = f"[...document.querySelectorAll('#{name} :is({what})')]"
        count = tab.evaluate(f"new Set({all}.map((each) => getComputedStyle(each).backgroundColor)).size")
        check(count > 1, f"with a contrast theme, {what} are all alike")
    tab.prefer()
    check(not tab.errors, f"{page} logged {tab.errors}")


def use_task(tab, page):
    """The page of a task opens where the answer is; a text that ends in "=" is answered by the model."""
    tab.open(page)
    word = re.fullmatch(r"A tiny GPT that learned from 10,000 texts such as “([a-h]{6})=\1”. Type one up to its “=”.",
                        tab.text("h1"))[1]
    check(tab.evaluate("shown.now.probs[shown.at][shown.targets[shown.at]] > 0.9"), "it opens where nothing is known")
    type_text(tab, word + "=")
    check(tab.text("#message") == f"Read as “{word}={word}”: with the model’s own answer.", "the answer is not read on")


def use(tab, page):
    for part in (use_top, use_picture, use_read_and_why, use_look_and_inside, use_whatif, use_graph, use_links,
                 use_keyboard):
        part(tab, page)
        check(not tab.errors, f"{part.__name__}: the page logged {tab.errors}")
