"""Headless Chromium, driven by the DevTools protocol over a pipe."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT = 120
KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, "Enter": 13, "Tab": 9}


class Browser:
    """A browser with one page."""

    def __init__(self, width=1280, height=800):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_page, self.out = os.pipe()
        self.into, from_page = os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4.
        high = [os.dup2(to_page, 103, inheritable=True), os.dup2(from_page, 104, inheritable=True)]
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "$@" 3<&103 4>&104 103<&- 104>&-', "bash", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
             f"--window-size={width},{height}", f"--user-data-dir={self.folder.name}", "about:blank"],
            pass_fds=high, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.folder.name, "TMPDIR": self.folder.name})
        for fd in (to_page, from_page, *high):
            os.close(fd)
        self.number, self.bytes, self.log, self.session = 0, b"", [], None
        pages = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        page = pages[0]["targetId"] if pages else self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        self.size(width, height)

    def message(self):
        while b"\0" not in self.bytes:
            assert select.select([self.into], [], [], TIMEOUT)[0], "the browser says nothing"
            data = os.read(self.into, 1 << 20)
            assert data, "the browser is gone"
            self.bytes += data
        one, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.log.append(answer)

    def open(self, url):
        self.ask("Page.navigate", url="about:blank")  # another fragment alone would not load it again
        self.wait("location.href === 'about:blank'")
        self.log.clear()  # of the page before, which may have lost its server
        self.ask("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")
        # A recording is unpacked first. `!!`: a value comes back whole, and a view is its whole recording.
        self.wait("!document.getElementById('recording') || !!window.view")

    def run(self, script):
        """The value of an expression of JavaScript, of a promise's too."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script):
        """Waits until it is true; its value."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(.02)
        raise AssertionError(f"{script} does not become true: {self.problems()}")

    def problems(self):
        """Exceptions, refused resources and errors on the console."""
        return [e["params"] for e in self.log if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed")]

    def requests(self):
        """Addresses that the page has asked for."""
        return [e["params"]["request"]["url"] for e in self.log if e.get("method") == "Network.requestWillBeSent"]

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, **features):
        """prefers_color_scheme="dark", prefers_contrast="more"…"""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": n.replace("_", "-"), "value": v} for n, v in features.items()])

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name])

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def mouse(self, x, y, kind="mouseMoved", **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(x, y, kind, button="left", clickCount=1)

    def picture(self, path=None):
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        data = base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def pixel(self, x, y):
        """The colour of a point of the grid's canvas, which is at its box's corner."""
        return self.run(f"Array.from(document.querySelector('.grid canvas').getContext('2d').getImageData({x}, {y}, 1, 1).data)")

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        end = time.monotonic() + TIMEOUT    # its other processes may write for a moment yet
        while os.path.exists(self.folder.name) and time.monotonic() < end:
            shutil.rmtree(self.folder.name, ignore_errors=True)
        self.folder.cleanup()
