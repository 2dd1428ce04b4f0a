"""The models that lessons open in the inspector: an invitation in a lesson leads to the page of its model. What it says
of a head was measured on that model; src/book/inspect.sh trains it."""
import json
import shutil
import xml.etree.ElementTree as ET

import readme

# lesson: (model, the state in which its page opens, what to look at)
INVITATIONS = {
    7: ("names", "text=doireann&tab=inside&layer={layer}&head={head}&at=8",
        "Here is a head at work, in numbers: from the query of the last letter of doireann to what the head writes. The "
        "model has four heads. Without this one, its loss on new names grows most: by {loss:.3f}."),
    8: ("names", "text=doireann&tab=look&layer={layer}&head={head}",
        "Here are four heads, trained on names. Head {head} gives {previous:.0f} % of its weight to the previous letter; "
        "an even share would be {even:.0f} %. Do the others look anywhere in particular?"),
    20: ("names", "text=doireann&tab=whatif&layer={layer}&head={head}",
         "Here are four heads, trained on names. Switch them off, one by one. On new names, the loss grows most without "
         "head {head}: by {loss:.3f}. Is that so for this name?"),
    21: ("induction", "text=fabdhf%3Dabd&tab=whatif&layer={layer}&head={head}&off={layer}:{head}:off",
         "Here is such a model, without head {layer}:{head}: only {right:.0f} % of the letters after = are right, "
         "instead of {all:.0f} %. Switch it on again. Which head of layer 0 does it need?"),
    22: ("copy", "text=abcdef%3Dabcdef&tab=whatif&layer={layer}&head={head}&off={layer}:{head}:off",
         "Here is a model that copies six letters, without head {head}: {right:.0f} % of the letters are right, instead of "
         "{all:.0f} %. Switch off another instead, then several. What can the rest still copy?"),
    23: ("copy", "text=abcdef%3Dabcdef&tab=inside&layer={layer}&head={head}&at=7",
         "Here is a narrow head, of 8 numbers, in a model that copies. It stands at the sign =. Each product is divided "
         "by the root of 8: what would softmax make of the scores without that?"),
}


def invite(page, models, out):
    """Puts the invitation of a lesson before its walk. models is the folder of the models' pages, and of what `microgpt
    heads` measured: the head of which it speaks is the one without which most is wrong."""
    if page.lesson not in INVITATIONS:
        return
    name, state, text = INVITATIONS[page.lesson]
    model = json.loads((models / f"{name}.json").read_text(encoding="utf-8"))
    without = lambda head: head["importance"]["zeroed"]
    head = min(model["layers"], key=lambda head: (without(head)["accuracy"], -without(head)["loss"]))
    shares = {"all": model["accuracy"], "right": model["accuracy"] + without(head)["accuracy"],
              "previous": head["mass_previous"]["value"], "even": head["mass_previous"]["even"]}
    known = {"layer": head["layer"], "head": head["head"], "loss": without(head)["loss"],
             **{share: 100 * x for share, x in shares.items()}}  # in percent
    copy = out / "inspect" / f"{name}.html"
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(models / copy.name, copy)
    said = ET.Element("p", {"class": "invitation"})
    link = ET.SubElement(said, "a", {"href": f"inspect/{copy.name}#{state.format(**known)}"})
    link.text = "Look inside a model"
    link.tail = ". " + text.format(**known)
    walk = readme.first((element for element in page.main if readme.text_of(element) == "Step through it"),
                        f"{page.path}: there is no heading 'Step through it'")
    page.main.insert(list(page.main).index(walk), said)
