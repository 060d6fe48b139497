"""The sessions that the documents show are real: they are run again, and say the same."""
import json
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP
from sessions import Runner, build_examples, fits, steps_of

DOCUMENTS = ["README.md", "docs/tutorial.md", "docs/gdb.md", "docs/overwritten.md", "docs/time-travel.md"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_documents_sessions_are_real(name, tmp_path):
    text = (ROOT / name).read_text()
    # The README's first screen, and Vortex. tests/checks/test_kinds.py has its other sessions.
    parts = text.split("\n## ")
    text = parts[0] + next(part for part in parts if part.startswith("Vortex, ")) if name == "README.md" else text
    steps = steps_of(text.split("\n"))
    assert len(steps) > 5
    build_examples(tmp_path, steps)
    run = Runner(tmp_path)
    try:
        for step in steps:
            said = run(step)
            shown = [line for _, line in step.said if line]
            assert fits(shown, said), f"{step.line}\nis shown as\n" + "\n".join(shown) + "\nbut says\n" \
                + "\n".join(said)
    finally:
        run.close()


def test_the_readmes_deadlock_is_real(tmp_path):
    """Its program is among the examples."""
    page = (ROOT / "README.md").read_text()
    assert "make -C examples/vortex PROGRAMS=broken/deadlock" in page
    steps = [step for step in steps_of(page.split("\n")) if step.line.startswith("$ wavetrap run") and "deadlock" in step.line]
    build_examples(tmp_path, steps)
    (step,), run = steps, Runner(tmp_path)
    assert fits([line for _, line in step.said if line], run(step)), run(step)


def test_the_editors_setup_finds_gdbs_commands(tmp_path):
    """The server and the GDB of editors.md: each line of setupCommands succeeds, and the page's commands answer. The path is that of `make install`
    without another prefix, which a build with the default prefix says."""
    page = (ROOT / "docs" / "editors.md").read_text().split("## GDB and LLDB\n")[1]
    setup = json.loads(re.findall(r"```json\n(.*?)```", page, re.S)[0])["configurations"][0]["setupCommands"]
    assert not any(line.get("ignoreFailures") for line in setup)
    told = json.loads(subprocess.run(["meson", "setup", tmp_path / "build", ROOT], check=True, capture_output=True, text=True) and subprocess.run(
        ["meson", "introspect", "--installed", tmp_path / "build"], check=True, capture_output=True, text=True).stdout)
    path = setup[0]["text"].removeprefix("source ")
    source = next(source for source, place in told.items() if place == path)
    command = re.search(r"^    wavetrap serve (.*) build/examples/(\S+)\.rv32\.elf$", page, re.M)
    out = tmp_path / "examples"
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={out}", f"PROGRAMS={command[2]}", f"{out}/{command[2]}.rv32.elf"], check=True)
    elf = f"{out}/{command[2]}.rv32.elf"
    said = [word for line in (f"source {source}", *(line["text"] for line in setup[1:]), "break draw", "continue",
                              *re.findall(r"`-exec ([^`]*)`", page.replace("\n", " "))) for word in ("-ex", line)]
    done = subprocess.run([WAVETRAP, "gdb", "--plain", *command[1].split(), elf, "--", "-nx", "-batch", "-ex", "set pagination off", *said],
                          capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
    assert "No such file" not in done.stderr and "Undefined" not in done.stderr and "Error" not in done.stderr, done.stderr
    assert "hit Breakpoint 1, draw" in done.stdout and re.search(r"^\* +0 +0 +ready", done.stdout, re.M) and re.search(r"pixel +PC", done.stdout), done.stdout
