"""Lists in the tree that must name all of something."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))


def test_meson_knows_every_test_file():
    """A test file that no meson.build names would never run."""
    out = subprocess.run(["meson", "introspect", "--tests", BUILD], capture_output=True, text=True, check=True).stdout
    known = {test["name"] for test in json.loads(out)}
    tests = ROOT / "tests"
    files = [*tests.rglob("test_*.py"), *tests.glob("unit/test_*.c")]
    wanted = {f"{f.relative_to(tests).parts[0]}/{f.stem[5:]}" for f in files}
    # Of what this build leaves out, without a library of Debian's, the name stands there.
    left_out = set(re.findall(r"\w+", (tests / "unit" / "meson.build").read_text()))
    missing = {name for name in wanted - known if not name.startswith("unit/") or name[5:] not in left_out}
    assert not missing, f"not in any meson.build: {sorted(missing)}"


def test_sessions_and_tests_name_the_version_of_clang():
    """That of a name alone is another one on each machine."""
    sessions = [line for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")] for line in re.findall(r"^ *\$ .*", page.read_text(), re.M)]
    calls = [line for file in (ROOT / "tests").rglob("*.py") for line in re.findall(r"""(?:run|check_output|Popen|compile_|built|checks\.run)\(.*""", file.read_text())]
    assert sum("clang-" in line for line in sessions) > 20 and sum("clang-" in line for line in calls) > 20
    assert not [line for line in sessions if re.search(r"(?<![\w./-])(clang(\+\+)?|lldb|ld\.lld|llvm-\w+)(?= )", line) and "wavetrap" not in line.partition("clang")[0]]
    assert not [line for line in calls if re.search(r"""["'](clang(\+\+)?|lldb|llvm-[a-z]+)["']""", line)]


def test_the_tests_of_the_review_are_there():
    """Each line of tests/review.txt names tests or cases that exist, or says what is open."""
    tests = ROOT / "tests"
    lines = [line.partition(" | ") for line in (tests / "review.txt").read_text().splitlines() if " | " in line and not line.startswith("#")]
    named = [name.partition(":")[::2] for _, _, names in lines if not names.startswith("open: ") for name in names.split()]
    missing = [name for name in named if not re.search(rf"^(def )?{name[1].lstrip(':')}\b", (tests / name[0]).read_text(), re.M)]
    assert len(lines) > 50 and len(named) > len(lines) and not missing, missing


def test_check_leaves_no_test_out():
    """Each test belongs to `make check` or says that it is for `make full`."""
    out = subprocess.run(["meson", "introspect", "--tests", BUILD], capture_output=True, text=True, check=True).stdout
    tiers = {"check", "full"}
    outside = [test["name"] for test in json.loads(out) if not tiers & {s.split(":")[-1] for s in test["suite"]}]
    assert not outside


def test_no_test_makes_files_outside_its_temporary_folder():
    """scripts/one_test.py finds what is left in TMPDIR, and would not see a file that is made elsewhere."""
    files = [f for f in (ROOT / "tests").rglob("*") if f.suffix in (".py", ".c", ".h", ".hip", ".cu", ".exp") and f.name != "test_lists.py"]
    elsewhere = re.compile(r'"/(var/)?tmp/[^"]*(%|XXX)|dir=["\']/|["\']/dev/shm')
    assert len(files) > 300 and not [(str(f), line) for f in files for line in f.read_text().splitlines() if elsewhere.search(line)]


def test_no_test_leaves_a_module_changed():
    """Tests of other files run after it, in one process: a fixture's MonkeyPatch puts back what it sets."""
    names = "|".join(file.stem for file in ROOT.glob("tests/**/*.py")) + "|gpu|hazard|checks|model|of_gpu"
    kept = re.compile(rf"^ +(?:global [A-Z]\w*$|(?:{names})\.[A-Z]\w*(?:, [\w.]+)* = )", re.MULTILINE)
    assert [f"{file.relative_to(ROOT)}: {line.strip()}" for file in ROOT.glob("tests/**/*.py") for line in kept.findall(file.read_text())] == []


def test_planted_defects_can_be_planted():
    """The text that a row of tests/truth/defects.py changes stands in its file once; `make full` plants them."""
    sys.path.insert(0, str(ROOT / "tests" / "truth"))
    defects = importlib.import_module("defects")
    assert len(defects.DEFECTS) >= 10
    assert not [d.name for d in defects.DEFECTS if (ROOT / d.file).read_text().count(d.old) != 1]


def test_every_page_is_on_a_shelf():
    """docs/README.md lists all pages, and every link of a page leads to a file."""
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} - {"README.md"}
    shelves = (ROOT / "docs" / "README.md").read_text()
    assert not {page for page in pages if f"]({page})" not in shelves}
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / link).exists():
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert not broken


def test_pages_are_short():
    """Outside Reference no page has more than 3,000 words; the first page of each person's path has 1,200 at most."""
    docs = ROOT / "docs"
    shelves = (docs / "README.md").read_text()
    reference = set(re.findall(r"\]\((\w[\w-]*\.md)", re.search(r"^## Reference\n(.*?)^## ", shelves, re.M | re.S)[1]))
    assert {"command.md", "check-kinds.md"} <= reference
    words = {str(page.relative_to(docs)): len(page.read_text().split()) for page in docs.rglob("*.md")}
    assert not {page: count for page, count in words.items() if count > 3000 and page not in reference} and len((ROOT / "README.md").read_text().split()) <= 3000
    rows = re.findall(r"^\| (.*?) \| \[.*?\]\((\S+?\.md)\)", re.search(r"^## Your path\n(.*?)^## ", shelves, re.M | re.S)[1], re.M)
    assert len(rows) == 9
    assert not {who: words[page] for who, page in rows if words[page] > 1200}


def support(gpu):
    out = subprocess.run([BUILD / "wavetrap", "info", "--support=json", "-g", gpu], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def test_page_of_what_works_is_that_of_the_command():
    """`make support` writes docs/support.md."""
    said = subprocess.run([BUILD / "wavetrap", "info", "--support=json"], capture_output=True, text=True, check=True)
    if "are left out" in said.stderr:
        pytest.skip(said.stderr)
    page = subprocess.run([sys.executable, ROOT / "scripts" / "support.py"], input=said.stdout, capture_output=True, text=True, check=True).stdout
    assert (ROOT / "docs" / "support.md").read_text() == page, "run `make support`"


def test_ptx_that_the_matrix_calls_refused_is_refused_with_its_reason(tmp_path):
    refused = [row for row in support("sm") if row["of"] == "PTX" and row["state"] == "refused"]
    assert len(refused) > 5
    for row in refused:
        text = tmp_path / f"{row['name']}.ptx"
        text.write_text(f".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n\t{row['name']}.u32 0;\n\tret;\n}}\n")
        said = subprocess.run([BUILD / "wavetrap", "run", "-g", "sm:cc=9.0", text], capture_output=True, text=True).stderr
        assert f"'{row['name']}.u32' is not executed: {row['note']}" in said


def test_functions_that_the_matrix_calls_refused_are_refused_with_their_reason():
    """Each is called with zeros; those for a default stream of each thread are the same functions."""
    rows = [row for row in support("sm") if row["of"] in ("libcuda.so.1", "libcudart.so.13") and row["state"] == "refused"]
    assert len(rows) > 150 and not {row["name"] for row in rows} & {row["name"] for row in support("sm") if row["state"] == "works"}
    program = """import ctypes, sys
for line in sys.stdin:
    library, name = line.split()
    print(name, getattr(ctypes.CDLL(library), name)(*[ctypes.c_void_p(0)] * 8), flush=True)
"""
    done = subprocess.run([BUILD / "wavetrap", "exec", "-g", "sm", sys.executable, "-c", program], capture_output=True, text=True,
                          input="".join(f"{row['of']} {row['name']}\n" for row in rows if row["name"] != "cuGetExportTable"))
    results = dict(line.split() for line in done.stdout.splitlines())
    for row in rows:
        name = re.sub(r"_pt[sd][sz]$", "", row["name"])
        if name != "cuGetExportTable":
            assert results[row["name"]] == "801" and f"{name} is refused: {row['note']}" in done.stderr, row


def test_the_errors_of_the_page_of_questions_are_those_of_the_program():
    """Each piece of a message in the table is in a text of src."""
    page = (ROOT / "docs" / "questions.md").read_text()
    texts = "".join(re.sub(r'"\s*\n\s*"', "", file.read_text()) for file in (ROOT / "src").rglob("*.[ch]"))
    texts = re.sub(r"%\d*(zu|[sdu])", "…", texts.replace('\\"', '"'))
    pieces = [piece.strip() for message in re.findall(r"^\| `(.*?)` \|", page, re.M) for piece in re.split(r"…|(?<=status )\d+|(?<==)\d+", message)]
    assert len(pieces) > 12 and not [piece for piece in pieces if len(piece) > 3 and piece not in texts]
