"""Firefox and WebKit, which understand the same commands: those of WebDriver. Firefox reads them from a socket
(Marionette), WebKit as requests to its driver (HTTP)."""
import glob
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from browser import Browser

KEYS = {"Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "End": "\ue010",
        "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}

# A script element sees what the scripts of the page see; the driver's own scripts need not.
EVALUATE = """const [expression, done] = arguments;
addEventListener("answered", ({ detail }) => done(detail), { once: true });
const script = document.createElement("script");
script.textContent = `(async () => (${expression}
  ))().then((value) => ({ value }), (error) => ({ error: error + " at " + error.stack })).then((answer) =>
  dispatchEvent(new CustomEvent("answered", { detail: JSON.stringify(answer) })))`;
document.head.append(script);
script.remove();"""


def wait_for(look):
    """What look() brings, when it brings something."""
    end = time.monotonic() + 60
    while not (found := look()):
        if time.monotonic() > end:
            raise SystemExit("check-inspector: a browser does not start")
        time.sleep(0.02)
    return found


class WebDriver(Browser):
    """A browser starts in start() and answers command()."""

    def __init__(self):
        self.started = []
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.terminate()
            process.wait()
        self.folder.cleanup()

    def begin(self, *command, **how):
        how = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **how}
        self.started.append(subprocess.Popen(command, **how))

    def go_to(self, address):
        self.command("Navigate", "url", url=address)
        self.evaluate("window.caught = [], addEventListener('error', ({ message }) => caught.push(message))")

    @property
    def errors(self):
        """What the page threw since it was opened."""
        return self.evaluate("window.caught")

    def evaluate(self, expression):
        """The value of a JavaScript expression, or what its promise brings."""
        answer = json.loads(self.command("ExecuteAsyncScript", "execute/async", script=EVALUATE, args=[expression]))
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("value")

    def run(self, script):
        """Runs a script of statements; what it declares stays."""
        self.evaluate(f"(script => document.head.append(script))(element('script', {json.dumps(script)}))")

    def perform(self, kind, *actions):
        source = {"type": kind, "id": kind, "actions": actions}
        self.command("PerformActions", "actions", actions=[source])

    def click_at(self, x, y):
        there = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        self.perform("pointer", there, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def type(self, text):
        """Types letters into what has the focus."""
        self.perform("key", *({"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")))

    def press(self, key):
        self.type([KEYS.get(key, key)])


class Firefox(WebDriver):
    PACKAGES = "firefox-esr"

    @staticmethod
    def find_command():
        return next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)

    def start(self):
        profile = self.folder.name
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as settings:
            settings.write('user_pref("marionette.port", 0);\nuser_pref("ui.prefersReducedMotion", 1);\n')
        self.begin(self.find_command(), "--headless", "--marionette", "--no-remote", "--profile", profile,
                   env=dict(os.environ, MOZ_HEADLESS_WIDTH="1280", MOZ_HEADLESS_HEIGHT="1024"))
        port = os.path.join(profile, "MarionetteActivePort")  # written when it listens
        number = int(wait_for(lambda: os.path.exists(port) and open(port, encoding="utf-8").read()))
        self.count = 0
        self.socket = socket.create_connection(("127.0.0.1", number))
        self.answers = self.socket.makefile("rb")
        self.read()  # a greeting
        self.command("NewSession", None, timeouts={"script": 120_000})

    def __exit__(self, *_):
        super().__exit__()
        if hasattr(self, "socket"):
            self.answers.close()
            self.socket.close()

    def read(self):
        """A message is its length, a colon, and JSON."""
        length = b""
        while (digit := self.answers.read(1)) != b":":
            if not digit:
                raise SystemExit("check-inspector: Firefox ended")
            length += digit
        return json.loads(self.answers.read(int(length)))

    def command(self, name, _, **parameters):
        self.count += 1
        message = json.dumps([0, self.count, f"WebDriver:{name}", parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, answer = self.read()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return answer.get("value")


class WebKit(WebDriver):
    """It needs a display, so it has one that nobody sees."""
    PACKAGES = "webkit2gtk-driver xvfb"

    @staticmethod
    def find_command():
        browsers = glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
        have_all = browsers and shutil.which("WebKitWebDriver") and shutil.which("Xvfb")
        return browsers[0] if have_all else None

    def display(self):
        """Xvfb picks a number that is free, and writes it when it is ready."""
        number, written = os.pipe()
        self.begin("Xvfb", "-displayfd", str(written), "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
                 pass_fds=(written,))
        os.close(written)
        with open(number, "rb") as line:
            return f":{line.readline().decode().strip()}"

    def start(self):
        settings = os.path.join(self.folder.name, "gtk-3.0")
        os.makedirs(settings)
        with open(os.path.join(settings, "settings.ini"), "w", encoding="utf-8") as file:
            file.write("[Settings]\ngtk-enable-animations=0\n")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.begin("WebKitWebDriver", f"--port={port}", env=dict(
            os.environ, DISPLAY=self.display(), XDG_CONFIG_HOME=self.folder.name, XDG_CACHE_HOME=self.folder.name,
            XDG_DATA_HOME=self.folder.name, LIBGL_ALWAYS_SOFTWARE="1", GDK_BACKEND="x11"))
        self.driver = http.client.HTTPConnection("127.0.0.1", port)
        wait_for(self.connects)
        self.session = "/session"
        options = {"binary": self.find_command(), "args": ["--automation"]}
        wanted = {"webkitgtk:browserOptions": options, "timeouts": {"script": 120_000}}
        made = self.command("NewSession", "", capabilities={"alwaysMatch": wanted})
        self.session += "/" + made["sessionId"]

    def connects(self):
        try:
            self.driver.connect()
            return True
        except ConnectionRefusedError:
            return False

    def __exit__(self, *_):
        if hasattr(self, "session"):
            self.driver.request("DELETE", self.session)
            self.driver.getresponse().read()
        super().__exit__()

    def command(self, name, path, **parameters):
        address = f"{self.session}/{path}" if path else self.session
        self.driver.request("POST", address, json.dumps(parameters), {"Content-Type": "application/json"})
        answer = json.loads(self.driver.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"{name}: {answer['error']}: {answer['message']}")
        return answer
