"""`make demo` shows what it says that it shows."""
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP

SOURCE = ROOT / "examples" / "vortex" / "broken" / "blur.c"


@pytest.fixture(scope="module")
def shown():
    done = subprocess.run([ROOT / "scripts" / "demo.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "WAVETRAP": WAVETRAP})
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_it_fits_a_screen(shown):
    assert len(shown.splitlines()) <= 40


def test_the_result_is_wrong(shown):
    assert "out[14] is 43, not 42\nexit status: 1\n" in shown


def test_gdb_finds_the_store_that_is_to_blame(shown):
    """The mistake stands in one line of the source. who-wrote names it, and the thread and the value; the way back ends there, before the store."""
    line, text = next((number, text) for number, text in enumerate(SOURCE.read_text().splitlines(), 1) if "in[i] + 3" in text)
    assert re.search(rf"core 0, warp 3, thread 3, \S+ <blur\+\d+> at blur.c:{line}, \S+: 0x2d -> 0x30", shown)
    back = shown.split("(gdb) thread 16")[1]
    assert re.search(rf"^{line}\s+{re.escape(text.strip())}$", back, re.M)
    values = re.findall(r"^\$\d+ = (\d+)$", back, re.M)
    assert values == ["45", "48"]   # before the store, and after it


def test_each_family_has_its_command(shown):
    for step, page in (("hip", "hip"), ("ptx", "cuda-cpp"), ("gen", "opencl"), ("kernels", "tutorial")):
        assert re.search(rf"scripts/need.sh {step} && make +docs/{page}.md; installs \S", shown)
        assert (ROOT / "docs" / f"{page}.md").exists()
