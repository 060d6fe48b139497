"""The extension in a real workbench, the registry's code-server, which headless Chromium drives: a breakpoint, a stop, the grid, a step
back. It is skipped where WAVETRAP_CODE_SERVER does not name the folder of an installed code-server; docs/testing.md says how to install
one. With WAVETRAP_PICTURES=FOLDER it leaves the pictures of docs there."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

from browser import TIMEOUT, Browser
from conftest import COLLATZ, WAVETRAP

SERVER = os.environ.get("WAVETRAP_CODE_SERVER", "")
ENTRY = pathlib.Path(SERVER, "out", "node", "entry.js")
pytestmark = pytest.mark.skipif(not SERVER or not ENTRY.exists(), reason="WAVETRAP_CODE_SERVER names no code-server: docs/testing.md")
CODES = {"Enter": 13, "p": 80}
LINE = "view.model.places[view.selectedRow().wave.pc].line"
GRID = "document.querySelector('iframe.webview.ready').contentDocument.querySelector('#active-frame').contentWindow"
SETTINGS = {"wavetrap.command": WAVETRAP, "workbench.startupEditor": "none", "workbench.tips.enabled": False, "security.workspace.trust.enabled": False,
            "window.commandCenter": False, "workbench.layoutControl.enabled": False, "files.associations": {"*.cl": "c"}, "debug.toolBarLocation": "docked",
            "debug.internalConsoleOptions": "neverOpen", "editor.minimap.enabled": False, "workbench.secondarySideBar.defaultVisibility": "hidden", "chat.commandCenter.enabled": False}
LAUNCH = {"name": "collatz", "type": "wavetrap", "request": "launch", "program": "${workspaceFolder}/collatz.co", "gpu": "gfx900", "kernel": "collatz",
          "grid": 256, "block": 64, "kernelArgs": ["zeros:1024", "zeros:64"], "threads": "waves", "stopAtEnd": True}


class Workbench(Browser):
    def press(self, key, ctrl=False):
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=f"Key{key.upper()}" if len(key) == 1 else key, windowsVirtualKeyCode=CODES[key],
                     modifiers=2 if ctrl else 0)

    def there(self, selector):
        self.wait(f"!!document.querySelector({json.dumps(selector)})")

    def choose(self, text, key="p", ctrl=True):
        """Types into the box at the top, and takes what it offers first."""
        self.press(key, ctrl)
        self.there(".quick-input-widget input")
        self.wait("document.querySelector('.quick-input-widget').style.display !== 'none'")
        self.type(text)
        self.there(".quick-input-list .monaco-list-row")
        time.sleep(.3)   # the list that is shown may be that of a shorter text
        self.press("Enter")
        self.wait("document.querySelector('.quick-input-widget').style.display === 'none'")

    def grid(self, script):
        return self.wait(f"(() => {{ try {{ const view = {GRID}.view; return {script}; }} catch {{ return null; }} }})()")

    def tool(self, icon):
        self.there(f".codicon-debug-{icon}")
        self.run(f"document.querySelector('.codicon-debug-{icon}').click()")


@pytest.fixture
def folder(tmp_path):
    work = tmp_path / "work"
    (work / ".vscode").mkdir(parents=True)
    shutil.copy(COLLATZ, work)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", "collatz.cl", "-o", "collatz.co", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900",
                    "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"], check=True, cwd=work)
    (work / ".vscode" / "launch.json").write_text(json.dumps({"version": "0.2.0", "configurations": [LAUNCH]}))
    return work


@pytest.fixture
def workbench(extension, tmp_path, folder):
    data = tmp_path / "data"
    (data / "User").mkdir(parents=True)
    (data / "User" / "settings.json").write_text(json.dumps(SETTINGS))
    package = tmp_path / "wavetrap.vsix"
    subprocess.run(["node", extension / "package.js", package], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["node", ENTRY, "--user-data-dir", data, "--extensions-dir", tmp_path / "extensions"]
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run([*words, "--install-extension", package], check=True, env=environment, capture_output=True, timeout=TIMEOUT)
    with open(tmp_path / "log", "w") as log:
        server = subprocess.Popen([*words, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"],
                                  env=environment, stdout=log, stderr=subprocess.STDOUT)
    browser = Workbench(1400, 860)
    try:
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(.1)
        browser.ask("Page.navigate", url=f"http://127.0.0.1:{port}/?folder={folder}")
        browser.wait("document.body && document.body.innerText.includes('collatz.cl')")
        yield browser
    finally:
        browser.close()
        server.terminate()
        server.wait(TIMEOUT)


def keep(browser, name):
    if target := os.environ.get("WAVETRAP_PICTURES"):
        browser.picture(pathlib.Path(target, name))


def test_breakpoint_stop_grid_and_step_back(workbench):
    # The file search of the box at the top wants ripgrep, which the package downloads from elsewhere.
    row = "[...document.querySelectorAll('.explorer-folders-view .monaco-list-row, .monaco-list-row')].find((row) => row.textContent.includes('collatz.cl'))"
    box = workbench.run(f"(({{ x, y }}) => [x + 40, y + 10])({row}.getBoundingClientRect())")
    workbench.click(*box)
    workbench.there(".view-lines .view-line")
    margin = workbench.wait("""[...document.querySelectorAll('.line-numbers')].filter((one) => one.textContent.trim() === '14').map((one) => {
        const { x, y, height } = one.getBoundingClientRect(); return [x - 6, y + height / 2]; })""")
    # Until the extension is known the editor takes no breakpoint in this language.
    glyph = "!!document.querySelector('.margin-view-overlays .codicon-debug-breakpoint, .margin-view-overlays .codicon-debug-breakpoint-unverified, .glyph-margin-widgets .codicon')"
    for _ in range(20):
        workbench.click(*margin[0])
        time.sleep(1)
        if workbench.run(glyph):
            break
    assert workbench.run(glyph)
    workbench.there(".editor-actions .codicon-debug-alt")   # the button "Debug kernel" starts the folder's only launch
    workbench.run("document.querySelector('.editor-actions .codicon-debug-alt').click()")
    workbench.there(".debug-top-stack-frame-line, .codicon-debug-stackframe")
    workbench.there(".debug-call-stack .stack-frame")
    workbench.there(".debug-variables .monaco-list-row")
    workbench.choose(">wavetrap: Show lanes", "p")
    workbench.grid("view.model.frames[0].waves.length === 4")
    assert workbench.grid(LINE) == 14
    workbench.grid("(view.addExpression('n'), true)")
    workbench.grid("view.model.body.expressions.length === 1")
    workbench.grid("(view.kind.value = 'map', view.show(), true)")
    keep(workbench, "vscode-stop.png")
    workbench.tool("step-over")
    workbench.grid(f"{LINE} !== 14")
    there = workbench.grid(LINE)
    workbench.tool("step-back")
    workbench.grid(f"{LINE} !== {there}")
    assert workbench.grid(LINE) == 14
    workbench.wait("document.querySelector('.debug-call-stack .stack-frame').textContent.includes('14')")
    workbench.wait("document.querySelector('.debug-variables').textContent.includes('Locals')")
    assert not workbench.run("document.querySelector('.notifications-toasts .notification-list-item') && document.querySelector('.notifications-toasts').innerText")
    keep(workbench, "vscode-back.png")
