"""Sessions in the documents: what stands in a ```console block after `$ wavetrap gdb …` and `(gdb) …` is
what the programs say. A line that is only "…" stands for any lines.

    python3 tests/gdb/sessions.py DOCUMENT…     runs the sessions and writes down what was said
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import PROMPT, ROOT, WAVETRAP, Gdb

ANY = "…"
# What GDB says between, and says nothing of the program.
NOISE = re.compile(r"^(Reading symbols from .*|Remote debugging using .*|Continuing\.|For GPUs: .*|)$")


def useful(text):
    return [line.rstrip() for line in text.replace("\r", "").split("\n") if not NOISE.match(line.rstrip())]


class Step:
    """A line that was typed and what was said to it."""

    def __init__(self, line, number):
        self.line, self.number = line, number
        self.said = []

    @property
    def is_shell(self):
        return self.line.startswith("$ ")

    @property
    def command(self):
        return self.line.removeprefix("(gdb) ").removeprefix("$ ")


def steps_of(lines):
    """The steps of all console blocks of a document."""
    steps, inside = [], False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = line == "```console"
            fresh = True
        elif inside and line.startswith(("$ ", "(gdb) ")):
            steps.append(Step(line, number))
            fresh = False
        elif inside and not fresh:
            steps[-1].said.append((number, line))
    return steps


class Runner:
    """Runs the steps, one after the other, in a folder with build/examples."""

    def __init__(self, folder):
        self.folder = folder
        self.gdb = None

    def __call__(self, step):
        if not step.is_shell:
            return useful(self.gdb(step.command))
        words = shlex.split(step.command)
        if words == ["make", "-C", "examples/vortex"]:    # build_examples() has done that, of those that the document names
            return []
        assert words[0] == "wavetrap", step.line
        if words[1] == "gdb":
            self.close()
            self.gdb = Gdb([WAVETRAP, *words[1:], "--", *Gdb.SETTINGS], cwd=str(self.folder))
            return useful(self.gdb.start)
        done = subprocess.run([WAVETRAP, *words[1:]], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        return useful(done.stdout)

    def close(self):
        if self.gdb:
            self.gdb.end()
        self.gdb = None


def build_examples(folder, steps):
    """Compiles the examples that the steps name into folder/build/examples."""
    named = sorted({name for step in steps if step.is_shell
                    for name in re.findall(r"build/examples/(\S+?)\.rv(?:32|64)\.elf", step.line)})
    out = folder / "build" / "examples"
    files = [f"{out}/{name}.rv{width}.elf" for name in named for width in (32, 64)]
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={out}",
                    f"PROGRAMS={' '.join(named)}", *files], check=True)


def fits(pattern, said):
    """Whether lines are those of the document; "…" is any number of lines."""
    if not pattern:
        return not said
    if pattern[0] == ANY:
        return any(fits(pattern[1:], said[i:]) for i in range(len(said) + 1))
    return bool(said) and pattern[0] == said[0] and fits(pattern[1:], said[1:])


def rewrite(path):
    lines = path.read_text().split("\n")
    steps = steps_of(lines)
    with tempfile.TemporaryDirectory() as folder:
        build_examples(Path(folder), steps)
        run = Runner(Path(folder))
        changes = []
        for step in steps:
            said = run(step)
            if not fits([line for _, line in step.said if line], said):
                changes.append((step, said))
        run.close()
    for step, said in reversed(changes):
        end = step.number + 1
        while not lines[end].startswith(("```", "$ ", "(gdb) ")):
            end += 1
        lines[step.number + 1:end] = said
    path.write_text("\n".join(lines))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(Path(name))
