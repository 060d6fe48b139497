"""States and results are the same however they are computed: by a processor without AVX2, with vectors of 256 bits, by handlers alone."""
import os
import subprocess
import sys

import pytest

from truth import ROOT, WAVETRAP

TRUTH = ROOT / "tests" / "truth"


def said(*words):
    done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.full
def test_a_processor_without_avx2_has_the_same_states(tmp_path):
    """QEMU's Nehalem has SSE4.2 alone, so nothing is translated there, and rows are those for SSE2."""
    old = tmp_path / "wavetrap"
    old.write_text(f'#!/bin/sh\nexec qemu-x86_64 -cpu Nehalem {WAVETRAP} "$@"\n')
    os.chmod(old, 0o755)
    assert "40 programs, 0 with other states" in said(TRUTH / "same_states.py", old, "--programs=40")


@pytest.mark.full
def test_translated_code_changes_no_session():
    """Hashes, core files and sessions of random commands."""
    assert "44 programs, 0 with other states" in said(TRUTH / "same_states.py", "handlers", "--programs=44")


@pytest.mark.full
def test_functions_of_f32_have_the_same_results():
    """Each 1001st input of each function; `make same-floats` takes all."""
    assert ", 0 with other results" in said(TRUTH / "same_floats.py", "--one-in=1001", "--pairs=300000")
