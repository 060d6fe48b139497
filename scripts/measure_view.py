#!/usr/bin/env python3
"""measure_view.py PAGE...: what an input event costs in exported pages of `wavetrap view`: milliseconds of script, style and layout on the page's main
thread, by the trace of headless Chromium. An event is a press of an arrow key in the grid, a frame of the slider, a click on a cell, and the mouse over
one. Time is that of the thread's processor, so that other work of the machine does not count. Prints a line for each page and kind of event: the median, the greatest, and how many events there were."""
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "view"))
from browser import Browser  # noqa: E402

EACH = 20
SHOWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What the main thread does for an event; what one of them calls is in it.
WORK = {"EventDispatch", "FunctionCall", "RunMicrotasks", "FireAnimationFrame", "TimerFire", "UpdateLayoutTree", "Layout", "Layerize", "PrePaint", "Paint"}
POINT = """(() => { const g = view.grid, r = g.box.getBoundingClientRect(), rows = view.layout.filter((row) => row.wave), i = g.rows.indexOf(rows[%d %% rows.length]);
    g.box.scrollTop = Math.max(0, g.top[i] - 200);
    return [r.left + 112 + (%d %% g.rows[i].lanes + .5) * g.cell, r.top + g.top[i] - g.box.scrollTop + 6]; })()"""


def spent(events, begin, end):
    """Milliseconds of the union of the work between two times."""
    total, until = 0, begin
    for one in sorted((e for e in events if e["tts"] < end and e["tts"] + e["tdur"] > begin), key=lambda e: e["tts"]):
        first, last = max(one["tts"], until), min(one["tts"] + one["tdur"], end)
        total, until = total + max(0, last - first), max(until, last)
    return total / 1000


def measure(browser, act, ready):
    """Traces EACH actions, a mark before and after each, and not what makes ready for it; returns the cost of each."""
    browser.ask("Tracing.start", traceConfig={"includedCategories": ["devtools.timeline", "blink.user_timing"]})
    for i in range(EACH):
        ready(i)
        browser.run(SHOWN)
        browser.run(f"performance.mark('begin {i}')")
        act(i)
        browser.run(SHOWN)
        browser.run(f"performance.mark('end {i}')")
    browser.ask("Tracing.end")
    events = []
    while True:
        said = browser.log.pop(0) if browser.log else browser.message()
        if said.get("method") == "Tracing.dataCollected":
            events += said["params"]["value"]
        if said.get("method") == "Tracing.tracingComplete":
            break
    marks = {e["name"]: e for e in events if e["name"].startswith(("begin ", "end "))}
    thread = {(e["pid"], e["tid"]) for e in marks.values()}
    work = [e for e in events if e["ph"] == "X" and "tdur" in e and e["name"] in WORK and (e["pid"], e["tid"]) in thread]
    return [spent(work, marks[f"begin {i}"]["tts"], marks[f"end {i}"]["tts"]) for i in range(EACH)]


def drag(browser, i):
    """A frame of the slider, as a hand that drags it gives them."""
    browser.run("(() => { const s = view.slider; s.value = (Number(s.value) + 1) % Number(s.max); s.dispatchEvent(new Event('input')); })()")


def main():
    for name in sys.argv[1:]:
        browser = Browser()
        browser.open(pathlib.Path(name).resolve().as_uri())
        browser.run("view.box.focus()")
        at = lambda i: browser.run(POINT % (7 * i, 5 * i))   # scrolls there
        kinds = {"arrow key": lambda i: browser.key(("ArrowRight", "ArrowDown")[i % 2]), "slider": lambda i: drag(browser, i),
                 "click": lambda i: browser.click(*at(i)), "mouse": lambda i: browser.mouse(*at(i))}
        for kind, act in kinds.items():
            cost = measure(browser, act, at if kind in ("click", "mouse") else lambda i: None)
            print(f"{pathlib.Path(name).name} {kind}: median {statistics.median(cost):.1f} ms, greatest {max(cost):.1f} ms, {len(cost)} events", flush=True)
        browser.close()


main()
