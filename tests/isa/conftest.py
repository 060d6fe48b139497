"""Where things are: WAVETRAP_BUILD names the build directory (default: build/ of this checkout)."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()


@pytest.fixture(scope="session")
def wavetrap():
    """The command under test."""
    path = BUILD / "src" / "cli" / "wavetrap"
    for candidate in (BUILD / "wavetrap", path):
        if candidate.exists():
            return str(candidate)
    pytest.fail(f"no wavetrap in {BUILD}: build it first")


@pytest.fixture(scope="session")
def isa_tool():
    """Lists and disassembles from the instruction table."""
    path = BUILD / "tests" / "isa" / "isa_tool"
    if not path.exists():
        pytest.fail(f"{path} is missing: build it first")
    return str(path)


@pytest.fixture(scope="session")
def table(isa_tool):
    """The rows of the instruction table: dictionaries, in the table's order."""
    out = subprocess.run([isa_tool, "rows"], check=True, capture_output=True, text=True).stdout
    rows = []
    for line in out.splitlines():
        size, xlen, match, mask, operands, name = line.split("\t")
        rows.append({"size": int(size), "xlen": int(xlen), "match": int(match, 16), "mask": int(mask, 16),
                     "operands": operands, "name": name})
    return rows


@pytest.fixture
def machine(wavetrap, tmp_path):
    """Runs small programs."""
    from simt import Machine

    return Machine(wavetrap, tmp_path)
