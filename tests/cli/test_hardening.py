"""What is built for people to run is hardened: by the flags that its ELF files carry."""
import os
import re
import subprocess
from pathlib import Path

import pytest

from conftest import WAVETRAP

RUNTIME = Path(os.path.realpath(WAVETRAP)).parents[1] / "runtime"
LIBRARIES = ("kfd/libhsakmt.so.1", "symbols/libwavetrap-symbols.so", "kfd/libwavetrap-rocminfo.so",
             "kfd/libwavetrap-kfd.so", "kfd/libwavetrap-calls.so", "i915/libwavetrap-drm.so", "cuda/libcuda.so.1", "cuda/libwavetrap-gomp.so", "vortex/libvortex.so",
             "vortex/driver/libvortex-wavetrap.so")
FILES = [Path(os.path.realpath(WAVETRAP)), *(RUNTIME / name for name in LIBRARIES)]


def readelf(what, file):
    return subprocess.run(["readelf", what, "-W", file], capture_output=True, text=True, check=True).stdout


@pytest.fixture(params=FILES, ids=lambda file: file.name)
def file(request):
    if not request.param.exists():
        pytest.skip("is not built")
    if "__asan_init" in readelf("--dyn-syms", FILES[0]):
        pytest.skip("sanitizers have means of their own")
    return request.param


def test_addresses_are_random_and_tables_read_only(file):
    assert re.search(r"Type: +DYN", readelf("-h", file))
    dynamic = readelf("-d", file)
    assert "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*\bNOW\b", dynamic), dynamic
    headers = readelf("-l", file)
    assert "GNU_RELRO" in headers and re.search(r"GNU_STACK .* RW ", headers)
    assert not re.search(r"LOAD .* RWE ", headers)


def test_what_reads_the_outside_world_checks_its_arrays(file):
    """(The small libraries that stand before others have no array at all.)"""
    if file.name in ("libwavetrap-rocminfo.so", "libwavetrap-calls.so", "libwavetrap-gomp.so"):
        pytest.skip("has no array")
    symbols = readelf("--dyn-syms", file)
    assert "__stack_chk_fail" in symbols
    assert re.search(r"__\w+_chk@", symbols.replace("__stack_chk_fail", "")), symbols


def test_the_loops_that_execute_are_without_that():
    """It would cost there: neither in the handlers of instructions nor in what they call."""
    engine = Path(os.path.realpath(WAVETRAP)).parents[1] / "emulator"
    objects = [o for o in engine.rglob("*.o") if re.search(r"exec\.c|valu|vmem|engine\.c|code_pages\.c", o.name)]
    if not objects:
        pytest.skip("no objects are there")
    if "__asan_init" in readelf("--dyn-syms", FILES[0]):
        pytest.skip("sanitizers have means of their own")
    for o in objects:
        assert "__stack_chk_fail" not in readelf("-s", o), o


def test_rows_of_wide_registers_end_with_vzeroupper():
    """A function that uses 256-bit registers leaves their upper halves clean: SSE instructions elsewhere would wait for them.
    (Vortex's engine is compiled as a whole for such hosts, and cleans up where it leaves.)"""
    engine = Path(os.path.realpath(WAVETRAP)).parents[1] / "emulator"
    objects = [o for o in engine.rglob("*.o") if "vortex" not in str(o)]
    if not objects or "__asan_init" in readelf("--dyn-syms", FILES[0]):
        pytest.skip("no objects are there, or they are sanitizers'")
    seen, dirty = 0, []
    for o in objects:
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", o], capture_output=True, text=True, check=True).stdout
        for name, body in re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)+)", text, re.M):
            seen += "%ymm" in body
            if "%ymm" in body and "vzeroupper" not in body:
                dirty.append(name)
    assert not dirty
    if "x86-64" in readelf("-h", FILES[0]).lower():
        assert seen > 100, "too few such functions found"
