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


@pytest.fixture(scope="session")
def gcn_table(decode_tool):
    """The rows of the instruction table, in its order."""
    out = subprocess.run([decode_tool, "rows"], check=True, capture_output=True, text=True).stdout
    rows = []
    for line in out.splitlines():
        name, encoding, opcode, forms, operands, executes = line.split()
        rows.append({"name": name, "encoding": encoding, "opcode": int(opcode), "forms": int(forms),
                     "operands": operands, "executes": executes == "1"})
    return rows


@pytest.fixture(scope="session")
def run_tool():
    """Runs instructions."""
    return tool("gcn_run_tool")
