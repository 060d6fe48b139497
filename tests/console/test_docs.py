"""The session of docs/console-tutorial.md is what happens."""
import os
import re
import subprocess
import sys

from conftest import MARK, ROOT, WAVETRAP, answers, debug


def test_the_tutorial_is_true(tmp_path):
    """With the program as the page has it built."""
    page = (ROOT / "docs" / "console-tutorial.md").read_text()
    built = re.search(r"`(make -C examples/vortex OUT=/tmp/unoptimised OPT='[^`]*)`", page)[1]
    subprocess.run(built.replace("/tmp/unoptimised", str(tmp_path)) + f" {tmp_path}/mandelbrot.rv32.elf", shell=True, check=True, cwd=ROOT)
    session = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S))
    parts = re.split(r"^\(wavetrap\) (.*)\n", session, flags=re.M)
    commands, wanted = parts[1::2], [text.strip("\n") for text in parts[2::2]]
    assert len(commands) > 15
    words = [word for command in commands for word in (f"echo {MARK}\\n", command)] + [f"echo {MARK}\\n"]
    file = tmp_path / "mandelbrot.rv32.elf"
    done = debug(file, *words)
    assert done.returncode == 0, done.stderr
    said = [text.replace(str(file), "mandelbrot.rv32.elf") for text in answers(done.stdout)]
    assert list(zip(commands, said)) == list(zip(commands, wanted))


def test_the_pictures_are_true():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "pictures.py", "--check"], env={**os.environ, "WAVETRAP": WAVETRAP}, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
