"""Tools of the tests of the GCN emulator's instructions."""
import os
import pathlib
import subprocess

import pytest

from amdgpu import Llvm

ROOT = pathlib.Path(__file__).resolve().parents[3]
GCN_BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve() / "tests" / "isa" / "gcn"


def tool(name):
    path = GCN_BUILD / name
    if not path.exists():
        pytest.fail(f"{path} is missing: build it first")
    return str(path)


@pytest.fixture(scope="session")
def decode_tool():
    """Decodes single instructions."""
    return tool("gcn_decode_tool")


@pytest.fixture(scope="session")
def llvm():
    """LLVM's disassembler."""
    return Llvm()


MODELS = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942")


def rows_of(tool_path, *models):
    out = subprocess.run([tool_path, "rows", *models], check=True, capture_output=True, text=True).stdout
    rows = []
    for line in out.splitlines():
        name, encoding, opcode, forms, operands, executes = line.split()
        rows.append({"name": name, "encoding": encoding, "opcode": int(opcode), "forms": int(forms),
                     "operands": operands, "executes": executes == "1"})
    return rows


@pytest.fixture(scope="session")
def gcn_table(decode_tool, tables):
    """The rows of the instruction table, of all models, in its order; "model": the first that has it."""
    rows = rows_of(decode_tool)
    for row in rows:
        row["model"] = next(m for m in MODELS if row in tables[m])
    return rows


@pytest.fixture(scope="session")
def tables(decode_tool):
    """{model: its rows}"""
    return {model: rows_of(decode_tool, model) for model in MODELS}


@pytest.fixture(scope="session")
def run_tool():
    """Runs instructions."""
    return tool("gcn_run_tool")
