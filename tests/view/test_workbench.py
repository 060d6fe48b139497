"""The extension in a real workbench, the registry's code-server, which headless Chromium drives: a breakpoint, a stop, the grid, a step
back; what is pointed at and watched, a data breakpoint, a condition, the cursor's line, a restart and the end. It is skipped where WAVETRAP_CODE_SERVER does not name the folder of an installed code-server; docs/testing.md says how to install
one. With WAVETRAP_PICTURES=FOLDER it leaves the pictures of docs there."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest

from browser import TIMEOUT, Browser
from conftest import BITCODE, COLLATZ, WAVETRAP

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
                    f"--rocm-device-lib-path={BITCODE}"], check=True, cwd=work)
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
    sockets = tempfile.mkdtemp()   # a socket's path has 107 characters at most
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": sockets, "XDG_RUNTIME_DIR": sockets}
    subprocess.run([*words, "--install-extension", package], check=True, env=environment, capture_output=True, timeout=TIMEOUT)
    with open(tmp_path / "log", "w") as log:
        server = subprocess.Popen([*words, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"],
                                  env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
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
        os.killpg(server.pid, signal.SIGKILL)   # its extension host, too, which aborts where it loses its parent
        server.wait(TIMEOUT)
        shutil.rmtree(sockets)


def keep(browser, name):
    if target := os.environ.get("WAVETRAP_PICTURES"):
        browser.picture(pathlib.Path(target, name))


def margin_of(line):
    return f"""[...document.querySelectorAll('.line-numbers')].filter((one) => one.textContent.trim() === '{line}').map((one) => {{
        const {{ x, y, height }} = one.getBoundingClientRect(); return [x - 6, y + height / 2]; }})[0]"""


# A breakpoint's mark beside a line.
GLYPH = "!!document.querySelector('.margin-view-overlays .codicon-debug-breakpoint, .margin-view-overlays .codicon-debug-breakpoint-unverified, .glyph-margin-widgets .codicon')"


def open_source(workbench):
    # The file search of the box at the top wants ripgrep, which the package downloads from elsewhere.
    row = "[...document.querySelectorAll('.explorer-folders-view .monaco-list-row, .monaco-list-row')].find((row) => row.textContent.includes('collatz.cl'))"
    box = workbench.run(f"(({{ x, y }}) => [x + 40, y + 10])({row}.getBoundingClientRect())")
    workbench.click(*box)
    workbench.there(".view-lines .view-line")


def set_breakpoint(workbench, line):
    """Until the extension is known the editor takes no breakpoint in this language."""
    margin = workbench.wait(margin_of(line))
    for _ in range(20):
        workbench.click(*margin)
        time.sleep(1)
        if workbench.run(GLYPH):
            break
    assert workbench.run(GLYPH)


def start(workbench):
    workbench.there(".editor-actions .codicon-debug-alt")   # the button "Debug kernel" starts the folder's only launch
    workbench.run("document.querySelector('.editor-actions .codicon-debug-alt').click()")
    workbench.there(".debug-top-stack-frame-line, .codicon-debug-stackframe")
    workbench.there(".debug-call-stack .stack-frame")


def test_breakpoint_stop_grid_and_step_back(workbench):
    open_source(workbench)
    set_breakpoint(workbench, 14)
    start(workbench)
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


def place_of(text, name=None):
    """The place of a name in a line of source, or the line's beginning."""
    return f"""(() => {{ const line = [...document.querySelectorAll('.view-lines .view-line')].find((one) => one.textContent.replace(/\\u00a0/g, ' ').includes({json.dumps(text)}));
        const word = [...line.querySelectorAll('span span')].find((one) => one.textContent.includes({json.dumps(name or '')}));
        const {{ x, y, right, height }} = word.getBoundingClientRect(); return [{'right - 15' if name else 'x + 60'}, y + height / 2]; }})()"""


def row_of(pane, text):
    return f"""(() => {{ const row = [...document.querySelectorAll('.debug-{pane} .monaco-list-row')].find((one) => one.innerText.startsWith({json.dumps(text)}));
        if (!row) return null; const {{ x, y, height }} = row.getBoundingClientRect(); return [x + 50, y + height / 2]; }})()"""


def at_line(line):
    return f"(document.querySelector('.debug-call-stack .stack-frame') || {{ textContent: '' }}).textContent.includes('{line}:')"


def test_hover_watch_breakpoints_run_to_cursor_restart_and_terminate(workbench):
    def show(pane, *parts):
        workbench.wait(f"[...document.querySelectorAll('.debug-{pane} .monaco-list-row')].some((row) => {json.dumps(parts)}.every((part) => row.innerText.includes(part)))")

    open_source(workbench)
    set_breakpoint(workbench, 14)
    start(workbench)
    workbench.wait(at_line(14))
    # What is pointed at.
    hover = "(document.querySelector('.debug-hover-widget') || {}).innerText"
    for i in range(60):    # the mouse has to come to rest in an editor that listens
        x, y = workbench.run(place_of("count++", "count"))
        workbench.mouse(x + i % 6, y)
        time.sleep(.5)
        if workbench.run(hover):
            break
    assert workbench.run(hover) == "0"
    keep(workbench, "vscode-hover.png")
    # What is watched, in all lanes: lane 0 has left the loop.
    workbench.run("document.querySelector('[aria-label=\"Add Expression\"]').click()")
    workbench.wait("document.activeElement.tagName === 'INPUT' || document.activeElement.classList.contains('input')")
    workbench.type("n + count@*")
    workbench.press("Enter")
    show("watch", "n + count@*", "0: 1", "(masked off); 1: 1; 2: 10; ")
    # A data breakpoint: count++ changes it, whatever other waves do.
    for _ in range(20):    # the tree may be drawn again just then
        if workbench.run(row_of("variables", "count")):
            break
        workbench.click(*workbench.wait(row_of("variables", "Locals")))
        time.sleep(1)
    x, y = workbench.wait(row_of("variables", "count"))
    workbench.mouse(x, y)
    for kind in ("mousePressed", "mouseReleased"):
        workbench.mouse(x, y, kind, button="right", clickCount=1)
    item = "[...document.querySelectorAll('.monaco-menu .action-label')].find((one) => one.textContent === 'Break on Value Change')"
    workbench.wait(f"!!({item})")
    keep(workbench, "vscode-data.png")
    place = workbench.run(f"(({{ x, y }}) => [x + 20, y + 8])({item}.getBoundingClientRect())")
    for _ in range(20):    # a menu takes no click in its first moments
        workbench.click(*place)
        time.sleep(.5)
        if not workbench.run(f"!!({item})"):
            break
    show("breakpoints", "count")
    workbench.click(*workbench.wait(margin_of(14)))   # the line's is gone
    workbench.wait("![...document.querySelectorAll('.debug-breakpoints .monaco-list-row')].some((row) => row.innerText.includes('14'))")
    workbench.tool("continue")
    show("call-stack", "COUNT: 0 -> 1")
    show("variables", "count", "1")
    workbench.run("document.querySelector('[aria-label=\"Remove All Breakpoints\"]').click()")
    workbench.wait("![...document.querySelectorAll('.debug-breakpoints .monaco-list-row')].some((row) => row.innerText.includes('count'))")
    # Run to the cursor.
    workbench.click(*workbench.run(place_of("= count;", "steps")))
    workbench.choose(">Debug: Run to Cursor")
    workbench.wait(at_line(16))
    # A condition, which holds in one lane of each wave: the stop is that lane's.
    workbench.click(*workbench.run(place_of("if (item == 0)", "if")))
    workbench.choose(">Debug: Add Conditional Breakpoint")
    workbench.there(".breakpoint-widget")
    workbench.wait("document.activeElement.closest('.breakpoint-widget') !== null")
    workbench.type("item == 5")
    workbench.press("Enter")
    show("breakpoints", "23")
    workbench.tool("continue")
    workbench.wait(at_line(23))
    show("variables", "item", "5")
    keep(workbench, "vscode-condition.png")
    # Again from the beginning, and not again.
    workbench.tool("step-over")
    workbench.wait(f"!({at_line(23)})")
    workbench.tool("restart")
    workbench.wait(at_line(23))
    workbench.tool("stop")
    workbench.wait("!document.querySelector('.debug-call-stack .stack-frame') && !document.querySelector('.debug-toolbar .codicon-debug-stop, .codicon-debug-step-over')")
