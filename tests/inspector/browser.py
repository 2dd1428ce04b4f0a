"""A headless browser that a test can steer; how is said by the protocol that the browser speaks: chromium.py and
webdriver.py. Nothing but Python's own library is needed."""
import json
import os
from urllib.parse import quote


def check(claim, what):
    """The first claim about the inspector that does not hold ends the check."""
    if not claim:
        raise SystemExit(f"check-inspector: {what}")


class Browser:
    """The verbs of a test. A protocol adds go_to(address), evaluate(), click_at(), type() and press()."""

    def open(self, path, hash=""):
        """Opens a file and waits until it has loaded."""
        self.go_to("about:blank")
        # %, # and ? mean something in an address, so they are written as their numbers.
        self.go_to(f"file://{quote(os.path.abspath(path))}{hash}")
        self.evaluate("new Promise(done => document.readyState === 'complete' ? done() :"
                      " addEventListener('load', done))")

    def until(self, fact):
        """Waits until a JavaScript expression holds. False if it does not within a minute."""
        return self.evaluate(f"""new Promise((done) => {{
          const end = performance.now() + 60_000;
          const look = () => {{
            const holds = Boolean({fact});
            if (holds || performance.now() > end) done(holds);
            else setTimeout(look, 10);
          }};
          look();
        }})""")

    def find(self, selector):
        return f"document.querySelector({json.dumps(selector)})"

    def text(self, selector):
        return self.evaluate(f"{self.find(selector)}.textContent")

    def click(self, selector):
        """Clicks the middle of an element, as a mouse would, when it has rested in sight for two frames."""
        x, y = self.evaluate(f"""new Promise(done => {{
          const found = () => {self.find(selector)};
          found().scrollIntoView({{ block: "center", behavior: "instant" }});
          let before = null;
          const look = () => {{
            const {{ left, top, width, height }} = found().getBoundingClientRect();
            const middle = [left + width / 2, top + height / 2];
            if (middle.join() === before?.join()) return done(middle);
            before = middle;
            requestAnimationFrame(look);
          }};
          look();
        }})""")
        self.click_at(x, y)
