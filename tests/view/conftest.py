"""What the tests of `wavetrap view` share: a browser, kernels of the families, pages and what is in them."""
import base64
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

import pytest

from browser import Browser
from releases import BITCODE

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests" / "isa" / "gen"))
import iga  # noqa: E402
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
COLLATZ = ROOT / "examples" / "opencl" / "collatz.cl"
TIMEOUT = 120


@pytest.fixture(scope="session")
def extension():
    """The folder of the compiled extension for VS Code."""
    subprocess.run([HERE / "extension.sh"], check=True)
    return ROOT / "build-vscode" / "editors" / "vscode"


@pytest.fixture(scope="session")
def browser():
    own = Browser()
    yield own
    own.close()


@pytest.fixture(scope="session")
def kernel(tmp_path_factory):
    """kernel(family, source=…): a kernel's file, and the family's option."""
    made, folder = {}, tmp_path_factory.mktemp("kernels")

    def build(family, source=COLLATZ, level="-O0"):
        out = folder / f"{source.stem}{level}.{'ptx' if family == 'sm' else 'co'}"
        common = ["clang-19", "-x", "cl", "-cl-std=CL2.0", level, "-g", "-w", source, "-o", out]
        if family == "gen9" and out.with_suffix(".bin") not in made:
            made[out.with_suffix(".bin")] = iga.compile_cl(source, out.with_suffix(".bin"), "-g", "-cl-opt-disable")
        if family == "gen9":
            return out.with_suffix(".bin")
        if out not in made:
            made[out] = subprocess.run(
                [*common, "-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                 "/usr/lib/clc/nvptx64--nvidiacl.bc"] if family == "sm" else
                [*common, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", f"--rocm-device-lib-path={BITCODE}"], check=True)
        return out
    return build


def collatz_words(family, items=256):
    """Options of a launch of collatz.cl."""
    return [f"--gpu={family}", "--kernel=collatz", f"--grid={items}", "--block=64", f"--arg=zeros:{4 * items}", f"--arg=zeros:{items // 16}"]


def view(*words, **more):
    return subprocess.run([WAVETRAP, "view", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT, **more)


def recording_of(page):
    """The recording in a page, with the values of lanes where the protocol has them."""
    packed = re.search(r'id="recording">(.*?)</script>', pathlib.Path(page).read_text(), re.S).group(1)
    body = json.loads(zlib.decompress(base64.b64decode(packed)))
    columns = iter(body.pop("columns"))
    for _, waves in itertools.groupby(body["waves"], lambda wave: wave["id"]):
        waves = list(waves)
        for e in range(len(body["expressions"])):
            taken = [wave for wave in waves if wave.get("values", [None] * 16)[e] == 0]
            for wave in taken:
                wave["values"][e] = {"each": []}
            for _ in range(waves[0]["lanes"]):
                before = None
                for wave, value in zip(taken, next(columns), strict=True):
                    before = before if value == 0 else value
                    wave["values"][e]["each"].append(before)
    assert next(columns, None) is None
    before = []
    for frame in body["frames"]:
        if "counts" in frame:
            frame["counts"] = before = [one or before[i] for i, one in enumerate(frame["counts"])]
    return body


@pytest.fixture
def export(tmp_path):
    """export(*words): a page, and its recording."""
    def run(*words, name="page.html"):
        page = tmp_path / name
        done = view(f"--export={page}", *words)
        assert done.returncode == 0, done.stderr
        return page, recording_of(page)
    return run


def mask_of(text):
    return int(text, 16)


def lanes_of(mask):
    return [lane for lane in range(128) if mask >> lane & 1]
