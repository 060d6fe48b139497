"""Breakpoints of all kinds, and exceptions, in kernels of all families."""
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "compilers"))
import clangs  # noqa: E402

from conftest import BITCODE, HEADER, ITEMS, PROGRAMS, at_store, begin, line_of
from dap import Client, Refused


def stops(client, kernel, prepare, most=400, **more):
    """Values of i at all stops up to the end, and the stops."""
    client.start(prepare=prepare, **kernel.configuration, **more)
    found = []
    while True:
        name, body = client.event("stopped", "exited")
        if name == "exited":
            return found
        assert len(found) < most
        found.append((body, int(client.value("i", client.top(body)))))
        client.ask("continue", threadId=body["threadId"])


def items(kernel):
    return 64 if kernel.name == "vortex" else ITEMS


def waves(kernel):
    return items(kernel) // kernel.lanes


def test_each_wave_stops_once(client, kernel):
    found = stops(client, kernel, lambda own: own.breakpoints(HEADER, line_of("store")))
    assert len(found) == waves(kernel) and len({i // kernel.lanes for _, i in found}) == waves(kernel)


def test_a_condition_holds_in_one_lane(client, kernel):
    """The stop is in that lane's thread."""
    found = stops(client, kernel, lambda own: own.breakpoints(HEADER, {"line": line_of("store"), "condition": "i == 42"}), threads="lanes")
    assert [i for _, i in found] == [42]


def test_a_bad_condition_is_told_at_once_and_others_are_set(client, kernel):
    told = []
    begin(client, kernel, lambda own: told.extend(own.breakpoints(HEADER, {"line": line_of("store"), "condition": "nothing == 1"}, line_of("call"),
                                                                  {"line": line_of("store"), "hitCondition": "often"}, 9999)))
    assert [t["verified"] for t in told] == [False, True, False, False]
    assert "nothing" in told[0]["message"] and "count of hits" in told[2]["message"] and "9999" in told[3]["message"]
    assert told[3]["line"] == 9999


@pytest.mark.parametrize("text, which", [("2", lambda n: n >= 2), (">= 3", lambda n: n >= 3), ("> 3", lambda n: n > 3), ("== 2", lambda n: n == 2),
                                         ("%2", lambda n: n % 2 == 0), ("% 3", lambda n: n % 3 == 0)])
def test_counts_of_hits(client, kernels, text, which):
    kernel = kernels("vortex")
    found = stops(client, kernel, lambda own: own.breakpoints(HEADER, {"line": line_of("store"), "hitCondition": text}))
    assert len(found) == len([n for n in range(1, waves(kernel) + 1) if which(n)])


def test_log_points_print_values_and_do_not_stop(client, kernel):
    """Values in braces are printed as `print` does; each lane prints once."""
    message = "item {i} of {pair.high}: {sum * 2}, 100% {to != 0}"
    found = stops(client, kernel, lambda own: own.breakpoints(HEADER, {"line": line_of("store"), "logMessage": message}))
    assert not found
    said = sorted(client.output("console").splitlines())
    assert said == sorted(f"item {i} of {i}: {8 * i}, 100% 1" for i in range(items(kernel))), (said[:3], len(said))


def test_a_log_point_with_a_condition(client, kernel):
    stops(client, kernel, lambda own: own.breakpoints(HEADER, {"line": line_of("store"), "logMessage": "{i}", "condition": "i % 16 == 3"}))
    assert sorted(map(int, client.output("console").split())) == [i for i in range(items(kernel)) if i % 16 == 3]


@pytest.mark.parametrize("message, why", [("{pair}", "one of its parts"), ("{nothing}", "No symbol"), ("{i", "without its }")])
def test_a_log_message_that_cannot_be_is_told(client, kernels, message, why):
    told = []
    client.start(prepare=lambda own: told.extend(own.breakpoints(HEADER, {"line": line_of("store"), "logMessage": message})),
                 **kernels("vortex").configuration)
    assert not told[0]["verified"] and why in told[0]["message"]


def test_functions_and_instructions(client, kernel):
    told = []
    stop = begin(client, kernel, lambda own: told.extend(own.functions("twice", "nowhere")))
    assert [t["verified"] for t in told] == [True, False] and "nowhere" in told[1]["message"]
    assert stop["reason"] == "function breakpoint" and stop["hitBreakpointIds"] == [told[0]["id"]]
    assert client.top(stop)["name"] == "twice"
    client.functions()
    stop = client.go("stepOut", stop)
    following = client.ask("disassemble", memoryReference=client.top(stop)["instructionPointerReference"], instructionCount=3)["instructions"][2]
    one = client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": following["address"]}])["breakpoints"][0]
    assert one["verified"] and one["instructionReference"] == following["address"]
    stop = client.go("continue", stop)
    if stop["reason"] == "instruction breakpoint":
        assert client.top(stop)["instructionPointerReference"] == following["address"]


def test_data_breakpoints_stop_at_changes_and_reads(client, kernel):
    """The store to an element is a change of it, whichever wave makes it; the element of another array is read."""
    stop, frame = at_store(client, kernel)
    i = int(client.value("i", frame))
    pointer = client.ask("evaluate", expression="&to[i]", frameId=frame["id"])["memoryReference"]
    info = client.ask("dataBreakpointInfo", name="to[i]", frameId=frame["id"])
    assert info["dataId"] and set(info["accessTypes"]) == {"write", "read", "readWrite"}
    client.breakpoints(HEADER)
    told = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    assert told[0]["verified"], told
    stop = client.go("continue", stop)
    assert stop["reason"] == "data breakpoint" and stop["hitBreakpointIds"] == [told[0]["id"]]
    assert stop["text"] == f"to[i]: 0 -> {4 * i + i + 2 + 7}"
    # It is there still in a list of the next stop, and stops backwards, too.
    again = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    assert again[0]["id"] == told[0]["id"]
    stop = client.go("reverseContinue", stop)
    assert client.ask("readMemory", memoryReference=pointer, count=4)["data"] == "AAAAAA=="
    # A constant and a register are none.
    frame = client.top(stop)
    for name in ("1 + 1", "$pc", "nothing"):
        assert client.ask("dataBreakpointInfo", name=name, frameId=frame["id"])["dataId"] is None


def test_a_variable_of_a_scope_is_watched(client, kernels):
    kernel = kernels("vortex")
    stop = begin(client, kernel, lambda own: own.breakpoints(HEADER, line_of("first")))
    client.breakpoints(HEADER)
    frame = client.top(stop)
    info = client.ask("dataBreakpointInfo", variablesReference=client.scopes(frame)["Locals"], name="sum")
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write", "condition": "1"}])
    stop = client.go("continue", stop)
    assert stop["reason"] == "data breakpoint" and client.top(stop)["line"] in (line_of("first"), line_of("call"))
    with pytest.raises(Refused, match="accessType"):
        client.ask("setDataBreakpoints", checked=False, breakpoints=[{"dataId": info["dataId"], "accessType": "x"}])


@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_a_bit_field_is_watched_without_its_neighbours(client, family, tmp_path):
    """Its storage is written four times; the field itself changes once. The stop's text has the field's values."""
    source, out = tmp_path / "f.cc", tmp_path / "f.out"
    source.write_text('struct field { unsigned a : 5; int b : 11; };\n__attribute__((device)) volatile struct field fields[2];\n'
                      'extern "C" __attribute__((global)) void k()\n{\n    fields[1].a = 3;\n    fields[1].b = -7;\n    fields[1].a = 9;\n    fields[0].b = fields[1].b;\n}\n')
    language, flags = ("HIP", []) if family == "gfx900" else ("CUDA C++", ["--cuda-noopt-device-debug"])
    subprocess.run([*clangs.words(family, language, "clang-19"), "-g", "-O0", *flags, source, "-o", out], check=True, cwd=tmp_path)
    client.start(prepare=lambda own: own.breakpoints(str(source), 5), program=str(out), gpu=family, kernel="k", grid=1, block=1)
    stop = client.stopped()
    frame = client.top(stop)
    info = client.ask("dataBreakpointInfo", name="fields[1].b", frameId=frame["id"])
    client.breakpoints(str(source), 8)
    assert client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"][0]["verified"]
    stop = client.go("continue", stop)
    assert stop["reason"] == "data breakpoint" and stop["text"] == "fields[1].b: 0 -> -7"
    # Asked for again at another stop it is the field still.
    assert client.ask("setDataBreakpoints", breakpoints=[])["breakpoints"] == []
    assert client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"][0]["verified"]
    stop = client.go("continue", stop)
    assert stop["reason"] == "breakpoint" and client.value("fields[1].b * 2", client.top(stop)) == "-14"


def test_lists_replace_each_other_and_keep_ids(client, kernel):
    stop, _ = at_store(client, kernel)
    first = client.breakpoints(HEADER, line_of("store"), line_of("call"))
    assert first[0]["id"] == stop["hitBreakpointIds"][0]
    second = client.breakpoints(HEADER, line_of("call"), line_of("first"))
    assert second[0]["id"] == first[1]["id"] and second[1]["id"] not in [b["id"] for b in first]
    listed = client.value("info breakpoints", context="repl")
    assert len(re.findall(r"^\d+ ", listed, re.M)) == 2, listed


# ---- exceptions ----

FAULTY = {"gfx900": "kernel void work(global int *to) { to[0] = 1; *(volatile global int *)0x123456789000 = 2; /* fault */ }\n"}


@pytest.fixture(scope="session")
def faulty(tmp_path_factory):
    """A kernel for gfx900 that writes to memory that is not there."""
    folder = tmp_path_factory.mktemp("faulty")
    source, out = folder / "faulty.cl", folder / "faulty.co"
    source.write_text(FAULTY["gfx900"])
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900",
                    f"--rocm-device-lib-path={BITCODE}", source, "-o", out], check=True)
    return {"program": str(out), "gpu": "gfx900", "kernel": "work", "grid": 64, "block": 64, "kernelArgs": ["zeros:64"]}


def filters_of(client):
    body = client.event("capabilities")[1]["capabilities"]
    return [f["filter"] for f in body["exceptionBreakpointFilters"]]


def test_a_fault_stops_and_is_described(client, faulty):
    client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=["fault"]), **faulty)
    stop = client.stopped()
    assert stop["reason"] == "exception" and stop["text"]
    info = client.ask("exceptionInfo", threadId=stop["threadId"])
    assert info["exceptionId"] == "mem_viol" and "0x123456789000" in info["details"]["stackTrace"]
    client.ask("continue", threadId=stop["threadId"])
    client.event("terminated")


def test_faults_are_passed_without_their_filter_but_for_one_that_is_named(faulty):
    with Client() as client:
        client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=[]), **faulty)
        assert client.event("stopped", "terminated")[0] == "terminated"
    with Client() as client:
        client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=["mem_viol"]), **faulty)
        assert client.stopped()["reason"] == "exception"
    with Client() as client:
        client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=["int_div0"]), **faulty)
        assert client.event("stopped", "terminated")[0] == "terminated"


def test_a_filter_has_a_condition(faulty):
    """Where it does not hold the fault is passed on; one that cannot be evaluated stops; one that is not an expression is told."""
    def end(options, filters=()):
        told = []
        with Client() as client:
            client.start(prepare=lambda own: told.extend(own.ask("setExceptionBreakpoints", filters=list(filters),
                                                                 filterOptions=options)["breakpoints"]), **faulty)
            offered = {f["filter"]: f.get("supportsCondition", False) for f in client.event("capabilities")[1]["capabilities"]["exceptionBreakpointFilters"]}
            name, body = client.event("stopped", "terminated")
            lane = name == "stopped" and client.value("$_lane", client.top(body))
        return name, [t["verified"] for t in told], lane, told, offered

    name, verified, lane, _, offered = end([{"filterId": "fault", "condition": "$_lane == 5 && to != 0"}])
    assert (name, verified, lane) == ("stopped", [True], "5") and offered["fault"] and offered["mem_viol"]
    assert end([{"filterId": "fault", "condition": "to == 0"}])[:2] == ("terminated", [True])
    assert end([{"filterId": "mem_viol", "condition": "to == 0"}, {"filterId": "mem_viol"}])[:2] == ("stopped", [True, True])
    assert end([{"filterId": "fault", "condition": "nothing"}])[:2] == ("stopped", [True])
    name, verified, _, told, _ = end([{"filterId": "fault", "condition": "1 +"}], ["int_div0"])
    assert (name, verified) == ("terminated", [True, False]) and "syntax error" in told[1]["message"]


def test_a_dispatch_that_begins_is_caught_where_a_condition_holds(client, kernels):
    """The condition is that of the launch that begins."""
    client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=[], filterOptions=[
        {"filterId": "dispatch begin", "condition": "n == 8"}, {"filterId": "dispatch end", "condition": "$_group_x > 99"}]),
        **kernels("gfx900").configuration)
    assert client.event("stopped", "terminated")[0] == "terminated"
    with Client() as other:
        other.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": "dispatch begin", "condition": "n == 7"}]),
                    **kernels("gfx900").configuration)
        assert other.stopped()["description"] == "dispatch begin"


def test_filters_are_those_of_the_family(kernel):
    """They come with the launch; an unknown one is told."""
    with Client() as client:
        told = []
        client.start(prepare=lambda own: told.extend(own.ask("setExceptionBreakpoints", filters=["fault", "nonsense"])["breakpoints"]),
                     **kernel.configuration)
        assert [t["verified"] for t in told] == [True, False]
        names = filters_of(client)
        wanted = {"vortex": "divergence", "gfx900": "mem_viol", "gen9": "stack", "sm": "OOR_ADDR"}[kernel.name]
        assert names[0] == "fault" and wanted in names and "check" not in names


def test_a_dispatch_that_begins_is_an_event_to_stop_at(client, kernels):
    client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=["fault", "dispatch begin"]), **kernels("gfx900").configuration)
    stop = client.stopped()
    assert stop["description"] == "dispatch begin" and client.top(stop)["name"] == "work"


def test_what_checks_find_stops_before_the_access(client, tmp_path):
    """The filter comes with the attribute `check`; the finding is told at the end, too."""
    source, out = tmp_path / "far.cl", tmp_path / "far.co"
    source.write_text("kernel void work(global int *to) { to[get_global_id(0) + 16] = 1; }\n")
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900",
                    f"--rocm-device-lib-path={BITCODE}", source, "-o", out], check=True)
    client.start(prepare=lambda own: own.ask("setExceptionBreakpoints", filters=["fault", "check"]), program=str(out), gpu="gfx900", kernel="work",
                 grid=64, block=64, kernelArgs=["zeros:128"], check="memory")
    assert "check" in filters_of(client)
    stop = client.stopped()
    assert stop["reason"] == "exception" and "check" in client.ask("exceptionInfo", threadId=stop["threadId"])["exceptionId"]
    assert PROGRAMS.exists() and client.top(stop)["line"] == 1
