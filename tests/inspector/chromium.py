"""Chromium, over its DevTools protocol.

Messages are JSON, each ended by a zero byte; the browser reads them from its file 3 and answers on its file 4.
"""
import base64
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from browser import Browser

NAMES = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser",
         "/Applications/Chromium.app/Contents/MacOS/Chromium",
         "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def find():
    """The browser's command and options: those that CHROMIUM names, or the first browser that is installed."""
    named = shlex.split(os.environ.get("CHROMIUM", ""))
    found = next(filter(None, map(shutil.which, named[:1] or NAMES)), None)
    if found is None:
        raise SystemExit(f"check-inspector: there is no {named[0] if named else 'Chromium'} here; install chromium, or "
                         "google-chrome, or name one: CHROMIUM=/path/to/chromium")
    # As root, the browser does not start with its sandbox.
    return [found, *named[1:], *(["--no-sandbox"] if os.geteuid() == 0 else [])]


CODES = {"Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37,
         "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

# Becomes the browser. The pipes may have the numbers 3 and 4 already, in the other order, so they move away first.
START = """import fcntl, os, sys
commands, answers = (fcntl.fcntl(int(pipe), fcntl.F_DUPFD_CLOEXEC, 10) for pipe in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Chromium(Browser):
    def __init__(self, width=1024, height=800, options=()):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, str(commands), str(answers), *find(), "--headless", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run",
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
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(width, height)
        self.prefer()

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
                raise BrokenPipeError
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
        try:
            return self.answer(method, params)
        except BrokenPipeError:
            raise SystemExit(f"check-inspector: {find()[0]} ended; does it start with --headless? (Without a sandbox: "
                             "CHROMIUM='chromium --no-sandbox')") from None

    def answer(self, method, params):
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

    def go_to(self, address):
        self.errors.clear()
        self.requests.clear()
        problem = self.call("Page.navigate", url=address).get("errorText")
        if problem == "net::ERR_ABORTED":  # by a navigation that the page began itself
            problem = self.call("Page.navigate", url=address).get("errorText")
        if problem:
            raise SystemExit(f"check-inspector: the browser cannot read {address}: {problem} (one from a snap, as on "
                             "Ubuntu, reads only what lies in your home folder; install google-chrome, and name it in "
                             "CHROMIUM)")

    def run(self, script):
        """Runs a script of statements; what it declares stays."""
        self.evaluate(script)

    def evaluate(self, expression):
        """The value of a JavaScript expression, or what its promise brings."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def click_at(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        """Types letters into what has the focus."""
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="char", text=letter)

    def press(self, key):
        text = {"Enter": "\r", " ": " "}.get(key)
        common = {"key": key, "code": key, "windowsVirtualKeyCode": CODES[key]}
        if text:
            common["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in common.items() if k != "text"})

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)

    def prefer(self, contrast=False):
        """Light colours, or a contrast theme; and no motion, so that what is clicked stays where it is."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "light"},
                            {"name": "forced-colors", "value": "active" if contrast else "none"},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def screenshot(self, path, whole=True):
        how = {"format": "webp", "quality": 85} if path.endswith(".webp") else {"format": "png"}
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **how)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    print(*find())
