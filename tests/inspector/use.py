"""The inspector used as a reader uses it: typing, clicking, arrow keys, switches, links."""
import json
import math
import os
import re

from claim import check


def loss_shown(tab):
    return float(re.search(r"loss (\d+\.\d+)", tab.text(".verdict")).group(1))


def type_name(tab, text):
    tab.evaluate("byId('text').focus(), byId('text').select()")
    tab.press("Backspace")
    tab.type(text)


def use_reading(tab):
    type_name(tab, "olivia")
    check(tab.evaluate("state.text") == "olivia", "typing does not reach the page")
    loss = tab.evaluate("documentLoss(state.models[0].model, 'olivia')")
    check(abs(loss_shown(tab) - loss) < 6e-4, "the loss shown is another")
    tab.type("7")
    check("“7”" in tab.text("#message") and tab.evaluate("state.text") == "olivia", "an unknown letter is not named")
    tab.press("Backspace")
    check(tab.text("#message") == "", "the message stays")
    type_name(tab, " Em!m?A ")
    check(tab.text("#message") == "Read as “emma”: spaces are left out; capitals become small letters; the model does "
          "not know “!”, “?”." and tab.evaluate("state.text") == "emma", "what a person types is not read")
    type_name(tab, "")
    check(tab.text("#verdict").startswith("Type a name. loss "), "without a name the page does not ask for one")
    type_name(tab, 20 * "a")
    check("there is room for 15 of 20 letters" in tab.text("#message"), "a long name is not told of")
    tab.evaluate("showAll()")
    check("--text aaaaaaaaaaaaaaa --at" in tab.text("#why-command"), "the command's text does not fit the block")
    type_name(tab, "olivia")
    tab.evaluate("showAll()")  # so that nothing moves later
    tab.click("#read-cards > :nth-child(5)")
    check(tab.evaluate("state.at") == 4, "a click on a card does not pick its letter")
    tab.press("ArrowLeft")
    check(tab.evaluate("state.at") == 3 and tab.evaluate("document.activeElement.dataset.key") == "card 3",
          "the arrow keys do not move between letters")


def use_picture(tab):
    """One letter at a time; a shade for every number; and a box leads to its section."""
    tab.click("#picture-play")
    check(tab.until("state.at === 5") and tab.text("#picture-play") == "Stop", "it does not read on by itself")
    tab.click("#picture-play")
    check(tab.text("#picture-play") == "Watch it read", "it does not stop")
    tab.evaluate("change({ at: 5 })")
    check(tab.evaluate("[...document.querySelectorAll('#picture-flow .shades')].map((each) => each.children.length)") ==
          [16, 4, 4, 4, 4, 16, 64, 16], "the picture lacks numbers")
    tab.click("#picture-next")
    check(tab.evaluate("state.at") == 6 and "position 6" in tab.text("#picture-flow"), "the letter does not move on")
    tab.click("#picture-next")
    check(tab.evaluate("state.at") == 0, "after the last letter the first does not come")
    tab.evaluate("change({ at: 3, off: new Map([['0:1', 'off']]) })")
    boxes = tab.text("#picture-flow")
    share = tab.evaluate("percent(Math.max(...state.shown.now.weights[0][0][3]))")
    check(f"{share} at " in boxes and "switched off" in boxes, "a box does not say how much its head looks")
    tab.click("#undo")
    tab.click('#picture-flow [data-key="flow 0 heads"]')
    in_sight = "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(byId('picture-box').getBoundingClientRect())"
    check(tab.until(in_sight), "what opens is not in sight")
    lists = tab.evaluate("[...document.querySelectorAll('#picture-box .stream')].map((list) => [...list.children]"
                         ".map((each) => Number(each.textContent.replace('−', '-'))))")
    check(len(lists) == 3 and all(abs(a + b - c) < 0.02 for a, b, c in zip(*lists)),
          f"the numbers do not add up: {lists}")
    tab.click('#picture-flow [data-key="flow 0 mlp"]')
    said = tab.evaluate("[...document.querySelectorAll('#picture-box .chance')].map((each) => each.textContent)")
    says = tab.evaluate("[...document.querySelectorAll('[data-key=\"flow next\"] .chance')].map((e) => e.textContent)")
    check(said == says, f"the stream ends in {says}, not in {said}")
    tab.click('#picture-flow [data-key="flow 0 mlp"]')
    check(tab.evaluate("state.box === '' && byId('picture-box').hidden"), "a box does not close")
    tab.click('#picture-flow [data-key="flow 0:3"]')
    check(tab.evaluate("[state.tab, state.head]") == ["inside", 3], "a box does not lead to its section")


def shown_cells(tab):
    """How many numbers the list at work and the boxes of the picture show, and the number that its line ends in."""
    made = "[...document.querySelectorAll('%s')].filter((each) => !each.matches('.to-come')).length"
    number = float(tab.text("#cells-line").split(" = ")[-1].replace("−", "-"))
    return *(tab.evaluate(made % place) for place in ("#cells-grid b ~ i", "#picture-flow .shades i")), number


def use_cells(tab):
    """Number by number, from the letter to the next: by button, slider, mouse, and by itself if the reader wants."""
    tab.evaluate("change({ at: 3 })")
    tab.click("#picture-cells")
    check(tab.text("#cells-title") == "stream: letter and position, embedded" and shown_cells(tab)[:2] == (1, 0),
          "it does not begin")
    tab.click("#cells-next")
    check(shown_cells(tab)[0] == 2, "the next number does not come")
    tab.click("#cells-back")
    check(shown_cells(tab)[0] == 1, "the number before does not come back")
    for list, title in enumerate(("stream: the new stream, x", "head 0: the stream rescaled, x_norm",
                                  "head 0: query, q", "head 0: key, k", "head 0: value, v", "head 0: scores, attn_logits",
                                  "head 0: weights, attn_weights", "head 0: what it passes on, head_out"), 1):
        tab.evaluate("byId('cells-list').focus()")
        tab.press("ArrowDown")
        named = tab.evaluate("byId('cells-list').selectedOptions[0].textContent")
        check([tab.text("#cells-title"), named] == [title, title], f"after {list} arrow keys comes {named}")
        check_words(tab)
    tab.click("#cells-next")
    output = tab.evaluate("state.shown.now.layers[0][3].head_out[0][1]")
    made, in_boxes, number = shown_cells(tab)
    check(abs(number - output) < 6e-4 and in_boxes == 16 + 2, f"not {output}: {tab.text('#cells-line')}, {in_boxes}")
    tab.click("#cells-grid > i:nth-last-of-type(1)")
    check(tab.evaluate("state.cell") == 3, "the mouse picks no number")
    link = written_link(tab)
    check("list=8&cell=3" in link, f"{link} does not hold the number")
    tab.evaluate("byId('cells-list').focus()")
    for key in ("End", "Home", "End"):
        tab.press(key)
    tab.click("#cells-grid > i:nth-last-of-type(1)")
    check("head 0" in tab.text("#picture-flow") and shown_cells(tab)[1] == 16 + 4 * 4 + 16 + 64 + 16, "a box is not full")
    still = "matchMedia('(prefers-reduced-motion)').matches"
    check(tab.evaluate(f"getComputedStyle(byId('cells-play')).display === 'none' === {still}"),
          "it can move where nothing should, or nowhere")
    tab.evaluate("byId('cells-play').click()")
    check(tab.until("state.at === 4 && state.list === 1") and tab.text("#cells-play") == "Stop", "it does not go on")
    tab.evaluate("byId('cells-play').click()")
    tab.evaluate("change({ off: new Map([['0:1', 'off']]), temperature: 2 }), goToCell(14, 0)")
    check("switched off" in tab.text("#cells-rule") and shown_cells(tab)[2] == 0, "what is switched off is computed")
    tab.evaluate("change({ off: new Map(), temperature: 1 })")
    tab.click("#cells-close")
    check(tab.evaluate("byId('cells').hidden && document.activeElement.id === 'picture-cells'") and
          "list=" not in written_link(tab), "it does not end")
    tab.click('#picture-flow [data-key="flow 0:mlp"]')
    tab.click("#picture-box button")
    check(tab.text("#cells-title") == "MLP: the stream rescaled, x_norm" and tab.evaluate("byId('picture-box').hidden"),
          "a box does not lead to its numbers, or stays")
    tab.click('#picture-flow [data-key="flow 0:mlp"]')
    check(tab.evaluate("byId('cells').hidden && !byId('picture-box').hidden"), "a box opens beside single numbers")
    tab.evaluate("change({ list: -1, box: '' })")


def use_why(tab):
    """The parts of a logit: of the letter that comes, of another, and without a part."""
    tab.click("#read-cards > :nth-child(4)")
    tab.evaluate("showAll()")
    row = "[...document.querySelectorAll('#why-parts tr')].map((row) => [...row.children].map((e) => e.textContent))"
    check(tab.until("!byId('why-parts').textContent.includes('…')"), "no losses without the parts appear")
    *parts, logit = tab.evaluate(row)[1:]
    numbers = [[float(x.split()[0].replace("−", "-")) for x in each[2:]] for each in (*parts, logit)]
    check(len(parts) == 6 and abs(sum(adds for adds, _ in numbers[:-1]) - numbers[-1][0]) < 0.005,
          f"the parts do not add up: {numbers}")
    losses = tab.evaluate("state.shown.now.losses")
    check(abs(numbers[-1][1] - losses[3]) < 6e-4, "the loss is that of another letter")
    tab.click("#why-letters > :not([aria-checked='true'])")
    check(tab.evaluate("state.letter !== '' && document.activeElement.ariaChecked === 'true'"), "no letter is picked")
    check(tab.evaluate(row)[-1] != logit, "another letter has the same logit")
    tab.click('#why-parts [data-key="part 0:mlp"]')
    check(tab.evaluate("state.tab") == "whatif", "an MLP does not lead to its switch")
    tab.click('#switches [data-key="switch 0:mlp off"]')
    without = tab.evaluate("state.shown.now.losses[3]")
    check(abs(numbers[5][1] - without) < 6e-4, "the loss without the MLP is another when it is switched off")
    tab.click("#undo")
    tab.click('#why-parts [data-key="part 0:1"]')
    check(tab.evaluate("[state.tab, state.head]") == ["inside", 1], "a head does not lead to its numbers")


def use_heads(tab):
    tab.click('#gallery [data-key="answer 0:2"]')
    check(tab.evaluate("document.querySelectorAll('.masses').length") == 1, "no answer appears")
    tab.click('#pick-head [data-key="choice 0:2"]')
    check(tab.evaluate("state.head") == 2, "a head cannot be picked")
    rows = tab.evaluate("[...document.querySelectorAll('#strongest tbody tr')]"
                        ".map(row => Number(row.children[1].textContent))")
    order = tab.evaluate("(w => strongest(w, [...w.keys()], 5))(state.shown.now.weights[0][2][state.at])")
    check(rows == order, "the strongest keys are others")
    check("--head 2 --at 3" in tab.text("#command"), "the command in the terminal is another")


def written_link(tab):
    """The page's address, when it holds the last change."""
    check(tab.until("location.hash === link()"), "the address is not that of the state")
    return tab.evaluate("location.hash")


def use_words(tab):
    tab.evaluate("document.querySelector('#look .term').focus()")
    check(not tab.evaluate("byId('tip').hidden") and tab.text("#tip").startswith("A part of a layer"),
          "no word is explained")
    tab.press("Escape")
    check(tab.evaluate("byId('tip').hidden"), "Escape does not hide an explanation")
    lacking = tab.evaluate("[...document.querySelectorAll('.term')].map(e => [e.textContent, e.getAttribute("
                           "'aria-describedby')]).filter(([, id]) => !byId(id)).map(([word]) => word)")
    check(lacking == [], f"words without a meaning: {lacking}")
    check(tab.evaluate("getComputedStyle(document.querySelector('.term')).textDecorationStyle") == "dotted",
          "words with a meaning are not marked")


def check_words(tab):
    """Each part of the page explains every word of the field that it uses, as it is shown now."""
    unexplained = tab.evaluate("""(() => {
      showAll();
      const words = [...document.querySelectorAll("dt")].map((each) => each.textContent);
      const uses = (text, word) =>
        RegExp(`(?<![\\\\p{L}_])${word.replace(/s$/, "")}(e?s)?(?![\\\\p{L}_])`, "iu").test(text);
      // Names may look like words, "rotary positions" are explained as such, and what can be chosen where it leads.
      const hidden = document.createElement("style");
      hidden.textContent = "bdi, code, .term, select { display: none }";
      document.head.append(hidden);
      const parts = document.querySelectorAll(".top, .bar, main > section:not(#words, [hidden])");
      const found = [...parts].flatMap((part) => {
        const explained = [...part.querySelectorAll(".term")].map((each) => each.getAttribute("aria-describedby"));
        return words.filter((word) => uses(part.innerText, word) && !explained.includes(meaningId(word)))
          .map((word) => `${word} in ${part.id || part.className}`);
      });
      hidden.remove();
      return found;
    })()""")
    check(unexplained == [], f"words of the field that are not explained: {unexplained}")


# What a key does to the control that has the focus is seen in the page: in its words, its values, its place.
KEYBOARD = """
  // All of a group, or of the table of a node, have one name: the one that Tab reaches is tried.
  window.nameOf = (each) => [each.closest("section, header, nav, .bar")?.id, each.tagName,
    ...[each.closest("[role=radiogroup], .cells, #graph-node .scroll") ?? each].map((one) =>
      one.id || one.dataset.key || one.ariaLabel || one.textContent)].join(" ");
  window.stops = () => [...document.querySelectorAll(
    "a, button, input, select, summary, .term, .scroll, [role=treeitem]")]
    .filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !each.disabled);
  window.reached = new Set([nameOf(byId("learn-save"))]);  // a download takes the focus from Firefox's window
  window.seen = () => JSON.stringify([link(), scrollY, document.body.innerText, nameOf(document.activeElement),
    [...document.querySelectorAll("input, select")].map(({ value }) => value),
    [...document.querySelectorAll(".scroll")].map(({ scrollLeft }) => scrollLeft)]);
  window.rested = async () => {
    for (let before = null, i = 0; i < 30 && before !== seen(); i++) {
      before = seen();
      await new Promise((done) => setTimeout(done, 80));
    }
    window.before = seen();
  };
  // The key that should do something; null if there is none, or the control was tried.
  window.keyToTry = () => {
    const here = document.activeElement;
    window.tried = nameOf(here);
    window.words = here.textContent;
    if (here === document.body || reached.has(tried)) return null;
    reached.add(tried);
    if (here.matches(".term")) return byId("tip").hidden ? "none" : null;
    if (here.matches(".scroll")) return here.scrollWidth > here.clientWidth + 1 ? "ArrowRight" : null;
    if (here.matches(".cells button")) return "Enter";
    if (here.matches("[role=treeitem]")) return here.ariaExpanded === null ? "ArrowUp" : "ArrowDown"; // from a leaf
    if (here.matches("[role=radio]:only-child")) return null;
    if (here.matches("[type=range]")) return "ArrowLeft";
    if (here.matches("[role=radio], select")) return "ArrowDown";
    return here.matches("input") ? "1" : here.matches("button") ? " " : here.matches("a, summary") ? "Enter" : null;
  };
  window.goBack = () => stops().find((each) => nameOf(each) === tried)?.focus({ preventScroll: true });
"""


def use_keyboard(tab, page):
    """Tab reaches all that can be pressed. There a key does something, and the focus is not lost."""
    tab.open(page)
    tab.run(KEYBOARD)
    tab.evaluate("scrollTo(0, 0), document.querySelector('.skip').focus()")
    unreached = "stops().map(nameOf).filter((name) => !reached.has(name))"
    for i in range(600):  # more than once around: what a key brought is there the second time
        key = tab.evaluate("keyToTry()")
        if key is not None:
            try_key(tab, key)
        elif i % 20 == 0 and tab.evaluate(unreached) == []:
            break
        tab.press("Tab")
    check(tab.evaluate(unreached) == [], f"the Tab key does not reach {tab.evaluate(unreached)}")
    groups = tab.evaluate("""[...document.querySelectorAll("[role=radiogroup], .cells")]
      .filter((each) => each.checkVisibility() && each.childElementCount > 0)
      .map((each) => each.querySelectorAll("[tabindex='0'], button:not([tabindex])").length)""")
    check(all(n == 1 for n in groups), f"groups have {groups} buttons that Tab reaches")
    check(not tab.errors, f"keys: the page logged {tab.errors}")


def try_key(tab, key):
    name = tab.evaluate("window.tried")
    check(key != "none", f"no meaning appears when {name} has the focus")
    tab.evaluate("rested()")
    press = tab.type if key == "1" else tab.press
    press(key)
    check(tab.until("seen() !== before"), f"{key!r} at {name} does nothing")
    check(tab.evaluate("document.activeElement !== document.body"), f"{key!r} at {name} loses the focus")
    if tab.evaluate("document.activeElement.matches('button') && nameOf(document.activeElement) === tried &&"
                    " words !== document.activeElement.textContent && !document.activeElement.matches('[role=radio]')"):
        press(key)  # what it started, it ends
    tab.evaluate("goBack()")


TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def use_groups(tab):
    """In each group of buttons the arrow keys choose the next one, and it has the focus."""
    groups = """[...document.querySelectorAll("[role=radiogroup]")]
      .filter((each) => each.offsetParent && each.childElementCount > 1)"""
    for i in range(tab.evaluate(f"{groups}.length")):
        chosen = "document.activeElement.ariaChecked === 'true' && document.activeElement.dataset.key"
        tab.evaluate(f"{groups}[{i}].querySelector('[tabindex=\"0\"]').focus()")
        tab.evaluate(TWO_FRAMES)  # the graph is drawn when it comes near
        first = tab.evaluate(chosen)
        tab.press("ArrowRight")
        second = tab.evaluate(chosen)
        check(second not in (False, None, first), f"the arrow keys lead from {first} to {second}")
        tab.press("ArrowLeft")
        check(tab.evaluate(chosen) == first, f"the arrow keys do not lead back to {first}")


# Where the focus is, the key, and what must hold then.
CONTROLS = (("#picture-next", "Enter", "state.at === 4"), ("#reveal-all", " ", "state.open.size === 4"),
            ('[data-key="answer 0:2"]', "Enter", "state.open.size === 3"),
            ('[data-key="pick 0:3"]', "Enter", "state.tab === 'inside' && state.head === 3"),
            ('[data-key="part 0:2"]', "Enter", "state.tab === 'inside' && state.head === 2"),
            ("#temperature", "ArrowRight", "state.shown.isChanged"), ("#undo", "Enter", "state.temperature === 1"),
            ("#num", "Enter", "byId('sampled').children.length > 0"),
            ("#learn-step", "Enter", "state.learn.trainer.steps === 1"),
            ("#learn-reset", "Enter", "state.learn.trainer.steps === 0"),
            ("#learn-speed", "ArrowDown", "state.learnSpeed === Infinity"),
            ("#sections a:last-child", "Enter", "state.tab === 'words'"))


def use_controls(tab):
    """Each control by keyboard alone; none loses the focus."""
    tab.evaluate("resetLearning(), change({ at: 3, open: new Set() })")
    for selector, key, fact in CONTROLS:
        tab.evaluate(f"{tab.find(selector)}.focus()")
        tab.press(key)
        check(tab.until(fact), f"{key} at {selector} does nothing")
        check(tab.evaluate("document.activeElement !== document.body"), f"{key} at {selector} loses the focus")


def use_dragging(tab):
    """What a slider says counts, whatever is shown before the page follows."""
    tab.evaluate("byId('temperature').value = 2, byId('temperature').dispatchEvent(new Event('input')),"
                 " showWhatIf(state.shown)")
    check(tab.evaluate("state.temperature") == 2 and tab.until("state.shown.isChanged"), "a slider is shown too early")
    tab.evaluate("change({ temperature: 1 })")


def use_typing(tab):
    """A key that is typed in the bar leaves what is read where it is."""
    tab.evaluate("change({ tab: 'why' }, { scroll: true })")
    top = "byId('why').getBoundingClientRect().top"
    before = tab.evaluate(top)
    type_name(tab, "olivia")
    tab.evaluate(TWO_FRAMES)
    check(abs(tab.evaluate(top) - before) < 2, "a key in the bar scrolls the page")


def use_jumps(tab):
    """A door leads to its section, whose name is then in sight; Back leads to where the reader was."""
    tab.evaluate("change({ tab: 'picture' }), scrollTo(0, 100), document.querySelector('#picture-flow button').focus()")
    for key in 3 * ["ArrowRight"] + ["Enter"]:
        tab.press(key)
    check(tab.evaluate("[state.tab, state.head, document.activeElement.id]") == ["inside", 1, "inside"],
          "a box does not lead to its section")
    top, bar, name, end = tab.evaluate("""[byId("inside"), document.querySelector(".bar"),
      document.querySelector("#sections [aria-current]"), byId("sections")].map((each, i) =>
      each.getBoundingClientRect()[["top", "bottom", "right", "right"][i]])""")
    check(abs(top - bar) < 2 and name <= end, "the section, or its name, is not in sight after a jump")
    tab.evaluate("void setTimeout(() => history.back())")
    check(tab.until("state.tab === 'picture' && Math.abs(scrollY - 100) < 1 && document.activeElement.dataset.key === 'flow 0:1'"),
          "Back does not return to the box")


def use_maps(tab):
    """A click shows a value, and offers its numbers."""
    tab.click("#gallery .map")
    before = tab.evaluate("[state.tab, scrollY]")
    check(" looks at " in tab.text("#tip") and tab.evaluate("!byId('tip').hidden"), "a click in a map shows no value")
    tab.press("Escape")
    check(tab.evaluate("byId('tip').hidden && [state.tab, scrollY]") == before, "a click in a map jumps")
    tab.click("#gallery .map")
    tab.click("#tip button")
    check(tab.evaluate("state.tab") == "inside" and tab.evaluate("byId('tip').hidden"), "a map shows no numbers")


def use_changes(tab):
    before = loss_shown(tab)
    tab.click('#switches [data-key="switch 0:1 off"]')
    check(tab.evaluate("state.off.get('0:1')") == "off" and loss_shown(tab) != before, "a head cannot be switched off")
    tab.click('#switches [data-key="switch 0:3 mean"]')
    tab.click('#forbid [data-key="cell 3 1"]')
    check(tab.evaluate("state.forbidden.has('0:2:3:1') && state.shown.now.weights[0][2][3][1] === 0"),
          "a cell cannot be forbidden")
    tab.press("ArrowRight")
    tab.press("Enter")
    check(tab.evaluate("state.forbidden.has('0:2:3:2')"), "the keyboard cannot forbid a cell")
    changed = loss_shown(tab)
    link = written_link(tab)
    tab.click("#undo")
    check(abs(loss_shown(tab) - before) < 1e-9, "undoing the changes does not undo them")
    written_link(tab)
    tab.evaluate(f"location.hash = {json.dumps(link)}")
    check(tab.until("state.off.size === 2"), "a link is not followed")
    check(abs(loss_shown(tab) - changed) < 1e-9, "the link does not bring the state back")
    tab.click("#undo")
    tab.evaluate("Object.assign(state, { prompt: 'Ma' }), generateNames()")
    check(tab.text("#sampling-message").startswith("They begin with “ma”"), "a prompt with capitals is not helped")
    check(tab.evaluate("[...byId('sampled').children].every((each) => each.textContent.startsWith('ma'))"),
          "the names do not begin with the prompt")
    tab.evaluate("state.prompt = '', byId('num').focus(), byId('num').select()")
    tab.type("7")
    tab.evaluate("byId('sampling').requestSubmit()")
    check(tab.evaluate("byId('sampled').children.length") == 7, "no names are generated, or not so many")


def use_labels(tab):
    """What numbers mean stands beside them."""
    tokens = len(tab.evaluate("state.shown.model.characters")) + 1
    check(f"(0 = certain, {math.log(tokens):.1f} = guessing, above = worse)" in tab.text("#verdict"),
          "the loss has no scale")
    check(tab.evaluate("[lossChange(0.8896, 0.8894).textContent, lossChange(0.8899, 0.8902)]") ==
          ["−0.001", "no change"], "a difference is not that of the losses shown")
    check("reads 4 of its names" in tab.text("#means-step"), "a step is said to read another number of names")
    check(f"among\n        {tokens} tokens" in tab.text("#means-loss"), "the loss has another scale")
    tab.evaluate("change({ at: 0 })")
    check(tab.until(f"byId('without-0').textContent === '{math.log(tokens):.3f} (guessing)'"),
          "what is left without a letter is not called guessing")
    tab.evaluate("change({ at: 3, maps: 'mean' })")
    check(tab.text("#gallery .axes").startswith("position that is looked at"), "the axes of a mean map have no names")
    guesses = tab.evaluate("[...document.querySelectorAll('#gallery .answer button')].map((e) => e.textContent)")
    check(set(guesses) <= {"Guess, then show", "Hide"}, f"a button gives the answer away: {guesses}")
    tab.click('#forbid-head [data-key="choice 0:1"]')
    check(tab.evaluate("state.head") == 1, "no other head can be forbidden a look")
    tab.evaluate("change({ head: 2, maps: 'name' }), showNames('sampled', ['', 'a'])")
    check(tab.text("#sampled") == "no lettersa", "a name without letters is nothing")


def use_training(tab):
    tab.evaluate("showAll()")
    tab.evaluate("byId('learn-seed').value = 'x', byId('learn-seed').dispatchEvent(new Event('change'))")
    check(tab.text("#learn-status") == "“x” is no whole number; the seed stays 42.", "a seed that is none is not named")
    tab.evaluate("resetLearning()")
    check("it has learned nothing yet" in tab.text("#learn-status"), "it does not say that nothing is learnt yet")
    tab.evaluate("resetLearning({ learnFrom: 'model', learnSpeed: Infinity })")
    check("what this model knows" in tab.text("#learn-status"), "a trained model is said to know nothing")
    tab.click("#learn-step")
    check(tab.evaluate("state.learn.trainer.steps") == 1, "there is no single step")
    tab.click("#learn-run")
    check(tab.until("state.learn.trainer.steps > 3"), "training does not run")
    tab.click("#learn-run")
    check(tab.until("!state.learn.running"), "training does not pause")
    steps = tab.evaluate("state.learn.trainer.steps")
    tab.evaluate(TWO_FRAMES)
    check(tab.evaluate("state.learn.trainer.steps") == steps, "training goes on after a pause")


def chosen_node(tab):
    """The label of the chosen node, which has the focus."""
    check(tab.evaluate("document.activeElement.getAttribute('aria-selected') === 'true'"), "the node has no focus")
    return tab.text("#graph-node h3")


def walk(tab, *keys):
    for key in keys:
        tab.press(key)
    return chosen_node(tab)


def find_node(tab, text):
    tab.evaluate(f"byId('graph-find').value = {json.dumps(text)}, byId('graph-finding').requestSubmit()")


def nodes_drawn(tab):
    return tab.evaluate("document.querySelectorAll('#graph-drawing [role=treeitem]').length")


def go_to_graph(tab):
    tab.evaluate("byId('graph').scrollIntoView({ behavior: 'instant' })")
    check(tab.until("[...stale].every(([id]) => id !== 'graph')"), "no graph is drawn")


def use_graph(tab):
    """From the loss to a weight with keys and clicks, and why its gradient is what it is."""
    tab.evaluate("change({ at: 2, path: '' })")
    go_to_graph(tab)
    tab.click("#graph-jump summary")
    check(tab.until("byId('graph-destinations').children.length === 6"), "it offers nowhere to go")
    tab.click("#graph-jump summary")
    label = tab.evaluate("nextLabel(state.shown.model, state.shown.targets[2])")
    tab.click("#graph-drawing .current")
    check(chosen_node(tab) == f"loss of {label}", "a click does not choose a node")
    closed = nodes_drawn(tab)
    tab.press("Enter")
    check(nodes_drawn(tab) == closed + 1, "Enter does not open a node")
    check(walk(tab, "ArrowUp") == "sum of losses", "the arrow keys do not lead up")
    check(walk(tab, "ArrowDown", "ArrowRight").startswith("loss of") and tab.evaluate("state.at") == 3,
          "the arrow keys do not lead along the predictions")
    walk(tab, "ArrowLeft")
    check(walk(tab, *6 * ["ArrowDown"], "End").endswith("[15]"), "the arrow keys do not lead down to a weight")
    check(tab.evaluate("state.path") == "0.0.0.0.0.31", "the state does not hold the path")
    find_node(tab, "no such thing")
    check("no such thing" in tab.text("#graph-message"), "what cannot be found is not named")
    other = tab.evaluate("state.shown.model.characters.findIndex((_, token) => !state.shown.targets.includes(token))")
    find_node(tab, "probability of " + tab.evaluate(f"state.shown.model.characters[{other}]"))
    check("does not depend on" in tab.text("#graph-message"), "a node that leads nowhere is not named")
    find_node(tab, "layer0.attn_wq[2][3]")
    check(tab.text("#graph-message") == "" and chosen_node(tab) == "layer0.attn_wq[2][3]", "a weight cannot be found")
    check("to the last bit" in tab.text("#graph-node .total"), "the contributions are not the gradient")
    lines = tab.evaluate("document.querySelectorAll('#graph-node tbody tr').length")
    check(lines == tab.evaluate("Math.min(state.shown.tokens.length, 6)") + 1, "a parent is missing")
    tab.click("#graph-node tbody button")
    check(chosen_node(tab).startswith("q[head 0]"), "a click on a parent does not lead up")
    tab.click("#graph-node .scroll:last-child tbody tr:nth-child(2) button")
    check(chosen_node(tab) == "x_norm[1]", "a click on a child does not lead down")
    tab.click("#graph-drawing .more")
    check(nodes_drawn(tab) < 40, "too much is drawn")
    tab.evaluate("change({ path: '' })")
    for _ in range(9):
        tab.click('#graph-node [data-key="One step down"]')
    check(tab.text("#graph-node h3").startswith("lm_head"), "steps down do not lead to a weight")
    tab.click('#graph-node [data-key="Up"]')
    check(tab.text("#graph-node h3").startswith("logit of"), "a step up leads elsewhere")
    return written_link(tab), tab.text("#graph-node h3"), tab.evaluate("walkedPath().join()")


SETTINGS = {"temperature": 1.5, "maps": "mean", "tab": "whatif", "theme": "dark", "layer": 0, "head": 2, "at": 4,
            "seed": "-7", "letter": "o", "box": "0:mlp", "list": 5, "cell": 2, "num": 12, "prompt": "an", "learnFrom": "model",
            "learnSeed": "123456789012345678901", "learnSpeed": 10}
DAMAGED = ("#%", "#&=&", "#text=%E0%A4%&layer", "#tab=nowhere&theme=pink&maps=%00&model=7&layer=-1&head=x&at=1e9",
           "#temperature=NaN&box=9:mlp&seed=x&num=1e9&learnFrom=there&learnSeed=&learnSpeed=fast",
           "#off=0:1:gone+9:9:off+:::+__proto__&forbid=1:2+a:b:c:d+0:0:3:1:4&open=<b>", "#text=" + 100_000 * "x")


def use_path(tab, page):
    """A link holds the way through the graph."""
    walked, node, path = use_graph(tab)
    tab.open(page, walked)
    check(tab.evaluate("walkedPath().join()") == path, "a link does not hold the path in the graph")
    go_to_graph(tab)
    check(tab.text("#graph-node h3") == node, "a link does not choose the node")


def settings(tab):
    return tab.evaluate(f"({json.dumps([*SETTINGS])}).map((key) => state[key])")


def use_links(tab, page):
    """A link brings back everything that was set; one that is damaged brings back what it can, without an error."""
    tab.open(page)
    standard = settings(tab)
    tab.evaluate("change({ off: new Map([['0:1', 'off'], ['0:3', 'mean']]), forbidden: new Set(['0:2:3:1']),"
                 f" open: new Set(['0:0']) }}), change({json.dumps(SETTINGS)}, {{ scroll: true }})")
    link = written_link(tab)
    changed = loss_shown(tab)
    tab.open(page, link)
    check(settings(tab) == [*SETTINGS.values()], f"{link} brings back {settings(tab)}")
    check(tab.evaluate("[state.off.get('0:1'), state.off.get('0:3'), [...state.forbidden], [...state.open]]") ==
          ["off", "mean", ["0:2:3:1"], ["0:0"]], f"{link} does not bring back the changes")
    check(tab.evaluate("['seed', 'num', 'prompt', 'learn-seed', 'learn-speed'].map((id) =>"
                       " byId(id).value)") == ["-7", "12", "an", "123456789012345678901", "10"],
          "the inputs do not show what the link brings back")
    check(abs(loss_shown(tab) - changed) < 1e-9, "a link does not open the state that it was made from")
    for damaged in DAMAGED:
        tab.open(page, damaged)
        check(settings(tab) == standard, f"{damaged[:80]} sets {settings(tab)}")
        check(tab.evaluate("state.off.size + state.forbidden.size + state.open.size") == 0, f"{damaged[:80]} changes")
        check(not tab.errors, f"{damaged[:80]}: the page logged {tab.errors}")
        check(len(tab.evaluate("link()")) < 1000, f"{damaged[:80]} makes a long link")
    tab.evaluate("typed('a'.repeat(20_000)),"
                 "change({ forbidden: new Set(Array.from({ length: 5000 }, (_, i) => `0:0:${i}:${i}`)) })")
    check(len(tab.evaluate("link()")) < 10_000, "the link is too long")


SIZES = ((390, 844), (390, 640), (844, 390), (1024, 800), (1440, 900), (1920, 1080))
# Labels of drawings that are smaller than 10 pixels, things that a finger presses often and misses, tables that are cut.
SMALL = """[...document.querySelectorAll("svg text")].filter((each) => each.getScreenCTM() &&
  parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a < 9.99).map((each) => each.textContent)"""
HARD_TO_HIT = """[...document.querySelectorAll(".choices button, nav a, button:not(.link, .cells *), #text")]
  .filter((each) => each.offsetParent && each.offsetHeight < 44).map((each) => each.textContent)"""
CUT = """[...document.querySelectorAll(".scroll")].filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.ariaLabel)"""


def check_layout(tab, page):
    """Room for all on a phone as on a wide screen; and nothing was logged until now."""
    for width, height in SIZES:
        tab.resize(width, height)
        where = f"{page}, {width} x {height}"
        check(tab.until("scrollTo(0, 2000), document.querySelector('.bar').getBoundingClientRect().bottom"
                        " <= 0.15 * innerHeight"), f"{where}: the bar takes too much")
        check(tab.until("[byId('text'), byId('verdict')].every((each) => each.getBoundingClientRect().top >= 0)"),
              f"{where}: the name and its loss are not in view")
        high = "document.querySelector('.bar').offsetHeight"
        check(tab.evaluate(f"{high} === (byId('message').textContent = 'Read', {high})"),
              f"{where}: a note moves the page")
        tab.evaluate("showAll()")
        check(tab.evaluate("document.documentElement.scrollWidth") <= width, f"{where}: the page is wider")
        check(tab.evaluate(SMALL) == [], f"{where}: labels smaller than 10 pixels: {tab.evaluate(SMALL)}")
        if width < 600:
            check(tab.evaluate(HARD_TO_HIT) == [], f"{where}: hard to hit: {tab.evaluate(HARD_TO_HIT)}")
        if width == 1920:
            check(tab.evaluate(CUT) == [], f"{where}: cut: {tab.evaluate(CUT)}")
    stops = tab.evaluate("[...document.querySelectorAll('a, button, input, select, [tabindex]')].filter((each) =>"
                         " each.offsetParent && each.tabIndex >= 0 && each.compareDocumentPosition(byId('why')) & 4).length")
    check(stops <= 40, f"{page}: {stops} stops of the Tab key before section 3")
    tab.resize(1024, 800)
    check(not tab.errors, f"{page} logged {tab.errors}")


def use_beginning(tab):
    check(tab.text("h1") == "A tiny GPT that learned from 200 names to invent new ones. Type yours.",
          "the page does not say what it is")
    check(tab.evaluate("byId('text').placeholder") == "Type a name", "an empty field does not say what to type")
    title = "titleOf({ ...state.shown, about: { ...state.shown.about, step: %d } })"
    check(tab.evaluate(title % 3) == "A tiny GPT that learned from 12 of 200 names to invent new ones. Type yours." and
          "nothing yet" in tab.evaluate(title % 0), "it says that it read what it has not read")
    check(tab.until("byId('invented').children.length === 12"), "no new names are in view")
    check(tab.evaluate("[...byId('invented').children].map((each) => each.textContent)") ==
          tab.evaluate("sample(state.shown.model, { num: 12 })"), "the new names are those of another model")


def tour_texts(tab):
    """The question of a step, what to try, and, when that is asked for, what one sees."""
    tab.click("#tour-answer summary")
    check(tab.until("byId('tour-see').textContent !== ''"), "a step of the tour has no answer")
    return tab.evaluate("['ask', 'try', 'see'].map((part) => byId(`tour-${part}`).textContent)")


def use_tour(tab, page):
    """From the link at the top to the last question: (section, question) of each step."""
    tab.open(page)
    tab.click("#tour-begin")
    steps = []
    while tab.until(f"state.tour === {len(steps) + 1} && !byId('tour').hidden"):
        tab.evaluate("change({ box: '0:mlp' })")
        where, focus = tab.evaluate("[byId('tour').closest('section').id, document.activeElement.id]")
        in_sight = """(([tour, bar]) => bar.bottom <= tour.top && tour.top < innerHeight - 100)(
          [byId("tour"), document.querySelector(".bar")].map((each) => each.getBoundingClientRect()))"""
        check(focus == "tour" and tab.until(in_sight), f"{page}: step {len(steps) + 1} is not in sight")
        question, attempt, answer = tour_texts(tab)
        check(question.endswith("?") and attempt.endswith(".") and answer.endswith("."), f"{page}: {question} {answer}")
        check("undefined" not in question + answer and "NaN" not in answer, f"{page}: {question} {answer}")
        check_words(tab)
        steps.append((where, question, answer))
        check(tab.evaluate("byId('tour-count').textContent").startswith(f"Tour, {len(steps)} of "),
              "steps are miscounted")
        if tab.text("#tour-next") == "Done":
            break
        tab.click("#tour-next")
        check(tab.until(f"state.tour === {len(steps) + 1} && state.box === ''"), "a step keeps what was changed")
    check(f"of {len(steps)}" in tab.text("#tour-count"), f"{page}: the tour ends too early")
    link = written_link(tab)
    tab.open(page, link)
    check(tab.text("#tour-ask") == question, f"{link} leads to another question")
    tab.click("#tour-close")
    check(tab.evaluate("byId('tour').hidden"), "a tour that is closed does not end")
    tab.open(page, link)
    tab.click("#tour-next")
    check(tab.until("byId('tour').hidden && scrollY === 0") and "tour=" not in written_link(tab),
          "the tour does not end")
    tab.open(page, f"#tour={len(steps) + 1}")
    check(tab.evaluate("byId('tour').hidden"), "there is a step more")
    check(not tab.errors, f"{page}: the tour logged {tab.errors}")
    return steps


def use_task(tab, page):
    """The page of a task says what to type, and opens where the answer is; typed, the model answers."""
    tab.open(page)
    word = re.fullmatch(r"A tiny GPT that learned from 10,000 examples: after “=” it repeats what came before. "
                        r"Type “([a-h]{6})=”.", tab.text("h1"))[1]
    check(tab.evaluate("state.shown.now.probs[state.at][state.shown.targets[state.at]] > 0.9"),
          "it opens where the model knows nothing")
    type_name(tab, word + "=")
    verdict = tab.text("#verdict")
    check(re.search(rf", 0\.\d+ after “=” – its answer: {word}$", verdict), f"after {word}= it shows {verdict}")
    check(tab.text("[for=text]") == "6 letters a–h, then =", "it does not say what may be typed")
    check(tab.text("#message") == f"Read as “{word}={word}”: with its own answer." and
          tab.evaluate("tokenToExplain(state.shown) !== state.shown.model.bos"), "the answer is not read on")


def use_gallery(tab, index):
    """Every link leads to a page whose tour fits its model, and fits every window."""
    tab.open(index)
    links = [link.split("#")[0] for link in tab.evaluate("[...document.links].map((link) => link.pathname)")]
    tours = {os.path.basename(page): use_tour(tab, page) for page in links[::2]}
    sections = {name: [where for where, *_ in steps] for name, steps in tours.items()}
    check(sections["names.html"].count("history") == 1 and "history" not in sections["copy.html"], f"{sections}")
    check("graph" in sections["copy.html"] and "graph" not in sections["gqa_rope.html"], f"{sections}")
    look = [answer for where, _, answer in tours["copy.html"] if where == "look"]
    check(look and "6 places back" in look[0], f"no head of the model that copies stands out: {look}")
    look = [answer for where, _, answer in tours["names.html"] if where == "look"]
    check(re.search(r"letter just before.* clearest here, after “\w*(\w)\w”, it gives \d+% to \1", look[0]),
          f"the example does not show what the head looks at: {look}")
    tab.open(links[2], "#tour=4&step=0")
    check(tab.text("#tour-count") == f"Tour, 4 of {len(tours['names.html'])}", "another point has another tour")
    for page in links[::2]:
        use_layout(tab, page)
    use_task(tab, links[0])


def use_little(tab):
    """A key shows anew only what is on the screen; what comes near is shown then, and keeps its place."""
    tab.evaluate("change({ tab: 'picture' }, { scroll: true })")
    name = "byId('learn-text').textContent"
    before = tab.evaluate(name)
    type_name(tab, "noah")
    check(tab.evaluate("[...stale].some(([id]) => id === 'learn')") and tab.evaluate(name) == before,
          "what is far is shown anew")
    check("“noa”" in tab.text("#picture-where"), "what is seen is old")
    tab.evaluate("change({ tab: 'learn' }, { scroll: true })")
    check(tab.evaluate(name) == "noah", "a jump leads to what is old")
    place = "byId('learn').getBoundingClientRect().top"
    top = tab.evaluate(place)
    check(tab.until("stale.size === 0 || ![...stale].some(([id]) => isWithin(1, byId(id)))"), "what is near stays old")
    check(abs(tab.evaluate(place) - top) < 2, "what is drawn above moves what is read")
    check(tab.evaluate("document.querySelectorAll('#learn .map:empty').length") == 0, "maps in sight are empty")
    type_name(tab, "olivia")
    tab.evaluate("change({ tab: 'picture' }, { scroll: true }), showAll()")


def use(tab, page):
    tab.open(page)
    use_beginning(tab)
    use_reading(tab)
    use_little(tab)
    use_picture(tab)
    use_cells(tab)
    use_why(tab)
    use_heads(tab)
    use_labels(tab)
    use_words(tab)
    use_changes(tab)
    check_words(tab)
    use_groups(tab)
    use_controls(tab)
    use_dragging(tab)
    use_typing(tab)
    use_jumps(tab)
    use_maps(tab)
    use_training(tab)
    use_path(tab, page)
    use_links(tab, page)
    tab.open(page, "#text=Emma")
    check(tab.evaluate("state.text") == "emma" and "“emma”" in tab.text("#message"), "a link with capitals is not read")
    check(not tab.errors, f"the page logged {tab.errors}")


def use_history(tab, page):
    """The slider, by keyboard, mouse, button and link; the page has points after 0, 10, ... 60 steps."""
    tab.open(page)
    point_loss = "documentLoss(pointModel(%d).model, state.text)"
    at_the_end = loss_shown(tab)
    tab.evaluate("showAll()")
    maps = tab.evaluate("byId('gallery').innerHTML")
    check(abs(at_the_end - tab.evaluate(point_loss % 6)) < 6e-4, "the page does not begin with the last point")
    ticks = tab.evaluate("[...document.querySelectorAll('#history-losses text')].map((each) => each.textContent)")
    check(ticks[-3:] == ["step 0", "10", "60"], f"the steps of the axis are {ticks}")
    tab.evaluate("byId('point').focus()")
    tab.press("ArrowLeft")
    check(tab.evaluate("state.step") == 50 and tab.text("#facts").startswith("step_000050.safetensors"),
          "the arrow keys do not move the slider")
    tab.press("Home")
    tab.evaluate(TWO_FRAMES)
    check(abs(loss_shown(tab) - tab.evaluate(point_loss % 0)) < 6e-4 and loss_shown(tab) != at_the_end,
          "the slider does not change the model")
    check(tab.evaluate("byId('point').ariaValueText") == "after 0 steps of 60", "the slider says nothing")
    tab.evaluate("showAll()")
    check(tab.evaluate("byId('gallery').innerHTML") != maps, "the slider does not change the maps")
    tab.until("pointsToTell().every((i) => state.written.has(state.points[i].model))")  # the table grows until then
    names = tab.text("#history-names")
    go_to_graph(tab)  # it takes its room when it comes near
    tab.click("#history-losses svg")
    # The middle lies at the root of the last step.
    check(tab.evaluate("state.step") == 10 and tab.text("#history-names") != names, "a click in a curve picks no point")
    link = written_link(tab)
    check("step=10" in link, "the link does not hold the step")
    loss = loss_shown(tab)
    tab.click('#history-table [data-key="point 6"]')
    check(abs(loss_shown(tab) - at_the_end) < 1e-9 and "step=" not in written_link(tab), "the table picks no point")
    tab.click("#play")
    check(tab.evaluate("state.step") == 0 and tab.text("#play") == "Pause", "it does not play from the beginning")
    check(tab.until("state.step === Infinity && byId('play').textContent === 'Replay training'"),
          "it does not play to the end")
    tab.open(page, link)
    check(abs(loss_shown(tab) - loss) < 1e-9, "a link does not open the point that it was made from")
    check_layout(tab, "a history")


def use_history_of_two(tab, page):
    tab.open(page)
    tab.click("#models :nth-child(2)")
    tab.evaluate("byId('point').focus()")
    tab.press("ArrowLeft")
    check(tab.evaluate("state.model") == 0 and "step_000050" in tab.text("#models"), "the slider moves another model")
    tab.evaluate("showAll()")
    check("step_000050" in tab.text("#compared"), "the slider compares the same")
    check(not tab.errors, f"a history beside a model: the page logged {tab.errors}")


def use_layout(tab, page):
    tab.open(page)
    tab.evaluate("change({ list: 3, cell: 1 }), showAll(), learnOneStep(state.learn), showAll()")
    if tab.evaluate("hasGraph(state.shown.model)"):
        go_to_graph(tab)
    check_layout(tab, page)


def use_two(tab, page):
    tab.open(page)
    tab.evaluate("showAll()")
    check(tab.evaluate("!byId('compare').hidden && byId('compared').querySelectorAll('svg.map').length") == 8,
          "the second model is not shown")
    check_words(tab)
    check(not tab.errors, f"two models: the page logged {tab.errors}")
