"""What the kernel tests share: the command, the programs (built once), the host's answers."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "vortex"
PROGRAMS = sorted(p.stem for p in EXAMPLES.glob("*.c"))


def make(out, *words):
    done = subprocess.run(["make", "-s", "-C", EXAMPLES, f"OUT={out}", *words],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "", "warnings: " + done.stderr
    return Path(out)


@pytest.fixture(scope="session")
def wavetrap():
    command = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
    assert os.access(command, os.X_OK), f"no {command}: run make first"

    def run(*words, gpu="", schedule="rr:64", timeout=60):
        return subprocess.run([command, "run", "--gpu", "vortex:" + gpu, "--schedule", schedule,
                               *map(str, words)],
                              capture_output=True, text=True, timeout=timeout)
    return run


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """built(options) is a folder with all programs, compiled with these options."""
    folders = {}

    def build(options="-Og -g"):
        if options not in folders:
            folders[options] = make(tmp_path_factory.mktemp("examples"), f"OPT={options}", "all")
        return folders[options]
    return build


@pytest.fixture(scope="session")
def host_output(tmp_path_factory):
    """host_output(name): what the program prints when it is compiled for and runs on the host."""
    out = make(tmp_path_factory.mktemp("host"), "host")
    printed = {}

    def run(name):
        if name not in printed:
            done = subprocess.run([out / f"{name}.host"], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout
            printed[name] = done.stdout
        return printed[name]
    return run
