"""The models that lessons open in the inspector: an invitation in a lesson leads to the page of its model, which
src/book/inspect.sh trains."""
import shutil
import xml.etree.ElementTree as ET

import readme

# lesson: (model, the state in which its page opens, what to look at)
INVITATIONS = {
    7: ("names", "text=doireann&tab=inside&at=8",
        "Here is a head at work, in numbers: from the query of the last letter of doireann to what the head writes."),
    8: ("names", "text=doireann&tab=look",
        "Here are four heads, trained on names. Does one look at the previous letter? Do the others look anywhere in "
        "particular?"),
    20: ("names", "text=doireann&tab=whatif",
         "Here are four heads, trained on names. Switch them off, one by one: without which does the loss grow most?"),
    21: ("induction", "text=fabdhf%3Dabd&tab=whatif",
         "Here is such a model. Switch its heads off, one by one: without which are the letters after = wrong?"),
    22: ("copy", "text=abcdef%3Dabcdef&tab=whatif",
         "Here is a model that copies six letters. Switch its heads off, one by one, then several. What can the rest "
         "still copy?"),
    23: ("copy", "text=abcdef%3Dabcdef&tab=inside&at=7",
         "Here is a narrow head, of 8 numbers, in a model that copies. It stands at the sign =. Each product is divided "
         "by the root of 8: what would softmax make of the scores without that?"),
}


def invite(page, models, out):
    """Puts the invitation of a lesson before its walk. models is the folder of the models' pages."""
    if page.lesson not in INVITATIONS:
        return
    name, state, text = INVITATIONS[page.lesson]
    copy = out / "inspect" / f"{name}.html"
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(models / copy.name, copy)
    said = ET.Element("p", {"class": "invitation"})
    link = ET.SubElement(said, "a", {"href": f"inspect/{copy.name}#{state}"})
    link.text = "Look inside a model"
    link.tail = ". " + text
    walk = readme.first((element for element in page.main if readme.text_of(element) == "Step through it"),
                        f"{page.path}: there is no heading 'Step through it'")
    page.main.insert(list(page.main).index(walk), said)
