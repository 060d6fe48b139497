"""docs/check-kinds.md: each kind has a program in examples/checks, which reports what the page says, and in --report=json what its schema says.
docs/checks-tutorial.md and docs/checks-ci.md likewise."""
import json
import os
import re
import shutil
import subprocess

import jsonschema
import pytest

import checks
from test_found import KINDS

EXAMPLES = checks.ROOT / "examples"
SCHEMA = json.loads((checks.ROOT / "docs" / "report.schema.json").read_text())


def sections(page):
    """{title: text} of a document of the tree."""
    parts = re.split(r"^## (.*)\n", (checks.ROOT / "docs" / page).read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def plain(text):
    """Without addresses, issue times, folders, LLVM's comments, and the line about the exit status."""
    text = re.sub(r"0x[0-9a-f]+", "0x…", text)
    text = re.sub(r"issue time \d+ \(goto \d+\)", "issue time …", text)
    text = re.sub(r"( at | in )\S*/(?=\S+(:\d+|, after line \d+)$)", r"\1", text, flags=re.M)
    return [re.sub(r"\s*(//.*)?$", "", line) for line in text.splitlines() if ": exit status " not in line]


def replay(text, folder, inside="examples/checks"):
    """Runs the commands of a section's console blocks in a folder with a copy of examples; each says what stands behind it. Lines behind the
    debugger's prompt are its commands."""
    (folder / "bin").mkdir()
    command, report = folder / "bin" / "wavetrap", f"--report=json:{folder / 'report.json'}"
    command.write_text(f'#!/bin/sh\nwhat=$1\nshift\ncase $what in exec|run) set -- "{report}" "$@" ;; esac\nexec {checks.command_under_test()} $what "$@"\n')
    command.chmod(0o755)
    shutil.copytree(EXAMPLES, folder / "examples")
    (folder / "out").mkdir()
    environment = {**checks.environment(), "PATH": f"{folder}/bin:{checks.DEBIAN_PATH}", "OUT": str(folder / "out")}
    for block in blocks(text, "console"):
        parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block, flags=re.M)
        for command, wanted in zip(parts[1::2], parts[2::2]):
            typed = re.findall(r"^\(wavetrap\) (.*\n)", wanted, re.M)
            done = subprocess.run(command, shell=True, cwd=folder / inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  input="".join(typed), timeout=120, check=False, env=environment)
            assert plain(done.stdout) == plain(re.sub(r"^\(wavetrap\) .*\n", "", wanted, flags=re.M)), command


# What compiles a program with a kernel, and is like another one that make check has.
FULL = """out-of-bounds double-free bad-free out-of-object wrong-direction other-barrier barrier-count inactive-lane unfinished-copy deadlock host-race idle-fence
undefined-address undefined-atomic undefined-result undefined-load undefined-copy""".split()


def test_each_kind_is_described():
    assert set(sections("check-kinds.md")) == {f"`{kind}`" for kind in KINDS}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.full) if kind in FULL else kind for kind in KINDS])
def test_the_program_of_a_kind_reports_it(tmp_path, kind):
    text = sections("check-kinds.md")[f"`{kind}`"]
    source, = [path for path in (EXAMPLES / "checks").iterdir() if path.stem == kind]
    code, = blocks(text, "(?:c|asm)")
    assert code.strip() in source.read_text()
    replay(text, tmp_path)
    said, = blocks(text, "console")
    objects = [json.loads(line) for line in (tmp_path / "report.json").read_text().splitlines()]
    for one in objects:
        jsonschema.validate(one, SCHEMA)
    assert kind in {one.get("finding") for one in objects}
    assert [kind] == re.findall(r"^wavetrap: (?:error|warning|note): ([a-z-]+)", said, re.M) and f"--check={KINDS[kind]} " in said


@pytest.mark.parametrize("title", [pytest.param(title, marks=pytest.mark.full) if title.startswith("HIP") else title for title in sections("checks-tutorial.md")])
def test_the_tutorial_is_true(tmp_path, title):
    replay(sections("checks-tutorial.md")[title], tmp_path)


@pytest.mark.parametrize("title", ["HIP on AMD's gfx90a", "CUDA on NVIDIA's SM", "OpenCL and Level Zero on Intel's Gen9"])
def test_the_readme_is_true(tmp_path, title):
    replay(sections("../README.md")[title], tmp_path, ".")


def test_the_tutorial_has_each_family():
    titles = list(sections("checks-tutorial.md"))
    assert all(any(family in title for title in titles) for family in ("gfx900", "SM", "Gen9", "Vortex")), titles


def test_the_page_for_ci_is_true(tmp_path):
    """Its sections go on from each other."""
    replay((checks.ROOT / "docs" / "checks-ci.md").read_text(), tmp_path)


def test_the_page_of_checks_names_each_kind():
    assert set(re.findall(r"`([a-z-]+)`", "".join(line.split("|")[1] for line in sections("checks.md")["Kinds"].splitlines() if line.startswith("| `")))) == set(KINDS)
