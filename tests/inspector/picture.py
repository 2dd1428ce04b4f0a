"""Draws the README's picture: picture.py build/release/microgpt build/inspector src/page/inspector.webp

Trains a model whose heads have learnt to look somewhere, opens its page, switches one head off and forbids one look.
"""
import os
import subprocess
import sys

from chromium import Chromium

PROGRAM, FOLDER, PICTURE = sys.argv[1:4]
MODEL, PAGE = os.path.join(FOLDER, "names.safetensors"), os.path.join(FOLDER, "picture.html")

# What can be seen in one glance: no explanations, and only the sections 2 and 4 and the beginning of 6.
STYLE = """
  .lead, .note, #sections, .masses ~ *, #switches ~ *, #whatif > :not(h2, .columns) { display: none !important; }
  main > section { padding-block: 1.4rem !important; min-height: 0 !important; }
"""


def main():
    os.makedirs(FOLDER, exist_ok=True)
    subprocess.run([PROGRAM, "train", "--engine", "tensor", "--dtype", "f64", "--n-embd", "32", "--batch", "32",
                    "--steps", "3000", "--hold-out", "--quiet", "--samples", "1", "--save", MODEL],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "inspect", MODEL, "--html", PAGE, "--text", "emma"], check=True)
    with Chromium() as tab:
        tab.resize(1024, 800, scale=1.5)
        tab.open(PAGE)
        tab.evaluate(f"""
          document.head.append(element("style", `{STYLE}`));
          for (const tab of ["read", "whatif", "look"]) {{
            change({{ tab, head: 2, at: 4, open: new Set(["0:2"]) }});
            change({{ off: new Set(["0:3:off"]), forbidden: new Set(["0:2:2:1"]) }});
          }}
          for (const id of ["read", "whatif"]) byId(id).hidden = false;
        """)
        tab.screenshot(PICTURE)


main()
