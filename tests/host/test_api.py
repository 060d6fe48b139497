"""The HIP API part by part: api.hip checks what it gets, and says "right"."""
import os
import signal
import subprocess

import pytest

from conftest import MODEL, ROCM_6, WAVETRAP, code_object, compiled, environment, hip, wavetrap

pytestmark = pytest.mark.hip


def api(*args, **options):
    return hip(compiled("api.hip"), *args, **options)


PARTS = ["registered", "pinned", "managed", "symbols", "filled", "pooled", "times", "callbacks", "graphs", "many-streams", "threads", "cooperative", "heap", "called", "launches",
         "grids", "clocked", "reset", "masked", "forks"]


@pytest.mark.parametrize("part", PARTS)
def test_part(part):
    done = api(part)
    assert (done.stdout, done.stderr, done.returncode) == ("right\n", "", 0)


@pytest.mark.full
@pytest.mark.parametrize("xnack", "01")
def test_parts_on_a_gfx90a(xnack):
    program = compiled("api.hip", "--offload-arch=gfx90a", name="api-gfx90a")
    for part in PARTS:
        if xnack == "1" and part in ("registered", "reset"):
            continue  # HIP's runtime aborts then where memory is unregistered that is not registered
        done = wavetrap("exec", "-g", "gfx90a", program, part, env={**environment(), "HSA_XNACK": xnack})
        assert (done.stdout, done.stderr, done.returncode) == ("right\n", "", 0), part


@pytest.mark.parametrize("part", ["room", "values", "pitched"])
def test_part_of_which_the_runtime_complains(part):
    """On stderr: of being out of memory, of how a stream waits for a value that another one writes, of a copy that is
    not aligned, which kernels then do."""
    done = api(part)
    assert (done.stdout, done.returncode) == ("right\n", 0)


@pytest.mark.skipif(MODEL in ("gfx90a", "gfx942"), reason="it lacks image instructions that the program has")
def test_textures_and_surfaces():
    """Each kind of array, format, filter, address mode; what is stored comes back in the host's order."""
    done = hip(compiled("textures.hip"))
    assert (done.stdout, done.stderr, done.returncode) == ("0 of 329 are wrong\n", "", 0)


def test_two_gpus_use_each_others_memory():
    done = api("peers", gpus=["gfx900", "gfx900:cu=1"])
    assert (done.stdout, done.stderr, done.returncode) == ("right\n", "", 0)
    assert api("threads", gpus=["gfx900", "gfx900:cu=1"]).stdout == "right\n"


def test_processes_share_memory():
    done = hip(compiled("ipc.hip"))
    assert (done.stdout, done.stderr, done.returncode) == ("right\n", "", 0)


def test_modules_from_files(tmp_path):
    """A code object, and a bundle of them."""
    program = compiled("api.hip")
    bundle = tmp_path / "bundle"
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.hip_fatbin", program, bundle], check=True)
    done = api("modules", code_object(program), bundle)
    assert (done.stdout, done.stderr) == ("right\n", "")


def test_kernels_print_every_conversion():
    lines = api("prints").stdout.splitlines()
    assert lines[:6] == [
        "-5|   42|42   |00042|+42|4000000000|ff|0XFF|10|q|%|text| right|left  |cu",
        "1.500000|3.142|      2.72|1.234568e+04|0.0001|1E+20|0x1p+0",
        "-1|-2|18446744073709551615|deadbeefcafe|-3|99|0x1234",
        "    42|42    |3.14",
        "abbcccddddeeeeeffffffgggggggh", "30"]
    assert sorted(lines[6:-1]) == sorted(f"line {i} of 1000" for i in range(1000))


@pytest.mark.skipif(ROCM_6, reason="HIP 5.7 waits in exit() for kernels that run")
def test_a_program_may_leave_while_its_kernel_runs():
    done = api("exit-while-running")
    assert (done.stdout, done.returncode) == ("spins\n", 4)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_end_a_program_that_waits(number):
    program = subprocess.Popen([WAVETRAP, "exec", compiled("api.hip"), "wait-for-ever"], stdout=subprocess.PIPE,
                               text=True, env=environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert program.stdout.readline() == "spins\n"
    program.send_signal(number)
    assert program.wait(60) == -number
    program.stdout.close()


@pytest.mark.parametrize("model", ["gfx900", *(pytest.param(m, marks=pytest.mark.full) for m in ("gfx906", "gfx908", "gfx90a", "gfx1030"))])
def test_a_library_of_kernels(model):
    """rocPRIM sorts, scans, reduces and selects 200003 numbers."""
    more = [] if model == "gfx900" else [f"--offload-arch={model}"]
    done = hip(compiled("primitives.hip", "-std=c++17", *more, name="primitives" + "".join(f"-{model}" for _ in more)), gpus=[model])
    assert done.stdout == "".join(f"{what}: right\n" for what in (
        "radix sort", "merge sort", "scan", "reduce", "select", "reduce by key"))
    assert (done.stderr, done.returncode) == ("", 0)


def says_right(source, libraries, parts, target="gfx900"):
    """The libraries' own code objects for the target, also one with XNACK on, are executed."""
    model, _, xnack = target.partition(":xnack")
    more = [] if model == "gfx900" else [f"--offload-arch={model}"]
    program = compiled(source, "-std=c++17", "-D__HIP_PLATFORM_HCC__", *libraries, *more, name=source.split(".")[0] + "".join(f"-{model}" for _ in more))
    done = wavetrap("exec", "-g", model, program, env={**environment(), "HSA_XNACK": "1" if xnack == "+" else "0"})
    assert done.stdout == "".join(f"{part}: right\n" for part in parts), done.stderr
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.skipif(MODEL == "gfx942", reason="Debian 13's rocRAND has no code for a gfx942")
@pytest.mark.parametrize("model", ["gfx900", *(pytest.param(m, marks=pytest.mark.full) for m in ("gfx906", "gfx908", "gfx90a", "gfx90a:xnack+", "gfx1030"))])
def test_random_numbers(model):
    """rocRAND and hipRAND, whose code for each model is another: Philox and Sobol by the papers, the others by their moments."""
    says_right("random_numbers.cpp", ["-lhiprand", "-lrocrand"], ["rocRAND's Philox", "rocRAND's Sobol", "XORWOW", "MRG32k3a", "MTGP32", "Philox"], model)


@pytest.mark.skipif(not os.path.exists("/usr/include/hipsparse"), reason="left out: libhipsparse-dev (not installed)")
@pytest.mark.sample(3)
@pytest.mark.full
@pytest.mark.parametrize("model", ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx90a:xnack+", "gfx1030"])
def test_sparse_matrices(model):
    """rocSPARSE and hipSPARSE against loops over the dense matrix; the library has 1.3 GB of kernels."""
    says_right("sparse.cpp", ["-lhipsparse", "-lrocsparse"], ["rows of coordinates", "matrix by vector", "transposed", "triangular solver",
                                                              "sparse by dense vector", "gathered values"], model)
