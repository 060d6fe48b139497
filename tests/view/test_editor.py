"""The extension for VS Code: its tests against a double of the editor, its package, and its panel in Chromium over a session of
`wavetrap dap`."""
import json
import os
import re
import select
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT, collatz_words

sys.path.append(str(ROOT / "tests" / "dap"))
from dap import Client  # noqa: E402

PAGE = """const M = require('module'), load = M._load; M._load = (name, ...rest) => name === 'vscode' ? {} : load(name, ...rest);
process.stdout.write(require('./out/grid.js').pageText())"""
STUB = "<head><script>window.sent = []; window.acquireVsCodeApi = () => ({ postMessage: (message) => sent.push(message) });</script>"


def test_units_of_the_extension(extension):
    done = subprocess.run(["node", extension / "test" / "test.js"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "9 tests\n", done.stderr


def test_the_package_has_what_the_extension_needs(extension, tmp_path):
    for name in ("w.vsix", "again.vsix"):
        subprocess.run(["node", extension / "package.js", tmp_path / name], check=True, capture_output=True)
        os.utime(extension / "README.md")
    assert (tmp_path / "w.vsix").read_bytes() == (tmp_path / "again.vsix").read_bytes()
    with zipfile.ZipFile(tmp_path / "w.vsix") as package:
        package.extractall(tmp_path)
        names = package.namelist()
    assert {"[Content_Types].xml", "extension.vsixmanifest", "extension/package.json", "extension/media/page.html", "extension/out/extension.js", "extension/out/run.js"} <= set(names)
    # The walkthrough's pages are there, and its buttons run commands of the extension or of the editor.
    contributed = json.loads((tmp_path / "extension" / "package.json").read_text())["contributes"]
    own = {command["command"] for command in contributed["commands"]}
    for step in contributed["walkthroughs"][0]["steps"]:
        assert f"extension/{step['media']['markdown']}" in names
        buttons = re.findall(r"\(command:([\w.]+)", step["description"])
        assert buttons and all(button in own or button.startswith(("workbench.action.", "debug.")) for button in buttons)
    packed = subprocess.run(["node", "-e", PAGE], cwd=tmp_path / "extension", capture_output=True, text=True, check=True).stdout
    assert packed == subprocess.run(["node", "-e", PAGE], cwd=extension, capture_output=True, text=True, check=True).stdout


class Panel:
    """A panel as the extension has it: messages of the page are requests of the session."""

    def __init__(self, extension, browser, client, file):
        self.browser, self.client, self.seen = browser, client, 0
        text = subprocess.run(["node", "-e", PAGE], cwd=extension, capture_output=True, text=True, check=True).stdout
        file.write_text(text.replace("<head>", STUB, 1))
        self.seen = len(client.log)
        browser.open(file.as_uri())

    def post(self, message):
        self.browser.run(f"window.postMessage({json.dumps(message)}, '*')")

    def pump(self):
        for message in self.browser.run("sent.splice(0)"):
            answer = self.client.answer(self.client.send(message["command"], message.get("arguments"), checked=False))
            self.post({"number": message["number"], **({"body": answer.get("body")} if answer["success"] else {"error": answer["message"]})})
        while self.client.bytes or select.select([self.client.fd_in], [], [], 0)[0]:
            self.client.messages.append(self.client.read())
        for said in self.client.log[self.seen:]:
            if said["type"] == "event" and said["event"] in ("stopped", "continued", "terminated", "invalidated", "wavetrap/selected"):
                self.post({"event": said["event"], "body": said.get("body")})
        self.seen = len(self.client.log)

    def wait(self, script):
        for _ in range(2000):
            self.pump()
            if self.browser.run(script):
                return
        raise AssertionError(f"{script}: {self.browser.problems()}")


@pytest.fixture
def panel(extension, browser, kernel, tmp_path):
    with Client() as client:
        words = collatz_words("gfx900", 128)
        client.start(program=str(kernel("gfx900")), stopOnEntry=True, stopAtEnd=True, threads="waves", options=words)
        client.stopped()
        own = Panel(extension, browser, client, tmp_path / "panel.html")
        own.wait("window.view && view.model && view.model.frames[0].waves.length === 2")
        yield own


def test_the_panel_shows_the_session_and_steps_it(panel):
    line = "view.model.places[view.selectedRow().wave.pc].line"
    assert panel.browser.run(line) == 6
    panel.browser.run("document.querySelector('[aria-label=\"Step over\"]').click()")
    panel.wait(f"{line} === 7")
    assert not [p for p in panel.browser.problems() if not p.get("canceled")]


def test_a_lane_selected_in_the_panel_is_the_editors(panel):
    panel.browser.run("view.grid.select(view.layout.filter((row) => row.wave)[1], 11)")
    panel.wait("true")
    _, body = panel.client.event("invalidated")
    assert body["areas"] == ["stacks"]
    thread = next(m["body"]["threadId"] for m in panel.client.log if m.get("event") == "wavetrap/selected")
    frame = panel.client.ask("stackTrace", threadId=thread)["stackFrames"][0]
    assert panel.client.value("$_lane", frame) == "11"


def test_the_panel_has_the_editors_theme(panel):
    paper = "getComputedStyle(document.body).backgroundColor"
    for name, colour in (("dark", "rgb(22, 25, 29)"), ("high-contrast", "rgb(0, 0, 0)"), ("light", "rgb(255, 255, 255)")):
        panel.browser.run(f"document.body.className = 'vscode-{name}'")
        panel.wait(f"{paper} === '{colour}'")
