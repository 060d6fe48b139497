"""The sessions of docs/debug.md are what happens."""
import os
import re
import subprocess
import sys

from conftest import MARK, ROOT, WAVETRAP, answers, debug


def test_the_tutorial_is_true(example):
    page = (ROOT / "docs" / "debug.md").read_text()
    session = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S))
    parts = re.split(r"^\(wavetrap\) (.*)\n", session, flags=re.M)
    commands, wanted = parts[1::2], [text.strip("\n") for text in parts[2::2]]
    assert len(commands) > 15
    words = [word for command in commands for word in (f"echo {MARK}\\n", command)] + [f"echo {MARK}\\n"]
    file = example("mandelbrot", 32, "-O0 -g")
    done = debug(file, *words)
    assert done.returncode == 0, done.stderr
    said = [text.replace(str(file), "mandelbrot.rv32.elf") for text in answers(done.stdout)]
    assert list(zip(commands, said)) == list(zip(commands, wanted))


def test_the_pictures_are_true():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "pictures.py", "--check"], env={**os.environ, "WAVETRAP": WAVETRAP}, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
