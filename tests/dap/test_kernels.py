"""Sessions of editors with standalone kernels of all families. What a kernel computes says what its variables are; the console's
answers are those of GDB (tests/console), and the server's are the console's."""
import base64
import re
import struct
import subprocess

import pytest

from conftest import HEADER, PROGRAMS, at_store, begin, line_of, stored
from dap import WAVETRAP, Client, Refused


def ended(client, stop):
    """Lets the program run to its end; its exit code."""
    client.ask("continue", threadId=stop["threadId"])
    while True:
        name, body = client.event("stopped", "exited")
        if name == "exited":
            client.event("terminated")
            return body["exitCode"]
        client.ask("continue", threadId=body["threadId"])


def item(client, frame):
    return int(client.value("i", frame))


def test_a_session_stops_shows_values_steps_and_ends(client, kernel):
    """The first stop is at the breakpoint, in a work-item whose variables are those of the kernel's arithmetic; steps lead to the
    lines of the source, forwards and backwards; the program ends with its status."""
    wanted = line_of("first")
    stop = begin(client, kernel, lambda own: [one] if (one := own.breakpoints(HEADER, wanted)[0])["verified"] else pytest.fail(str(one)))
    assert stop["reason"] == "breakpoint" and stop["allThreadsStopped"] and len(stop["hitBreakpointIds"]) == 1
    frame = client.top(stop)
    assert (frame["name"], frame["line"], frame["source"]["path"]) == ("work_on", wanted, str(HEADER))
    names = [f["name"] for f in client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]]
    assert names[:2] == ["work_on", "work"]
    client.breakpoints(HEADER)
    lines = []
    for command in ("next", "next", "next", "stepBack", "stepBack"):
        stop = client.go(command, stop)
        frame = client.top(stop)
        lines.append(frame["line"] - wanted)
        if command == "next" and len(lines) == 2:
            i = item(client, frame)
            assert client.value("sum", frame) == str(4 * i)
    assert lines == [1, 2, 3, 2, 1] and stop["reason"] == "step"
    scopes = client.scopes(frame)
    i = item(client, frame)
    local = client.variables(scopes["Locals"])
    assert local["sum"]["value"] == str(2 * i) and local["sum"]["type"] == "int"
    assert local["pair"]["value"] == f"{{low = {i}, high = {i}}}"
    assert client.variables(scopes["Arguments"])["n"]["value"] == "7"
    assert ended(client, stop) == 0


def test_a_step_enters_and_leaves_a_function(client, kernel):
    """Targets of a step name the line's calls; a step into one stops in it."""
    stop = begin(client, kernel, lambda own: own.breakpoints(HEADER, line_of("call")))
    client.breakpoints(HEADER)
    frame = client.top(stop)
    targets = client.ask("stepInTargets", frameId=frame["id"])["targets"]
    assert [t["line"] for t in targets] == [line_of("call")]
    assert kernel.name not in ("vortex", "sm") or "twice" in targets[0]["label"]   # elsewhere the address is in registers
    stop = client.go("stepIn", stop, targetId=targets[0]["id"])
    frame = client.top(stop)
    assert frame["name"] == "twice" and client.value("value", frame)
    stop = client.go("stepOut", stop)
    assert client.top(stop)["name"] == "work_on"


def test_variables_are_paged_and_have_children(client, kernel):
    """A large array is read page by page; each child has an expression that means it."""
    stop, frame = at_store(client, kernel)
    i = item(client, frame)
    local = client.variables(client.scopes(frame)["Locals"])
    table = local["table"]
    assert table["indexedVariables"] == 300 and table["type"] == "int [300]"
    page = client.variables(table["variablesReference"], start=290, count=10, filter="indexed")
    assert [(name, v["value"]) for name, v in page.items()] == [(f"[{k}]", str(i + k)) for k in range(290, 300)]
    assert client.value(page["[295]"]["evaluateName"], frame) == str(i + 295)
    assert not client.variables(table["variablesReference"], filter="named")
    pair = client.variables(local["pair"]["variablesReference"])
    assert {name: v["value"] for name, v in pair.items()} == {"low": str(i), "high": str(i)}
    assert client.value(pair["high"]["evaluateName"], frame) == str(i)
    whole = client.ask("evaluate", expression="pair", frameId=frame["id"], context="watch")
    assert set(client.variables(whole["variablesReference"])) == {"low", "high"}
    hexadecimal = client.ask("evaluate", expression="sum", frameId=frame["id"], format={"hex": True})["result"]
    assert hexadecimal == hex(4 * i)


def test_lanes_are_a_scope_and_part_of_expressions(client, kernel):
    stop, frame = at_store(client, kernel)
    scopes = client.scopes(frame)
    lanes = client.variables(scopes["Lanes"])
    assert list(lanes) == [f"{kernel.word} {k}" for k in range(kernel.lanes)]
    first = int(client.value("i@0", frame))
    other = client.variables(lanes[f"{kernel.word} 3"]["variablesReference"])
    assert other["i"]["value"] == str(first + 3) and other["sum"]["value"] == str(4 * (first + 3))
    assert client.value(other["sum"]["evaluateName"], frame) == str(4 * (first + 3))
    child = client.variables(other["pair"]["variablesReference"])["high"]
    assert child["value"] == client.value(child["evaluateName"], frame) == str(first + 3)
    every = client.ask("evaluate", expression="sum@*", frameId=frame["id"])
    each = client.variables(every["variablesReference"])
    assert [v["value"] for v in each.values()] == [str(4 * (first + k)) for k in range(kernel.lanes)]
    assert f"step +4, in {kernel.word}s 0..{kernel.lanes - 1}" in every["result"]


def test_values_are_written(client, kernel):
    """By setVariable in the selected lane and in another, by setExpression, and by an expression; the program goes on with them."""
    stop, frame = at_store(client, kernel)
    i = int(client.value("i@0", frame))
    scopes = client.scopes(frame)
    assert client.ask("setVariable", variablesReference=scopes["Locals"], name="sum", value="100")["value"] == "100"
    assert client.event("memory")[1]["count"] == 4
    assert client.event("invalidated")[1] == {"areas": ["variables"]}
    lanes = client.variables(scopes["Lanes"])
    lane = lanes[f"{kernel.word} 2"]["variablesReference"]
    client.variables(lane)
    assert client.ask("setVariable", variablesReference=lane, name="sum", value="sum + 1")["value"] == str(4 * (i + 2) + 1)
    assert client.ask("setExpression", expression="sum@1", value="5", frameId=frame["id"])["value"] == "5"
    table = client.variables(scopes["Locals"])["table"]["variablesReference"]
    assert client.ask("setVariable", variablesReference=table, name="[2]", value="1000")["value"] == "1000"
    assert client.value("sum@0..2", frame).split() == ["0", "100", "1", "5", "2", str(4 * (i + 2) + 1)]
    # A view of an editor shows one line.
    assert client.ask("evaluate", expression="sum@0..2", context="watch", frameId=frame["id"])["result"] == f"0: 100; 1: 5; 2: {4 * (i + 2) + 1}"
    with pytest.raises(Refused, match="No symbol"):
        client.ask("setVariable", variablesReference=scopes["Locals"], name="sum", value="nothing")
    with pytest.raises(Refused, match="pointing"):
        client.ask("evaluate", expression="sum = 1", frameId=frame["id"], context="hover")
    client.breakpoints(HEADER)
    client.go("next", stop)
    stop["threadId"] = stop["threadId"]
    frame = client.top(stop)
    assert client.value("to[i]@0", frame) == str(100 + 1000 + 7)


def test_memory_is_read_and_written(client, kernel):
    """An address has a memoryReference; what cannot be read is counted, and fails nothing."""
    stop, frame = at_store(client, kernel)
    data = client.ask("evaluate", expression="from", frameId=frame["id"])["memoryReference"]
    read = client.ask("readMemory", memoryReference=data, offset=4, count=12)
    assert struct.unpack("<3i", base64.b64decode(read["data"])) == (1, 2, 3)
    assert int(read["address"], 16) == int(data, 16) + 4
    written = base64.b64encode(struct.pack("<i", 77)).decode()
    assert client.ask("writeMemory", memoryReference=data, offset=8, data=written) == {"bytesWritten": 4}
    assert client.value("from[2]", frame) == "77"
    if kernel.name != "vortex":   # there all addresses are memory
        nothing = client.ask("readMemory", memoryReference="0xdeadbeef00", count=16)
        assert nothing.get("unreadableBytes") == 16 and "data" not in nothing
    local = client.ask("evaluate", expression="pair", frameId=frame["id"])["memoryReference"]
    i = item(client, frame)
    if kernel.name == "vortex":
        read = client.ask("readMemory", memoryReference=local, count=8)
        assert struct.unpack("<2i", base64.b64decode(read["data"])) == (i, i)
    for bad in ("x", "nowhere#0x10", "0x10/", "", "0x10 "):
        with pytest.raises(Refused):
            client.ask("readMemory", memoryReference=bad, count=4)
    with pytest.raises(Refused, match="base64"):
        client.ask("writeMemory", memoryReference=data, data="*")


def test_disassembly_goes_both_ways(client, kernel):
    """Instructions before an address are those that follow each other from the function's beginning; the console lists the same."""
    stop, frame = at_store(client, kernel)
    pc = frame["instructionPointerReference"]
    both = client.ask("disassemble", memoryReference=pc, instructionOffset=-6, instructionCount=10)["instructions"]
    after = client.ask("disassemble", memoryReference=pc, instructionCount=4)["instructions"]
    assert [i["address"] for i in both[6:]] == [i["address"] for i in after] and both[6]["address"] == pc
    again = client.ask("disassemble", memoryReference=both[0]["address"], instructionOffset=6, instructionCount=4)["instructions"]
    assert [i["address"] for i in again] == [i["address"] for i in after]
    listed = dict(re.findall(r"^(?:=> |   )(0x[0-9a-f]+) <\+\d+>:\t(.*?)(?:\t; also.*)?$",
                             client.value("disassemble", frame, context="repl"), re.M))
    plain = {hex(int(address, 16)): text.strip() for address, text in listed.items()}
    assert [plain[i["address"]] for i in both] == [i["instruction"].strip() for i in both]
    assert any(i.get("line") == frame["line"] for i in both[6:7])
    far = client.ask("disassemble", memoryReference="0x1000", instructionOffset=-2, instructionCount=3)["instructions"]
    assert len(far) == 3 and [i["presentationHint"] for i in far[:2]] == ["invalid"] * 2


def test_the_console_answers_in_the_editor(client, kernel):
    """`evaluate` in the context repl executes the console's commands; one that lets the program run is followed by its stop. A
    variable that is called like a command is a variable."""
    stop, frame = at_store(client, kernel)
    i = item(client, frame)
    said = subprocess.run([WAVETRAP, "help"], capture_output=True, text=True)
    assert said.returncode == 0
    assert "work_on" in client.value("backtrace", frame, context="repl")
    assert client.value("n", frame, context="repl") == "7"
    assert client.value("sum + 1", frame, context="repl") == str(4 * i + 1)
    assert f"step +1, in {kernel.word}s 0..{kernel.lanes - 1}" in client.value("info lanes i", frame, context="repl")
    client.breakpoints(HEADER)
    text = client.value("-exec next", frame, context="repl")
    assert client.event("continued")[1]["allThreadsContinued"]
    stop = client.stopped()
    assert client.top(stop)["line"] == line_of("store") + 1 and str(line_of("store") + 1) in text
    with pytest.raises(Refused, match="not of this stop"):
        client.value("n", frame)
    with pytest.raises(Refused, match="No symbol \"nothing\""):
        client.value("print nothing", client.top(stop), context="repl")
    with pytest.raises(Refused, match="runs no programs"):    # a page that `view` serves comes here, too
        client.value("shell echo here", client.top(stop), context="repl")


def test_completions(client, kernel):
    stop, frame = at_store(client, kernel)
    labels = {t["label"] for t in client.ask("completions", frameId=frame["id"], text="print ta", column=9)["targets"]}
    assert "table" in labels
    targets = client.ask("completions", frameId=frame["id"], text="disas", column=6)["targets"]
    assert {"label": "disassemble", "start": 0, "length": 5} in targets
    assert {t["label"] for t in client.ask("completions", frameId=frame["id"], text="pai", column=4)["targets"]} >= {"pair"}
    assert {t["label"] for t in client.ask("completions", frameId=frame["id"], text="pair.", column=6)["targets"]} == {"pair.low", "pair.high"}
    with pytest.raises(Refused):
        client.ask("completions", text="x", column=9)


def test_registers_are_grouped(client, kernel):
    """The program counter is the frame's; a register that is written has its new value."""
    stop, frame = at_store(client, kernel)
    groups = client.variables(client.scopes(frame)["Registers"])
    pc = {}
    for group in groups.values():
        pc.update(client.variables(group["variablesReference"]))
    assert int(re.search(r"0x[0-9a-f]+", client.value("$pc", frame))[0], 16) == int(frame["instructionPointerReference"], 16)
    assert len(pc) > 30
    name, group = {"vortex": ("a5", "cpu"), "gfx900": ("s10", "sgpr"), "gen9": (None, None), "sm": ("r1", "general")}[kernel.name]
    names = client.variables(groups[group]["variablesReference"]) if group else {}
    written = next((n for n in names if n.lower() == (name or "").lower()), None)
    if written:
        assert client.ask("setVariable", variablesReference=groups[group]["variablesReference"], name=written, value="4660")["value"]
        assert client.value(f"${written} == 4660", frame) in ("1", "true")


def test_threads_are_waves_or_lanes(client, kernels):
    """As the configuration says; a page of them at most, and the stopped one always. Names say where they are."""
    kernel = kernels("gfx900")
    stop, frame = at_store(client, kernel, threads="waves")
    threads = client.ask("threads")["threads"]
    assert len(threads) == 2 and {re.match(r"w\d \(\d,0,0\)( [\w.]+:\d+)?( masked off)?(, core \d+)?$", t["name"]) is not None for t in threads} == {True}, threads
    with Client() as other:
        stop, frame = at_store(other, kernel, threads="lanes", threadPage=10)
        body = other.ask("threads")
        assert len(body["threads"]) == 10 and body["totalThreads"] == 128
        page = other.ask("threads", checked=False, start=64, count=3)["threads"]
        assert [re.search(r"w\d (l\d+) \(1,0,0\)", t["name"])[1] for t in page[-3:]] == ["l0", "l1", "l2"]
        assert stop["threadId"] in [t["id"] for t in page]
        selected = other.ask("wavetrap/grid", checked=False)["selected"]
        frames = other.ask("stackTrace", threadId=page[-1]["id"])["stackFrames"]
        assert frames[0]["name"] and page[-1]["id"] != stop["threadId"] and other.ask("wavetrap/grid", checked=False)["selected"] == selected
        other.ask("scopes", frameId=frames[0]["id"])
        assert other.ask("wavetrap/grid", checked=False)["selected"] != selected


def test_frames_are_paged(client, kernel):
    stop, frame = at_store(client, kernel)
    whole = client.ask("stackTrace", threadId=stop["threadId"])
    assert whole["totalFrames"] == len(whole["stackFrames"]) >= 2
    first = client.ask("stackTrace", threadId=stop["threadId"], startFrame=0, levels=1)
    assert len(first["stackFrames"]) == 1 and first["totalFrames"] > 1
    second = client.ask("stackTrace", threadId=stop["threadId"], startFrame=1, levels=1)["stackFrames"]
    assert [f["name"] for f in second] == ["work"] and client.value("i", second[0]) == client.value("i", frame)
    named = client.ask("stackTrace", threadId=stop["threadId"], levels=1, format={"parameters": True})["stackFrames"][0]["name"]
    assert re.fullmatch(r"work_on\(from=0x[0-9a-f]+.*, to=0x[0-9a-f]+.*, i=\d+, n=7\)", named)


def test_sources_and_modules(client, kernel):
    """Sources that the code was made of, lines that have code, and the file's module."""
    stop, frame = at_store(client, kernel)
    sources = {s.get("path") for s in client.ask("loadedSources")["sources"]}
    assert str(HEADER) in sources
    text = client.ask("source", source={"path": str(HEADER)}, sourceReference=0)["content"]
    assert text.splitlines() == HEADER.read_text().splitlines()
    lines = [b["line"] for b in client.ask("breakpointLocations", source={"path": str(HEADER)}, line=1, endLine=100)["breakpoints"]]
    assert {line_of("first"), line_of("call"), line_of("store"), line_of("in twice")} <= set(lines) and 1 not in lines
    modules = client.ask("modules", startModule=0)
    assert modules["totalModules"] == len(modules["modules"]) >= 1
    assert frame["moduleId"] in [m["id"] for m in modules["modules"]]


def test_going_to_a_line_sets_the_program_counter(client, kernel):
    stop, frame = at_store(client, kernel)
    if kernel.name == "sm":
        return   # a lane's registers are those of the place in PTX
    targets = client.ask("gotoTargets", source={"path": str(HEADER)}, line=line_of("first"))["targets"]
    assert targets
    client.ask("goto", threadId=stop["threadId"], targetId=targets[0]["id"])
    stop = client.stopped()
    assert stop["reason"] == "goto" and client.top(stop)["line"] == line_of("first")


def test_a_thread_steps_alone(client, kernels):
    """With singleThread the other waves stand where they stood, and without as far as the wave does not need them."""
    kernel = kernels("vortex")
    stop, frame = at_store(client, kernel, threads="waves")
    client.breakpoints(HEADER)
    others = [t["id"] for t in client.ask("threads")["threads"] if t["id"] != stop["threadId"]]
    assert others
    pcs = [client.ask("stackTrace", threadId=t, levels=1)["stackFrames"][0]["instructionPointerReference"] for t in others]
    stop = client.go("next", stop, singleThread=True)
    assert [client.ask("stackTrace", threadId=t, levels=1)["stackFrames"][0]["instructionPointerReference"] for t in others] == pcs
    client.go("next", stop)
    assert [client.ask("stackTrace", threadId=t, levels=1)["stackFrames"][0]["instructionPointerReference"] for t in others] == pcs


def test_a_step_over_a_barrier_lets_the_group_run(client, tmp_path):
    """Which is told; with singleThread the step ends where it waits, and says for whom."""
    source = tmp_path / "k.cl"
    source.write_text("kernel void k(global int *o)\n{\n    local int m[64];\n    m[get_local_id(0)] = get_global_id(0);\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                      "    o[get_global_id(0)] = m[63 - get_local_id(0)];\n}\n")
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode",
                    "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc", source, "-o", tmp_path / "k.ptx"], check=True)
    client.start(prepare=lambda own: own.breakpoints(source, 4), program=str(tmp_path / "k.ptx"), gpu="sm", kernel="k", grid=128, block=[64], kernelArgs=["zeros:512"])
    stop = client.go("next", client.stopped())
    assert client.top(stop)["line"] == 5
    stop = client.go("next", stop, singleThread=True)
    assert client.top(stop)["line"] == 5 and " waits for device 0, dispatch 1, group (0,0,0), core 0, warp 1, held" in stop["text"]
    stop = client.go("next", stop)
    assert client.top(stop)["line"] == 6
    assert any("[Breakpoint 1 was hit by other warps meanwhile, 1 time.]" in m["body"]["output"] for m in client.log
               if m.get("type") == "event" and m["event"] == "output")


def test_instructions_are_stepped(client, kernel):
    stop, frame = at_store(client, kernel)
    client.breakpoints(HEADER)
    following = client.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionCount=2)["instructions"][1]["address"]
    stop = client.go("next", stop, granularity="instruction")
    assert client.top(stop)["instructionPointerReference"] == following
    stop = client.go("stepBack", stop, granularity="instruction")
    assert client.top(stop)["instructionPointerReference"] == frame["instructionPointerReference"]
    stop = client.go("reverseContinue", stop)
    assert stop["description"] == "the recorded run begins here"


def test_stored_values_are_those_of_the_formula(client, kernel):
    """The oracle of this file's numbers: the kernel's own result."""
    stop = begin(client, kernel, lambda own: own.breakpoints(
        PROGRAMS / ("work.c" if kernel.name == "vortex" else "work.cl"), line_of("work", PROGRAMS / ("work.c" if kernel.name == "vortex" else "work.cl"))))
    client.breakpoints(PROGRAMS / ("work.c" if kernel.name == "vortex" else "work.cl"))
    stop = client.go("next", stop)
    frame = client.top(stop)
    if frame["name"] == "work":
        i = item(client, frame)
        assert client.value("to[i]", frame) == str(stored(i))


def test_frames_that_steps_pass_are_subtle(client, kernel):
    """Those of the folders that `show step-headers` lists, and of skipped functions."""
    stop, frame = at_store(client, kernel)
    assert "presentationHint" not in frame and "presentationHint" not in frame["source"]
    client.ask("evaluate", context="repl", expression="skip function work_on", frameId=frame["id"])
    frames = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert [one.get("presentationHint") for one in frames[:2]] == ["subtle", None] and "presentationHint" not in frames[0]["source"]
    client.ask("evaluate", context="repl", expression=f"set step-headers add {HEADER.parent}", frameId=frame["id"])
    assert client.top(stop)["source"]["presentationHint"] == "deemphasize"
