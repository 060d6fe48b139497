#!/usr/bin/env python3
"""Makes the pictures of docs/view.md and the page of docs/divergence.md again, with headless Chromium."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
sys.path.insert(0, str(ROOT / "tests" / "view"))
from browser import Browser  # noqa: E402

COMPILE = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-ffile-compilation-dir=.", "collatz.cl"]
SM = ["-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc", "-o", "collatz.ptx"]
GCN = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "-o", "collatz.co"]


def export(folder, name, *words):
    subprocess.run([WAVETRAP, "view", f"--export={name}.html", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def launch(family, items):
    return ["-g", family, "--kernel=collatz", f"--grid={items}", "--block=64", f"--arg=zeros:{4 * items}", f"--arg=zeros:{items // 16}"]


def draw(browser, folder, page, picture, fragment, scheme="light", script=""):
    browser.scheme(prefers_color_scheme=scheme)
    browser.open(f"{(folder / page).as_uri()}.html#{fragment}")
    if script:
        browser.run(script)
    browser.picture(ROOT / "docs" / "pictures" / f"{picture}.png")
    assert not browser.problems(), browser.problems()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(ROOT / "examples" / "opencl" / "collatz.cl", folder)
        for target in (SM, GCN):
            subprocess.run([*COMPILE, *target], cwd=folder, check=True)
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={folder}", f"{folder}/mandelbrot.rv32.elf", f"{folder}/broken/blur.rv32.elf"], check=True)
        export(folder, "trail", "--where-from=out[14]", "-g", "vortex:warps=4,threads=4", "broken/blur.rv32.elf")
        export(folder, "divergence-page", "-e", "n", "-e", "count", *launch("sm", 128), "collatz.ptx")
        export(folder, "shown", "-e", "n", "-e", "count", *launch("sm", 512), "collatz.ptx")
        export(folder, "many", "-e", "n", "--frames=40", *launch("gfx900", 4096), "collatz.co")
        export(folder, "few", "-e", "point.count", "-g", "vortex:warps=1,threads=4", "mandelbrot.rv32.elf")
        export(folder, "drawn", "-e", "point.count", "--image=picture:64x24:u8", "--profile", "--frames=600", "-g", "vortex:warps=4,threads=8",
               "mandelbrot.rv32.elf")
        cuda = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
        shutil.copy(ROOT / "examples" / "checks" / "race.cu", folder)
        subprocess.run(["clang++-19", "-x", "cuda", "--cuda-gpu-arch=sm_70", "-O1", "-g", "-w", f"--cuda-path={cuda}", "race.cu", "-o", "race", f"-L{cuda}/lib64", "-lcudart"],
                       cwd=folder, check=True)
        subprocess.run([WAVETRAP, "exec", "-g", "sm", "--check=race", "--export=race.html:1", "./race"], cwd=folder, stderr=subprocess.DEVNULL)
        shutil.copy(folder / "divergence-page.html", ROOT / "docs")
        browser = Browser()
        waiter = "view.layout.find((row) => row.wave && (row.wave.waiters || []).length > 1)"
        select = f"(() => {{ const row = {waiter}; row && view.grid.select(row, 5); }})()"
        # The frame with waves at a barrier in which most others diverge.
        barrier = """(() => { const of = (f, what) => f.waves.filter((i) => view.model.body.waves[i][what]).length;
            const score = view.model.frames.map((f) => of(f, 'barrier') ? of(f, 'waiters') + 1 : 0);
            view.frame = score.indexOf(Math.max(...score)); view.show(); })();"""
        draw(browser, folder, "shown", "grid-light", "", script=barrier + select)
        draw(browser, folder, "shown", "grid-dark", "frame=100&kind=map", "dark")
        draw(browser, folder, "divergence-page", "grid-class", "frame=150", script=select)
        draw(browser, folder, "many", "grid-contrast", "frame=25&theme=contrast")
        draw(browser, folder, "few", "grid-few", "frame=24&kind=text")
        draw(browser, folder, "race", "grid-race", "")
        draw(browser, folder, "trail", "grid-trail", "")
        draw(browser, folder, "drawn", "grid-drawn", "frame=40&kind=text", "dark")
        browser.size(480, 900)
        draw(browser, folder, "race", "grid-narrow", "", "dark")
        browser.size(700, 900)
        draw(browser, folder, "race", "grid-paper", "", "dark", script="dispatchEvent(new Event('beforeprint'))")
        browser.close()


main()
