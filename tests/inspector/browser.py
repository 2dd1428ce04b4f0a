"""A headless browser that a test can steer, over Chromium's DevTools protocol and nothing but Python's own library.

Messages are JSON, each ended by a zero byte; the browser reads them from its file 3 and answers on its file 4.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, width=1024, height=800, options=()):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # The pipes may have the numbers 3 and 4 already, in the other order, so they are moved out of the way first.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec 8<&{commands} 9>&{answers} 3<&8 4>&9 8<&- 9>&-; exec "$@"', "sh", find(), "--headless",
             "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run",
             f"--user-data-dir={self.profile.name}", *options, "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        self.count = 0
        self.errors = []  # what a page threw or logged as an error
        self.requests = []  # addresses that a page asked for
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def read(self):
        while b"\0" not in self.buffer:
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        rest = json.dumps(message).encode() + b"\0"
        while rest:  # a pipe takes only so much at once
            rest = rest[os.write(self.commands, rest):]
        while True:
            answer = self.read()
            if answer.get("id") != self.count:
                self.note(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def open(self, path, hash=""):
        """Opens a file and waits until it has loaded."""
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}{hash}")
        self.evaluate("new Promise(done => document.readyState === 'complete' ? done() :"
                      " addEventListener('load', done))")

    def evaluate(self, expression):
        """The value of a JavaScript expression, or what its promise brings."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def find(self, selector):
        return f"document.querySelector({json.dumps(selector)})"

    def text(self, selector):
        return self.evaluate(f"{self.find(selector)}.textContent")

    def click(self, selector, dx=None, dy=None):
        """Clicks the middle of an element, or a place in it, as a mouse would."""
        self.evaluate(f"{self.find(selector)}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.evaluate(f"(b => [b.left, b.top, b.width, b.height])({self.find(selector)}.getBoundingClientRect())")
        x = box[0] + (box[2] / 2 if dx is None else dx)
        y = box[1] + (box[3] / 2 if dy is None else dy)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        """Types letters into what has the focus."""
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="char", text=letter)

    def press(self, key, code=0):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "Backspace": 8, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(key)
        common = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, code)}
        if text:
            common["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in common.items() if k != "text"})

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def prefer_dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def screenshot(self, path, whole=True):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
