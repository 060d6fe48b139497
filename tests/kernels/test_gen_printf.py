"""printf of OpenCL C kernels on Gen9 without a host runtime: what PoCL prints of the same source on the CPU."""
import subprocess

import pytest

from test_gcn_kernels import WAVETRAP
from test_gcn_printf import BLOCK, FILE, KERNELS, N, pocl  # noqa: F401
from test_gen_kernels import FORMS, LEVELS, compiler, zebin  # noqa: F401


def run(path, kernel, folder, *options):
    (folder / "in").write_bytes(KERNELS[kernel])
    return subprocess.run([WAVETRAP, "run", "-g", "gen9", f"--kernel={kernel}", f"--grid={N}", f"--block={BLOCK}",
                           f"--arg=file:{folder / 'in'}", *options, path], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_prints_what_pocl_prints(pocl, zebin, tmp_path, kernel, level, form):  # noqa: F811
    done = run(zebin(FILE, *LEVELS[level], prefix=False, form=FORMS[form]), kernel, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == pocl(kernel)


def test_a_buffer_that_is_full(zebin, tmp_path):  # noqa: F811
    """More than 4 MiB of records: the rest is lost, and one is told so."""
    source = tmp_path / "much.cl"
    source.write_text('kernel void much(int n) { for (int i = 0; i < n; i++) printf("%s %s %s %s\\n", "a", "b", "c", "d"); }')
    done = subprocess.run([WAVETRAP, "run", "-g", "gen9", "--grid=64", "--arg=2000", zebin(source, prefix=False)], capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0 and "its buffer of 4 MiB is full" in done.stderr, done.stderr
    lines = done.stdout.splitlines()
    assert set(lines) == {"a b c d"} and len(lines) == ((4 << 20) - 4) // (8 + 4 * 12)


def test_what_was_printed_before_a_stop(zebin, tmp_path):  # noqa: F811
    path = zebin(FILE, prefix=False)
    whole = run(path, "texts", tmp_path, "--hash")
    limit = int(whole.stderr.split(" after ")[1].split()[0]) * 3 // 4
    done = run(path, "texts", tmp_path, f"--max-issues={limit}")
    assert done.returncode != 0 and f"the limit of {limit} issues is reached" in done.stderr
    assert done.stdout and set(done.stdout.splitlines()) < set(whole.stdout.splitlines())
