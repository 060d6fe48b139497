"""The grid of lanes: from a stop of the program to the painted frame, in headless Chromium. 4,096 lanes of gfx900 with a value in each
cell. Beside it the request for the same data alone."""
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LANES, AIM = 4096, .1
sys.path.insert(0, os.path.join(ROOT, "tests", "view"))


def view(report, folder, wavetrap, run, count):
    from browser import Browser
    program = os.path.join(folder, "collatz.co")
    run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O1", "-g", "-w", os.path.join(ROOT, "examples", "opencl", "collatz.cl"), "-o", program, "-target",
         "amdgcn-amd-amdhsa", "-mcpu=gfx900", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"])
    report.title(f"The grid of {LANES:,} lanes: a stop to the painted frame (aim: {AIM * 1000:.0f} ms)")
    server = subprocess.Popen([wavetrap, "view", "-g", "gfx900", "--kernel=collatz", f"--grid={LANES}", "--block=64", f"--arg=zeros:{4 * LANES}",
                               f"--arg=zeros:{LANES // 16}", program], stderr=subprocess.PIPE, text=True)
    browser = Browser()
    try:
        browser.open(re.search(r"http://\S+", server.stderr.readline()).group(0))
        browser.wait("window.view && view.model && view.model.body.end > 1000")
        end = browser.run("view.model.body.end")
        for kind in ("state", "map", "text"):
            if kind != "state":
                browser.run("view.addExpression('n')")
                browser.wait("view.model.body.expressions.length")
            browser.run(f"view.kind.value = '{kind}'; performance.clearMeasures('wavetrap refresh')")
            for i in range(max(5, count)):
                browser.run(f"view.seek({int(end * (.3 + .05 * (i % 7)))})")
                browser.wait("!view.going")
                browser.wait(f"performance.getEntriesByName('wavetrap refresh').length === {i + 1}")
            assert browser.run("view.model.wavesAt(0).reduce((sum, wave) => sum + wave.lanes, 0)") == LANES
            painted = [ms / 1000 for ms in browser.run("performance.getEntriesByName('wavetrap refresh').map((one) => one.duration)")]
            asked = browser.run(f"""(async () => {{ const all = []; for (let i = 0; i < {max(5, count)}; i++) {{ const t = performance.now();
                await view.source.grid(); all.push(performance.now() - t); }} return all; }})()""")
            ours, theirs = statistics.median(painted), statistics.median(ms / 1000 for ms in asked)
            report.row({"state": "states", "map": "a variable as colours", "text": "a variable as text"}[kind], ours, "the request alone", theirs,
                       ours / theirs, "s")
    finally:
        browser.close()
        server.terminate()
        server.wait()
