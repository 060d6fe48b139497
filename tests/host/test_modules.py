"""Code objects that a HIP program loads and unloads are modules that come and go: a breakpoint that was set before its code
was there stops the first wave that comes to it."""
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import compiled
from releases import BITCODE, ROCM_CLANG

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from test_gcn_sessions import place  # noqa: E402
from test_attach import sockets, start  # noqa: E402, F401 (a fixture)

pytestmark = pytest.mark.hip

SOURCE = """
__kernel void store(__global int *out)
{
    %s
    out[get_global_id(0)] = %d;
}
"""


@pytest.fixture
def objects(tmp_path):
    """Three code objects with a kernel of one name; the last two are of one size."""
    files = []
    for number, more in (1, "out[1] = 9;"), (22, ""), (33, ""):
        source, out = tmp_path / f"m{number}.cl", tmp_path / f"m{number}.co"
        source.write_text(SOURCE % (more, number))
        subprocess.run([f"clang-{ROCM_CLANG}", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-O1", "-g",
                        f"--rocm-device-lib-path={BITCODE}", source, "-o", out], check=True)
        files.append(out)
    return files


def test_modules_come_and_go(sockets, objects):  # noqa: F811
    files = [*objects, objects[0]]
    with start("-g", "gfx900", compiled("modules.hip"), *files) as s:
        assert s.ask("pending store") == "0"
        places = []
        for file in files:
            for _ in range(2):
                hit = place(s.ask("continue"))
                assert f"{file.stem}.cl" in hit["text"] and "<store" in hit["text"], hit
                assert hit["mask"] == (1 << 64) - 1 and s.ask("threads").startswith("1 ")
            places.append(hit["pc"])
        assert places[1] == places[2], "the second one was not loaded to the place of the first"
        assert s.ask("continue").startswith("exited")
        changes, began, ended = map(int, s.ask("news").split())
        assert changes >= len(files) and began >= 2 * len(files) and ended >= began - 1


def test_the_end_of_a_started_program_is_told(sockets):  # noqa: F811
    with start(compiled("attach.hip"), 5) as s:
        answer = s.ask("continue")
        assert answer.startswith("exited") and answer.endswith("has ended with status 5")


def test_a_started_program_waits_with_its_first_kernel(sockets, capfd):  # noqa: F811
    with start(compiled("attach.hip")) as s:
        assert s.ask("pending busy") == "0" and s.ask("modules") == "0"
        hits = [place(s.ask("continue")) for _ in range(4)]
        assert all("<busy(int*, int)" in hit["text"] for hit in hits) and {hit["group"] for hit in hits} == set(range(4))
        assert s.ask("modules") != "0"
        assert "ready" not in capfd.readouterr().err, "the first launch has not been stopped"
    # Without its debugger it goes on, and ends since its input has ended.
    deadline = time.monotonic() + 60
    while "launches, 0 wrong" not in (said := capfd.readouterr().err):
        assert time.monotonic() < deadline, said
        time.sleep(0.01)
