"""The labels of the planted mistakes are right: what AddressSanitizer and Oclgrind can see they report, at the labelled line, of the labelled
kind and size, in the labelled lanes; twins and idioms are silent in both, and give on wavetrap's emulators what they give on the host."""
import collections
import concurrent.futures
import dataclasses
import functools
import json
import re

import pytest

import checks
import test_found as harness

OUTSIDE = {"out-of-bounds", "out-of-object"}
# What the sanitizers call a label's kind; both kinds of outside are one for them, and a bad address ends the program.
KINDS = [("heap-use-after-free", {"use-after-free", "use-after-destroy"}), ("attempting double-free", {"double-free"}),
         ("attempting free on address which was not malloc", {"bad-free"}), ("alloc-dealloc-mismatch", {"bad-free"}),
         ("detected memory leaks", {"leak"}), ("SEGV", OUTSIDE | {"null", "read-only"}),
         ("buffer-overflow", OUTSIDE), ("buffer-underflow", OUTSIDE), ("runtime error: index", OUTSIDE), ("runtime error: .* misaligned", {"misaligned"}),
         ("runtime error: .* null pointer", {"null"}), ("ERROR: AddressSanitizer", OUTSIDE)]


@dataclasses.dataclass
class Report:
    """What an oracle said of a place. frames: (function, file, line) of the program's files; objects: (size, offset) of those that it names."""
    text: str
    kinds: set
    access: str = None
    bytes: int = None
    lane: int = None
    frames: list = dataclasses.field(default_factory=list)
    objects: list = dataclasses.field(default_factory=list)


# ---- the sanitizers ----

def frames_of(text):
    """Those in the sources of the programs; not of what stands for a library (gpu.h, host/)."""
    found = re.findall(r"^ +#\d+ \S+ in (.+?) (?:\S*/)?([\w.]+):(\d+)(?::\d+)?$", text, re.M)
    own = {source for names in checks.sources().values() for source in names}
    return [(re.sub(r"\(.*|\._omp_fn.*|<.*", "", function), file, int(line)) for function, file, line in found if file in own]


def sanitizer_reports(said):
    """Of stderr. A leak is one report for each block that is lost."""
    starts = [m.start() for m in re.finditer(r"^==\d+==ERROR|^\S+: runtime error:", said, re.M)] + [len(said)]
    for begin, end in zip(starts, starts[1:]):
        text = said[begin:end]
        kinds = next(kinds for words, kinds in KINDS if re.search(words, text))
        if kinds == {"leak"}:
            for block in re.split(r"^(?=Direct|Indirect)", text, flags=re.M)[1:]:
                yield Report(block, kinds, frames=frames_of(block), objects=[(int(re.search(r"leak of (\d+) byte", block)[1]), None)])
            continue
        stack = text.split("\n\n")[0]
        access = re.search(r"^(READ|WRITE) of size (\d+)", text, re.M)
        segv = re.search(r"caused by a (READ|WRITE)", text)
        undefined = re.search(r"runtime error: (load|store)", text)
        word = (access or segv or undefined or [None, None])[1]
        lane = re.search(r"thread T\d+ \(lane(\d+)\)", text)
        objects = [(int(size), {"right": int(size) + int(by), "left": -int(by), "inside": int(by)}[side]) for by, side, size in
                   re.findall(r"located (\d+) bytes (?:to the )?(right|left|inside) of (?:(?=\d)|global variable .* of size )(\d+)", text)]
        yield Report(text, kinds, {"READ": "load", "WRITE": "store"}.get(word, word), access and int(access[2]), lane and int(lane[1]), frames_of(stack), objects)


def is_at(report, label):
    """The place of the label. An access is in the innermost function of the program; a leak has the label's call in its stack."""
    places = [(function, line) for function, file, line in report.frames if file == label.file]
    return (label.function, label.line) in (places if report.kinds == {"leak"} else places[:1])


def ends_the_program(label):
    """A bad address, for the host."""
    return bool(label.kinds & {"null", "read-only"}) or (label.kinds <= OUTSIDE and not label.object[1] and label.proof == "asan")


@functools.cache
def sanitized(program):
    """{case: reports} of a program's mistakes. One process makes them one after the other, but for those that end it; what it has lost is told at
    its end. None: of no case."""
    labels = [label for label in checks.labels_of(program) if label.proof in ("asan", "ubsan")]
    alone = [label.case for label in labels if ends_the_program(label)]
    rest, together = [label.case for label in labels if label.case not in alone], []
    for _ in range(3):    # under load the sanitizer itself may end the process before the last case
        together.append(checks.sanitized(program, "bad", *rest))
        rest = [case for case in rest if case not in checks.parts_of(together[-1].stderr)]
        if not rest:
            break
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = [*together, *pool.map(lambda case: checks.sanitized(program, "bad", case), alone)]
    found = {label.case: [] for label in labels} | {None: []}
    for done in said:
        for case, text in checks.parts_of(done.stderr).items():
            for report in sanitizer_reports(text):
                if report.kinds == {"leak"}:
                    case = next((label.case for label in labels if "leak" in label.kinds and is_at(report, label)), None)
                found[case].append(report)
    return found


SEEN = [label for program in ("memory", "openmp", "vortex") for label in checks.labels_of(program) if label.proof in ("asan", "ubsan")]


@pytest.mark.sample(4)
@pytest.mark.parametrize("label", SEEN, ids=lambda label: f"{label.program}-{label.case}")
def test_the_sanitizers_see_the_mistake(label):
    """And nothing else."""
    found = sanitized(label.program)[label.case]
    elsewhere = [r.text for r in found if not is_at(r, label)]
    assert not elsewhere, f"not at {label.file}:{label.line} in {label.function}: {elsewhere[0]}"
    wanted = [r for r in found if r.kinds & label.kinds and ("runtime error" in r.text) == (label.proof == "ubsan")]
    assert wanted, f"none of kind {label.kinds} at {label.file}:{label.line}, but {[r.text for r in found]}"
    lanes = {r.lane for r in wanted if r.lane is not None}
    for r in wanted if label.proof == "asan" else ():
        if label.access and r.access:   # an atomic operation is a store; the bytes are not told of a bad address
            assert r.access == ("store" if label.access == "atomic" else label.access) and r.bytes in (None, label.bytes), r.text
        if r.objects and label.object[1] and (r.lane is None or r.lane == min(lanes)):
            begin, end = label.object[2] or 0, (label.object[2] or 0) + (label.bytes or 1)
            assert any(size == label.object[1] and (offset is None or begin <= offset < end) for size, offset in r.objects), r.text
    if not label.lanes or not lanes:
        return
    if ends_the_program(label):     # at the first lane
        assert lanes <= checks.members(label.lanes)
    elif label.program == "vortex":     # two warps, whose lanes have the same names; the label has those of the first
        assert lanes & checks.members(label.lanes)
    else:
        assert checks.ranges(lanes) == label.lanes


@pytest.mark.parametrize("program", ["memory", "openmp", "vortex"])
def test_nothing_else_is_lost(program):
    assert not sanitized(program)[None]


# ---- Oclgrind ----

def oclgrind_reports(said):
    for text in re.split(r"\n\s*\n", said):
        if m := re.search(r"^\s*Function: (\w+)\s+Error: +(\w+)", text, re.M):
            yield Report(text, {m[1], m[2]})
            continue
        line, lane = re.search(r"At line (\d+)", text), re.search(r"Entity: Global\((\d+),", text)
        if not line:
            continue
        access = re.search(r"Invalid (read|write) of size (\d+)", text)
        kinds = OUTSIDE | {"null"} if access or "exceeds static array" in text else {"misaligned"} if "not aligned" in text else {"read-only"}
        yield Report(text, kinds, access and {"read": "load", "write": "store"}[access[1]], access and int(access[2]), int(lane[1]),
                     [(None, "kernels.cl", int(line[1]))])


@pytest.fixture(scope="module")
def oclgrind():
    """{case: reports} of all mistakes, which one process makes, one after the other: Oclgrind does not execute what it reports."""
    cases = [label.case for label in checks.labels_of("opencl") if label.proof == "oclgrind"]
    done = checks.oclgrind("bad", *cases)
    assert done.returncode == 0, done.stdout + done.stderr
    return {case: list(oclgrind_reports(text)) for case, text in checks.parts_of(done.stderr).items()}


@pytest.mark.parametrize("case", [label.case for label in checks.labels_of("opencl") if label.proof == "oclgrind"])
def test_oclgrind_sees_the_mistake(oclgrind, case):
    label = next(label for label in checks.labels_of("opencl") if label.case == case)
    found = oclgrind[case]
    assert found, "Oclgrind says nothing"
    if label.file == "opencl.c":    # a call: its name is in the label's line
        line = (checks.HERE / label.file).read_text().splitlines()[label.line - 1]
        assert all(kind in line or kind.startswith("CL_") for r in found for kind in r.kinds), (line, found)
        return
    assert {r.frames[0][2] for r in found} == {label.line}, [r.text for r in found]
    wanted = [r for r in found if r.kinds & label.kinds]
    assert wanted and checks.ranges({r.lane for r in wanted}) == label.lanes, [r.text for r in found]
    for r in wanted:
        if r.access:
            assert r.bytes == label.bytes and (label.access == "atomic" or r.access == label.access), r.text


# ---- all ----

def host_results(program):
    """What twins and idioms give on the host, where nothing is reported of them."""
    done = checks.sanitized(program, "good") if program != "opencl" else checks.oclgrind("good")
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.sub(r"^case \w+\n", "", done.stderr, flags=re.M)
    if program == "opencl":     # it has no clSVMAlloc, and says so
        said = re.sub(r"\n*Oclgrind - OpenCL runtime error detected\n\tFunction: clSVM\w+\n.*\n.*\n", "", said)
    assert not said.strip(), said
    return checks.results(done)


HOSTS = {"driver": "memory", "level_zero": "opencl"}   # the programs without an oracle of their own have the same kernels in others


@pytest.fixture(scope="module")
def on_host():
    """on_host(program): {case: checksum}"""
    made = {}

    def results(program):
        if program not in made:
            made[program] = host_results(program)
        return made[program]
    return results


@pytest.mark.parametrize("program", ["memory", "openmp", "vortex", "opencl"])
def test_twins_and_idioms_are_silent_in_the_oracle(on_host, program):
    assert set(on_host(program)) >= {label.case for label in checks.labels_of(program) if "svm" not in label.case}


@pytest.mark.sample(3)
@pytest.mark.parametrize("program, family", [(program, family) for program, families in checks.FAMILIES.items() for family in families])
def test_twins_and_idioms_give_the_hosts_results(on_host, program, family):
    done = checks.wavetrap(program, family, "good")
    found = checks.results(done)
    assert done.returncode == 0 and set(found) == set(checks.cases_of(program)), done.stdout + done.stderr
    if program in ("images", "lost_atomics"):     # it compares its numbers itself
        return
    host = on_host(HOSTS.get(program, program))
    if program in HOSTS:    # one of the other program's cases has the same kernel and numbers
        for label in checks.labels_of(program):
            if label.proof == HOSTS[program]:
                assert found[label.case] in {host[o.case] for o in checks.labels_of(label.proof) if o.case in host and (o.file, o.line) == (label.file, label.line)}, label
        return
    assert {case: sum for case, sum in found.items() if case in host} == host
    assert not re.search("wavetrap:", done.stderr), done.stderr


# Mistakes that are faults of the SM's own, without any check: there the code for the device has them at the labels' lines and in their lanes.
FAULTS = """global_before byte_before global_far freed_load freed_store shared_after shared_before shared_byte shared_asked private_after private_before misaligned_word
misaligned_pair null_of_lane null_struct pool_freed""".split()


def test_faults_of_a_device_are_at_the_labels(tmp_path):
    checks.program_of("memory", "sm")
    labels = {label.case: label for label in checks.labels_of("memory")}

    def fault(case):
        path = tmp_path / case
        checks.wavetrap("memory", "sm", "bad", case, options=[f"--report=json:{path}"])
        return [(one["place"].rpartition(" at ")[2].rpartition("/")[2], one["lanes"]) for one in map(json.loads, path.read_text().splitlines()) if one["kind"] == "fault"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(FAULTS, pool.map(fault, FAULTS)))
    assert found == {case: [(f"memory.cu:{labels[case].line}", labels[case].lanes)] for case in FAULTS}


def test_each_case_has_a_label():
    """And each label a case; kinds of proofs are those that labels.txt names."""
    for program in checks.FAMILIES:
        named = [label.case for label in checks.labels_of(program)]
        assert named == list(dict.fromkeys(named)) and set(named) == set(checks.cases_of(program)), program
    reasons = set(re.findall(r"^# (no:\w+) ", (checks.HERE / "labels.txt").read_text(), re.M))
    proofs = collections.Counter(label.proof for label in checks.labels() if label.findings)
    assert set(proofs) == reasons | {"asan", "ubsan", "oclgrind", "memory", "opencl"}


def test_the_harness_of_findings_notices_each_difference():
    """A finding that says what the label says is right, and none that says something else (test_found.py)."""
    noticed = collections.Counter()
    for label in checks.labels():
        if not label.findings:
            continue
        name, size, offset = label.object
        right = {"access": label.access, "bytes": label.bytes, "lanes": label.lanes, "line": label.line, "function": f"{label.function}(int*)",
                 "file": f"/folder/{label.file}", "object": {"name": name, "size": size, "offset": offset}}
        assert not harness.differences(right, label), label
        for member, other in [("access", "fetch"), ("bytes", 3), ("lanes", "1-2"), ("line", 1), ("function", "main"), ("file", "other.c"),
                              ("object", {"name": "n", "size": 1, "offset": 1})]:
            noticed[member] += bool(harness.differences(right | {member: other}, label))
        header = right | {"function": "atomicAdd", "file": "/usr/header.h", "line": 3}
        assert not harness.differences(header | {"calls": [{key: right[key] for key in ("function", "file", "line")}]}, label)
    assert all(count > 50 for count in noticed.values()), noticed


def test_there_are_enough_of_them():
    """Of each program on each of its families."""
    planted = sum(len(checks.FAMILIES[label.program]) for label in checks.labels() if label.findings and not label.missed)
    idioms = sum(len(checks.FAMILIES[label.program]) for label in checks.labels() if not label.findings)
    assert planted >= 200 and idioms >= 80, (planted, idioms)


@pytest.mark.parametrize("label", [label for label in checks.labels() if label.proof in ("memory", "opencl")], ids=lambda label: f"{label.program}-{label.case}")
def test_kernels_of_programs_without_an_oracle_are_proved_elsewhere(label):
    """At the same line of the same source, with the same access and number of bytes."""
    others = [other for other in checks.labels_of(label.proof) if (other.file, other.line) == (label.file, label.line) and other.proof in ("asan", "oclgrind")]
    assert {(other.function, other.access, other.bytes) for other in others} == {(label.function, label.access, label.bytes)}
