"""docs/trap-handler.md: its commands, executed, print what it says."""
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP


def steps():
    """The commands of the document, each with the lines that it prints; "…" is anything."""
    text = (ROOT / "docs" / "trap-handler.md").read_text()
    found = []
    for block in re.findall(r"(?:^    .*\n)+", text, re.M):
        lines = [line[4:] for line in block.splitlines()]
        if not lines[0].startswith(("make ", "wavetrap ")):
            continue
        command = None
        for line in lines:
            if command is not None and command.endswith("\\"):
                command = command[:-1] + line.strip()
            elif line.startswith(("make ", "wavetrap ", "od ")):
                if command is not None:
                    found.append((command, printed))
                command, printed = line, []
            else:
                printed.append(line.strip())
        found.append((command, printed))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The examples, where the document's paths lead to."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "build").mkdir()
    return folder


def test_the_tutorial_is_true(folder):
    done = steps()
    assert len(done) == 8
    for command, printed in done:
        if command.startswith("make"):
            command = f"make -C {ROOT}/examples/gcn OUT={folder}/build/examples/gcn " \
                      f"{folder}/build/examples/gcn/exception.co {folder}/build/examples/gcn/counter.bin"
        ran = subprocess.run(command.replace("wavetrap", WAVETRAP, 1) if command.startswith("wavetrap") else command, shell=True, cwd=folder,
                             capture_output=True, text=True)
        assert ran.returncode == 0, ran
        out = [line.strip() for line in ran.stdout.splitlines()]
        if printed and printed[-1] == "…":
            assert out[:len(printed) - 1] == printed[:-1]
        elif printed:
            assert out == printed, command


def test_the_excerpt_is_the_example():
    """Each line of the handler that the document shows is one of examples/gcn/counter.s, in its order."""
    text = (ROOT / "docs" / "trap-handler.md").read_text()
    lines = (ROOT / "examples" / "gcn" / "counter.s").read_text().splitlines()
    shown = [line for line in re.search(r"```\n(.*?)```", text, re.S).group(1).splitlines() if "…" not in line]
    at = -1
    for line in shown:
        at = lines.index(line, at + 1)
    assert len(shown) > 10
