"""Six newcomers: from a page to the culprit, after `make install`, by the commands that the page has and no others. As many as a person types count; what a
project builds anyway, for CI and for the grid of lanes, does not. The editor's newcomer is view/workbench."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import checks

ROOT = checks.ROOT
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))
pytestmark = pytest.mark.skipif(not (BUILD / "build.ninja").exists(), reason="WAVETRAP is not in a build folder")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The root of an installed copy."""
    root = tmp_path_factory.mktemp("root")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root], check=True, capture_output=True)
    return root


@pytest.fixture
def person(installed, tmp_path):
    """person(command, typed): what a command prints to somebody who has nothing but the installed copy, in a folder with its examples; `typed` is for its
    prompt."""
    command = next(path for path in installed.rglob("bin/wavetrap"))
    ci, config = next(installed.rglob("share/wavetrap/ci")), next(installed.rglob("wavetrap.pc"))
    environment = {**checks.environment(), "PATH": f"{command.parent}:{ci}:{checks.DEBIAN_PATH}", "HOME": str(tmp_path), "PKG_CONFIG_PATH": str(config.parent),
                   "PKG_CONFIG_SYSROOT_DIR": str(installed), "LD_LIBRARY_PATH": str(next(installed.rglob("libwavetrap.so.0")).parent)}

    def run(line, typed=""):
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, input=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
        return done.stdout
    run("wavetrap examples")
    return run


def commands(page, title):
    """[(command, what is typed at its prompt)] of a section's console blocks."""
    section = re.search(rf"^##+ {re.escape(title)}\n(.*?)(?=^## |\Z)", (ROOT / page).read_text(), re.M | re.S)[1]
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", section, re.M | re.S):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
        found += [(command, "".join(re.findall(r"^\(wavetrap\) (.*\n)", said, re.M))) for command, said in zip(parts[1::2], parts[2::2])]
    return found


def examples(target=""):
    """What `make` prints in examples, of a target without executing it."""
    return subprocess.run(["make", "-s", "--no-print-directory", "-C", ROOT / "examples", "CC=gcc", *(["-n", target] if target else [])], capture_output=True, text=True, check=True).stdout


EXAMPLES = re.findall(r"^  (\S+)$", examples(), re.M)
QUICK = {"vortex/broken/blur", "sm/breakpoint", "checks/stale", "checks/leak"}


def line_of(file, text):
    return next(i for i, line in enumerate((ROOT / "examples" / file).read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("title,most,culprit", [
    ("HIP on AMD's gfx90a", 3, f"blur.hip:{line_of('gcn/blur.hip', '? in[i + 1]')}"),
    ("CUDA on NVIDIA's SM", 2, f"race.cu:{line_of('checks/race.cu', 's[threadIdx.x] =')}"),
    ("OpenCL and Level Zero on Intel's Gen9", 3, f"stray.c:{line_of('opencl/stray.c', 'cl_mem out = buffer')}")])
def test_the_readme_leads_to_the_culprit(person, title, most, culprit):
    words = commands("README.md", title)
    assert 0 < len(words) <= most
    assert culprit in "".join(person(*one) for one in words)


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in EXAMPLES])
def test_an_example_is_one_command(person, name):
    """Compiled and run; those of a kind of finding report it."""
    said = person(f"make -C examples {name}; echo status $?")
    assert said.endswith("status 0\n") and not re.search(r"Error 12[567] ", said), said
    assert not name.startswith("checks/") or re.search(rf": {'read-only' if name == 'checks/vortex' else name[7:]}\b", said), said


def test_the_list_of_examples_has_those_of_the_pages():
    """A source of examples that a command of a page compiles is in the list; programs of kinds of findings have the page's own commands."""
    pages = {page: page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}
    lines = [line for text in pages.values() for line in re.findall(r"^\$ .*", text, re.M)]
    named = {name for line in lines for name in re.findall(r"(?<!/)examples/(\w+/[\w/]+)\.\w+", line)}
    assert len(named) > 12 and named <= set(EXAMPLES), named - set(EXAMPLES)

    def plain(line):
        return re.sub(r"\S*build/run/\S*/|\$OUT/|(?<= )\./|\bchecks/|\.co\b|-Ichecks", "", line).split()
    kinds = [name for name in EXAMPLES if name.startswith("checks/") and name != "checks/vortex"]
    page = pages[ROOT / "docs" / "check-kinds.md"]
    assert len(kinds) > 35
    for name in kinds:
        section = re.search(rf"^## `{name[7:]}`\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
        commands = [line for line in examples(name).splitlines() if not line.startswith("mkdir")]
        assert [plain(line) for line in commands] == [plain(line) for line in re.findall(r"^\$ (.*)", section, re.M)], name


def test_a_job_is_one_command(person):
    words = [command for command, _ in commands("docs/ci.md", "A script")]
    own = [command for command in words if "run.sh" in command]
    assert len(own) == 1
    said = "".join(person(f"cd examples/checks && {command}") for command in words)
    assert "status 115" in said and "findings.sarif" in said
    assert re.search(r"leak\.c", person("cat examples/checks/kept/findings.sarif"))


def compile_race(person):
    person(commands("README.md", "CUDA on NVIDIA's SM")[0][0])


def test_a_program_finds_it_by_the_library(person):
    """One program of 30 lines, in C, and fewer in Python; each prints the line that stores and the line that loads."""
    compile_race(person)
    build, run = (command for command, _ in commands("docs/library.md", "A bug in 30 lines"))
    assert (ROOT / "examples" / "api" / "findings.c").read_text().count("\n") <= 30
    program = re.search(r"^```python\n(.*?)^```$", (ROOT / "docs" / "library.md").read_text().partition("## A bug in 30 lines")[2], re.M | re.S)[1]
    assert program.count("\n") <= 30
    said = [person(build) + person(run), person(f"PYTHONPATH={ROOT}/contrib/python {sys.executable} -", program)]
    for one in said:
        assert f"race.cu:{line_of('checks/race.cu', 's[threadIdx.x] =')}" in one and f"race.cu:{line_of('checks/race.cu', 'out[')}" in one, one


@pytest.mark.full
def test_a_page_for_somebody_else_is_one_command(person, tmp_path):
    sys.path.append(str(ROOT / "tests" / "view"))
    from browser import Browser
    compile_race(person)
    words = [command for command, _ in commands("docs/view.md", "A finding")]
    assert len(words) == 1
    person(words[0])
    browser = Browser()
    try:
        browser.open((tmp_path / "race.html").as_uri())
        shown = browser.run("document.querySelector('aside').innerText")
        assert f"race.cu:{line_of('checks/race.cu', 's[threadIdx.x] =')}" in shown and f"race.cu:{line_of('checks/race.cu', 'out[')}" in shown
    finally:
        browser.close()
