"""Code objects that a HIP program loads and unloads are modules that come and go: a breakpoint that was set before its code
was there stops the first wave that comes to it."""
import subprocess
import sys
import time
from pathlib import Path

import pytest

import amd
from conftest import ROCM_6, compiled, wavetrap
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
            for _ in range(2 * 64 // amd.LANES):    # each launch has 64 work-items
                hit = place(s.ask("continue"))
                assert f"{file.stem}.cl" in hit["text"] and "<store" in hit["text"], hit
                assert hit["mask"] == (1 << amd.LANES) - 1 and int(s.ask("threads").split()[0]) in range(1, 64 // amd.LANES + 1)
            places.append(hit["pc"])
        assert places[1] == places[2], "the second one was not loaded to the place of the first"
        assert s.ask("continue").startswith("exited")
        changes, began, ended = map(int, s.ask("news").split())
        assert changes >= len(files) and began >= 2 * len(files) and ended >= began - 64 // amd.LANES


def code(folder, name, *gpus, version=4, more=()):
    """Code that a program reads from a file: a code object for one GPU, else a bundle for several."""
    source, out = folder / "store.hip", folder / name
    source.write_text('extern "C" __attribute__((global)) void store(int *out) { out[__builtin_amdgcn_workitem_id_x()] = 7; }\n')
    if "--offload-compress" in more or len(gpus) > 1:
        kind = ["--cuda-device-only"]
    else:
        kind = ["--cuda-device-only", "--no-gpu-bundle-output"]
    subprocess.run(["clang++-19", "-x", "hip", *(f"--offload-arch={gpu}" for gpu in gpus), "-O2", *kind, f"-mcode-object-version={version}", "-nogpulib", "-nogpuinc",
                    *more, source, "-o", out], check=True)
    return out


@pytest.mark.skipif(amd.MODEL != "gfx900", reason="it names the models that it compiles for")
@pytest.mark.parametrize("how", ["file", "memory"])
def test_why_a_module_is_refused(tmp_path, how):
    """The program has no code of its own, so that exec cannot choose its GPU. HIP says which error it is, and ends the program at a bundle."""
    def load(gpu, file):
        files = [file] if how == "file" else [own[gpu], file]    # the program reads the first one by its name
        done = wavetrap("exec", "-g", gpu, compiled("modules.hip"), *files)
        return done.stdout.split()[len(files) - 1:], [line for line in done.stderr.splitlines() if line.startswith("wavetrap: ")], done.returncode
    wrong = "gfx908" if ROCM_6 else "gfx906"    # Debian's HIP 5.7 gives a gfx906 a gfx900's code
    own = {gpu: code(tmp_path, f"own-{gpu}.co", gpu) for gpu in ("gfx900", wrong)}
    both, packed = code(tmp_path, "both.co", "gfx900", "gfx90a"), code(tmp_path, "packed.co", "gfx900", "gfx90a", more=["--offload-compress"])
    assert packed.read_bytes().startswith(b"CCOB") and both.read_bytes().startswith(b"__CLANG_OFFLOAD_BUNDLE__") and own["gfx900"].read_bytes().startswith(b"\x7fELF")
    for file in own["gfx900"], both, packed:
        assert load("gfx900", file) == (["7"], [], 0)
    for file, held in (own["gfx900"], "gfx900"), (both, "gfx900, gfx90a"), (packed, "gfx900, gfx90a"):
        by = f"hipModuleLoad: {file}" if how == "file" and file != packed else "hipModuleLoadData"
        other = held.split()[-1]
        out, said, status = load(wrong, file)
        assert (out, said) == ([], [f"wavetrap: {by}: it holds code for {held}, not for {wrong}: compile with --offload-arch={wrong}, or run it with -g {other}"]) and status
    new = code(tmp_path, "new.co", "gfx900", version=5)
    if not ROCM_6:    # HIP 5.2
        out, said, status = load("gfx900", new)
        assert not out and len(said) == 1 and "its code objects are of version 5" in said[0] and "-mcode-object-version=4" in said[0] and status
    text = tmp_path / "text.co"
    text.write_text("no code\n")
    assert load("gfx900", text) == ([], [], 1)


def test_the_end_of_a_started_program_is_told(sockets):  # noqa: F811
    with start(compiled("attach.hip"), 5) as s:
        answer = s.ask("continue")
        assert answer.startswith("exited") and answer.endswith("has ended with status 5")


def test_a_started_program_waits_with_its_first_kernel(sockets, capfd):  # noqa: F811
    with start(compiled("attach.hip")) as s:
        assert s.ask("pending busy") == "0" and s.ask("modules") == "0"
        hits = [place(s.ask("continue")) for _ in range(4 * 64 // amd.LANES)]
        assert all("<busy(int*, int)" in hit["text"] for hit in hits) and {hit["group"] for hit in hits} == set(range(4))
        assert s.ask("modules") != "0"
        assert "ready" not in capfd.readouterr().err, "the first launch has not been stopped"
    # Without its debugger it goes on, and ends since its input has ended.
    deadline = time.monotonic() + 60
    while "launches, 0 wrong" not in (said := capfd.readouterr().err):
        assert time.monotonic() < deadline, said
        time.sleep(0.01)
