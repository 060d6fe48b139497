"""wavetrap's own checks find each planted mistake of the suite, and nothing else. A finding of --report=json:FILE is an object a line
(docs/report.md):

    {"wavetrap": 1, "kind": "finding", "process": N, "finding": KIND, "severity": "error" | "warning" | "note", "text": …,
     "access": "load" | "store" | "atomic", "bytes": N, "function": …, "file": …, "line": N, "calls": [{"function": …, "file": …, "line": N}, …],
     "kernel": …, "lanes": "0-3,7", "object": {"name": …, "size": N, "offset": N}}

KIND is one of KINDS. `calls`: those that the place is inlined in, the innermost first; an atomic operation of CUDA's headers has its place there, and the
program's in `calls`. For a finding of the host's side they are the call stack. A member whose value is not known is left out.
"""
import collections
import functools
import json
import re
import subprocess

import pytest

import check_pages
import checks
from releases import CC

CHECK = "--check=memory,leak,api"
# Each kind, and the check that reports it.
KINDS = {kind["name"]: kind["check"] for kind in check_pages.KINDS}
# What is not found: the words of docs/checks.md that say why, and the mistakes.
MISSED = {
    "addresses that come from memory, from an argument, or from a function's result": "openmp-private_after-gfx900 vortex-stack_passed-vortex",
    "arrays in GCC's stacks for OpenMP": "openmp-private_after-sm",
    "which part is whose is said by DWARF's expressions alone": """opencl-private_after-gen9 opencl-private_before-gen9
        level_zero-private_after-gen9""",
    "the compiler makes the same `global_load_dword`": "memory-misaligned_word-gfx900 memory-misaligned_pair-gfx900",
    "the address is within the whole buffer, which may be another argument": "opencl-part_after-gen9",
}
# Found, but for a part of what is said. Clang writes lines alone into PTX: neither variables' names nor inlined functions. It makes two accesses of one to 16
# bytes; on gfx900 compilers make one of two. On gfx900 a kernel's arguments are one object.
NAME, HALF = {"object's name"}, {"bytes", "object's offset"}
LESS = {"memory-private_after-sm": NAME, "memory-private_before-sm": NAME, "memory-private_passed-sm": NAME, "memory-argument_after-sm": NAME,
        "memory-in_inlined-sm": {"function"}, "memory-vector_outside-sm": HALF, "memory-vector_partly-sm": HALF,
        "memory-two_before-sm": {"bytes"}, "memory-two_after-sm": HALF,
        "memory-argument_after-gfx900": NAME | {"object's size", "object's offset"}}
TWICE = {"memory-vector_outside-sm"}    # both halves
# What has a process of its own, and why.
ALONE = {
    "the address may be within memory of another case": "memory-global_far opencl-global_far level_zero-global_far",
    "with all of the program's kernels the table lies between tables of others": "opencl-table_after opencl-table_before",
    "a program of Vortex has one case each time": "vortex",
}
REASONS = {one: reason for reason, names in MISSED.items() for one in names.split()}
EVERY = [(label, family) for label in checks.labels() for family in checks.FAMILIES[label.program]]


def name_of(value):
    return f"{value.program}-{value.case}" if isinstance(value, checks.Label) else value


def reported(folder, label, family, how, *cases, compiler="usual"):
    """The findings of a run, and its exit status."""
    path = folder / "report.json"
    done = checks.wavetrap(label.program, family, how, *cases, options=[CHECK, f"--report=json:{path}"], compiler=compiler)
    assert path.exists(), done.stdout + done.stderr
    objects = [json.loads(line) for line in path.read_text().splitlines()]
    found = [one for one in objects if one["kind"] == "finding"]
    assert {one.get("gpu", checks.gpu(family)) for one in found} <= {checks.gpu(family)}, found
    return found, done


def plain(function):
    """Without types and templates."""
    return re.sub(r"\(.*|<.*", "", function or "")


def innermost(found):
    """The place in a finding that is in a source of the suite: not in a compiler's header, nor in a library."""
    own = {source for names in checks.sources().values() for source in names}
    places = [place for place in (found, *found.get("calls", ())) if place.get("file", "").rpartition("/")[2] in own]
    return places[0] if places else found


def differences(found, label):
    """What of a finding is not as its label says: {member: (found, wanted)}."""
    found = found | {member: innermost(found).get(member) for member in ("function", "file", "line")}
    name, size, offset = label.object
    wanted = {"access": label.access, "bytes": label.bytes, "lanes": label.lanes, "line": label.line}
    if label.function:
        wanted["function"] = label.function
    there = found.get("object", {})
    pairs = {member: (plain(found.get(member)) if member == "function" else found.get(member), value) for member, value in wanted.items() if value is not None}
    pairs |= {f"object's {member}": (there.get(member), value) for member, value in (("name", name), ("size", size), ("offset", offset)) if value is not None}
    # OpenCL's programs are text for the runtime, which has no name for them.
    if not (label.program == "opencl" and label.file == "kernels.cl"):
        pairs["file"] = ((found["file"] or "").rpartition("/")[2], label.file)
    return {member: pair for member, pair in pairs.items() if pair[0] != pair[1]}


def is_expected(found, label, family):
    wanted = {(severity, kind) for check, severity, kind in label.expected(family) if not check and not label.missed}
    return (found["severity"], found["finding"]) in wanted


PLANTED = [one for one in EVERY if one[0].findings]
IN_COMPANY = [(label, family) for label, family in PLANTED if not {name_of(label), family} & set(" ".join(ALONE.values()).split())]
# Code of clang 22 for a gfx900 that calls malloc() asks for a device queue, at which Debian's runtime crashes.
CRASH = {("gfx900", "clang-22"): {"heap_after", "heap_after_free", "heap_freed_twice", "heap_kept"}}


def by_compilers(pairs):
    """These pairs that end with a family, each with the usual compiler and the others."""
    return [(what, family, compiler) for what, family in pairs for compiler in ("usual", *checks.OTHER_CLANGS.get((getattr(what, "program", what), family), ()))
            if getattr(what, "case", None) not in CRASH.get((family, compiler), ())]


@pytest.fixture(scope="module", name="company")
def company_(tmp_path_factory):
    """company(program, family, compiler): the runs of a program with many mistakes, each (labels, findings, run)."""
    @functools.cache
    def runs(program, family, compiler):
        labels = [label for label, of in IN_COMPANY if (label.program, of) == (program, family) and label.case not in CRASH.get((family, compiler), ())]
        return [(run, *reported(tmp_path_factory.mktemp(program), run[0], family, "bad", *(label.case for label in run), compiler=compiler))
                for run in checks.companies(labels, lambda label: {(label.file, label.line)})]
    return runs


def is_at(found, label):
    """In the label's line; the file of a program of OpenCL has no name."""
    place = innermost(found)
    return place.get("line") == label.line and ((label.program, label.file) == ("opencl", "kernels.cl") or place.get("file", "").rpartition("/")[2] == label.file)


def has_mistake(request, found, done, label, family):
    """The findings are those of the label."""
    name = f"{name_of(label)}-{family}"
    if name in REASONS:
        request.applymarker(pytest.mark.xfail(reason=REASONS[name], strict=True))
    assert all(one["finding"] in KINDS and not one["text"].startswith("a call") for one in found), found
    mine = [one for one in found if is_expected(one, label, family)]
    others = [one for one in found if one not in mine and one["severity"] != "note"]
    assert not others, others
    if label.missed or all(check for check, *_ in label.expected(family)):
        return
    if not mine and name == "opencl-global_far-gen9":
        pytest.xfail("the runtime has a block of its own at that address, in some runs")
    assert len(mine) == 1 + (name in TWICE), f"{len(mine)} findings of {label.kinds}, of {found}\n{done.stderr}"
    assert not mine[0].get("pc") or re.match(r"\S", mine[0].get("instruction", "")), mine[0]
    wrong = differences(mine[0], label)
    assert wrong.keys() == LESS.get(name, set()), f"found, wanted: {wrong}\n{done.stderr}"


def status_tells(found, done):
    """The exit status tells of errors. A program that has failed by itself, as libgomp does, keeps its status."""
    assert (done.returncode != 0) == any(one["severity"] == "error" for one in found), done


@pytest.mark.parametrize("label, family, compiler", by_compilers(IN_COMPANY), ids=name_of)
def test_a_planted_mistake_is_found(request, company, label, family, compiler):
    """Once, by function, line, bytes, lanes and object, beside others in the same process; no other error or warning is reported of its line."""
    found, done = next((found, done) for labels, found, done in company(label.program, family, compiler) if label in labels)
    has_mistake(request, [one for one in found if is_at(one, label)], done, label, family)


@pytest.mark.parametrize("program, family, compiler", by_compilers(sorted({(label.program, family) for label, family in IN_COMPANY})))
def test_nothing_else_is_found_in_company(company, program, family, compiler):
    for labels, found, done in company(program, family, compiler):
        assert set(checks.parts_of(done.stderr)) == {label.case for label in labels}, done.stderr
        others = [one for one in found if one["severity"] != "note" and not any(is_at(one, label) for label in labels)]
        assert not others, f"{others}\n{done.stderr}"
        status_tells(found, done)


@pytest.mark.parametrize("label, family", [pytest.param(*one, marks=pytest.mark.full if one in IN_COMPANY else []) for one in PLANTED], ids=name_of)
def test_a_planted_mistake_is_found_alone(request, tmp_path, label, family):
    """In a process of its own nothing else is found at all."""
    found, done = reported(tmp_path, label, family, "bad", label.case)
    has_mistake(request, found, done, label, family)
    if not label.missed and not all(check for check, *_ in label.expected(family)):
        status_tells(found, done)


@pytest.mark.parametrize("program, family", [(program, family) for program, families in checks.FAMILIES.items() for family in families])
def test_twins_and_idioms_have_no_finding(tmp_path, program, family):
    """No error and no warning; their results are those without checks."""
    label = checks.labels_of(program)[0]
    found, done = reported(tmp_path, label, family, "good")
    found = [one for one in found if one["severity"] != "note"]
    assert not found and done.returncode == 0, f"{found}\n{done.stderr}"
    assert checks.results(done) == checks.results(checks.wavetrap(program, family, "good"))


def test_the_documents_say_what_is_not_found():
    text = "".join((checks.ROOT / "docs" / f"check{name}.md").read_text() for name in ("s", "-limits", "-races", "-rules"))
    assert not [reason for reason in MISSED if reason not in text]


def test_findings_are_equal_from_run_to_run(tmp_path):
    """Also those of several mistakes in one process."""
    label = next(label for label in checks.labels_of("memory") if label.case == "many_lanes")
    cases = [one.case for one in checks.labels_of("memory") if one.findings and not one.missed][:20]
    runs = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        found, _ = reported(tmp_path / str(number), label, "gfx900", "bad", *cases)
        runs.append([{key: value for key, value in one.items() if key not in ("process", "text", "address", "pc")} for one in found])
    assert runs[0] == runs[1] and len(runs[0]) >= 15


def test_the_list_of_kinds_is_that_of_the_labels():
    used = collections.Counter(kind for label in checks.labels() for kind in label.kinds)
    assert set(used) == {kind for kind, check in KINDS.items() if check not in ("race", "sync", "init", "hazard", "stale", "advice")}     # which have suites of their own


@pytest.mark.parametrize("gpu, options, dropped", [("gfx900", [], False), ("gfx900", ["--check=memory"], True), ("gfx900:atomics=pcie", [], True)])
def test_atomics_that_hardware_drops(gpu, options, dropped):
    """They are executed, unless the check or the GPU has them as hardware: then nothing has changed and 0 is returned. Others are executed always."""
    gpu, labels = checks.gpu(gpu), checks.labels_of("lost_atomics")
    program = checks.program_of("lost_atomics", "gfx900")
    of_floats = {"host_real", "fine_real", "managed_real"} if checks.AMD in ("gfx908", "gfx90a") else set()
    of_floats |= {"host_long", "fine_long"} if checks.AMD == "gfx90a" else set()
    for how, lost in (("bad", {label.case for label in labels if label.findings} | of_floats if dropped else set()), ("good", set())):
        done = checks.run(checks.command_under_test(), "exec", "-g", gpu, *options, *program, how, *(label.case for label in labels))
        said = dict(re.findall(r"^(\w+) is (\w+)$", done.stdout, re.M))
        assert said == {label.case: "dropped" if label.case in lost else "done" for label in labels}, done.stderr


OPENACC = """#include <openacc.h>
int main(void)
{
    int *kept = acc_malloc(100), *freed = acc_malloc(40);
#pragma acc parallel loop deviceptr(kept)
    for (int i = 0; i < 26; i++)
        kept[i] = i;
    acc_free(freed);
#pragma acc parallel loop deviceptr(freed)
    for (int i = 0; i < 10; i++)
        freed[i] = i;
    return 0;
}
"""


@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_memory_of_openacc_is_an_object(tmp_path, family):
    (tmp_path / "acc.c").write_text(OPENACC)
    words = ["env", f"PATH={checks.DEBIAN_PATH}", CC, "-O0", "-g", "-w", "-fopenacc", *checks.offload(family), tmp_path / "acc.c", "-o", tmp_path / "acc"]
    subprocess.run(list(map(str, words)), check=True, capture_output=True)
    report = tmp_path / "report"
    done = checks.run(checks.command_under_test(), "exec", "-g", checks.gpu(family), "--check=memory,leak", f"--report=json:{report}", tmp_path / "acc",
                      ACC_DEVICE_TYPE={"gfx900": "radeon", "sm": "nvidia"}[family])
    found = [one for line in report.read_text().splitlines() if (one := json.loads(line))["kind"] == "finding"]
    assert {(one["finding"], one["object"]["size"], one["object"]["by"]) for one in found} == \
        {("out-of-bounds", 100, "acc_malloc"), ("use-after-free", 40, "acc_malloc"), ("leak", 100, "acc_malloc")}, done.stderr
