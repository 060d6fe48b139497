"""Tools of the tests of the Gen9 emulator's instructions."""
import os
import pathlib
import subprocess

import pytest

import iga

ROOT = pathlib.Path(__file__).resolve().parents[3]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
GEN_BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve() / "tests" / "isa" / "gen"


def tool(name):
    path = GEN_BUILD / name
    if not path.exists():
        pytest.fail(f"{path} is missing: build it first")
    return str(path)


@pytest.fixture(scope="session", autouse=True)
def oracle():
    assert iga.present(), "iga64 or ocloc is missing: scripts/need.sh check"


@pytest.fixture(scope="session")
def texts():
    """texts(path) is {offset: text} as the emulator's decoder sees the code in a file."""
    def run(path):
        out = subprocess.run([tool("gen_text_tool"), path], check=True, capture_output=True, text=True).stdout
        return {int(line.split(" ", 1)[0]): iga.normal(line.split(" ", 1)[1]) for line in out.splitlines()}
    return run


@pytest.fixture(scope="session")
def compacted():
    """compacted(path) is {offset: (compact word, expanded word) or None} of native instructions."""
    def run(path):
        out = subprocess.run([tool("gen_text_tool"), "--compact", path], check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in out.splitlines()]
        return {int(r[0]): None if r[1] == "-" else (int(r[1], 16), int(r[2], 16)) for r in rows}
    return run
