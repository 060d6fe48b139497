"""Instructions that a gfx900 does not have, each on many operands: a program's kernels beside the same sums by GCC and libm (operands.def)."""
import os
import pathlib
import re
import subprocess

import pytest

from gpu import ROOT, environment

HERE = pathlib.Path(__file__).resolve().parent

# By hand: GCN_OPERANDS=1000000.
COUNT = os.environ.get("GCN_OPERANDS", "1000")
# Rows without a result of their own, and rows whose operation a row of another name above tests.
WITHOUT = {"buffer_wbl2", "buffer_invl2", "v_accvgpr_read_b32"}


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operands")
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-c", HERE / "operands.c", "-o", folder / "model.o"], check=True)
    subprocess.run(["hipcc", *(f"--offload-arch={model}" for model in ("gfx906", "gfx908", "gfx90a")), "-O2", "-w", "-x", "hip", HERE / "operands.hip",
                    "-x", "none", folder / "model.o", "-o", folder / "operands"], check=True)
    return folder / "operands"


@pytest.mark.full
@pytest.mark.parametrize("model", ["gfx906", "gfx908", "gfx90a"])
def test_operands_of_the_rows_that_a_gfx900_lacks(tables, program, model):
    done = subprocess.run([os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"), "exec", "-g", model, program, COUNT, model],
                          capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    said = {name: (int(count), int(wrong)) for name, count, wrong in re.findall(r"^(\w+) (\d+) (\d+)$", done.stdout, re.M)}
    print(f"{model}: {len(said)} rows, {sum(count for count, _ in said.values())} results")
    assert not {name: wrong for name, (count, wrong) in said.items() if wrong or count < int(COUNT)}
    names = [{row["name"] for row in tables[m] if row["executes"]} for m in ("gfx900", model)]
    assert {name.removesuffix("_glc") for name in said} == names[1] - names[0] - WITHOUT
