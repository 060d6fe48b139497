"""Sessions with host programs of three families, with programs that run already, devices elsewhere, and core files."""
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import HEADER, at_store, line_of
from dap import ROOT, TIMEOUT, WAVETRAP, Client, Refused

sys.path.insert(0, str(ROOT / "tests" / "truth"))
import hosts  # noqa: E402

SETTINGS = {"threads": 1, "launches": 2, "calls": 1, "groups": 2, "block": 64, "factor": 3, "cells": 509, "gpus": 1}
SOURCES = {"gcn-hip": ROOT / "tests" / "truth" / "programs" / "places.cu", "sm-cuda": ROOT / "tests" / "truth" / "programs" / "places.cu"}


def host_of(family, **more):
    h = hosts.host_of(family, {**SETTINGS, **more})
    program, *args = h.file
    return h, {"program": str(program), "args": args, "gpu": hosts.GPUS[family][0]}


@pytest.fixture(params=hosts.FAMILIES)
def family(request):
    return request.param


def to_end(client, stop):
    client.ask("continue", threadId=stop["threadId"])
    while True:
        name, body = client.event("stopped", "exited")
        if name == "exited":
            client.event("terminated")
            return body["exitCode"]
        client.ask("continue", threadId=body["threadId"])


def value_is_of(value, h, seen):
    """The value that a work-item stores names it, and is stored once."""
    g, i = (value - 1) // 16, (value - 1) % 16
    assert i < h.calls and g < h.launched * h.launches * h.threads and (g, i) not in seen
    seen.add((g, i))


def test_a_host_program_stops_in_its_kernels_and_ends(client, family):
    """A breakpoint waits for the code, and is told as verified when it comes; the program's output and status come through; a
    runtime's own source text is given on request."""
    h, configuration = host_of(family)
    file, line = h.line.split(":")
    source = {"path": str(SOURCES[family])} if family in SOURCES else {"name": file, "path": file}
    told = []
    client.start(prepare=lambda own: told.extend(own.ask("setBreakpoints", source=source, breakpoints=[{"line": int(line)}])["breakpoints"]),
                 **configuration)
    client.event("process", where=lambda body: body["systemProcessId"] > 0 and body["isLocalProcess"])
    stop = client.stopped()
    frame = client.top(stop)
    assert frame["line"] == int(line) and frame["name"].startswith("f") and stop["hitBreakpointIds"] == [told[0]["id"]]
    changed = [m["body"] for m in client.log if m.get("event") == "breakpoint" and m["body"]["breakpoint"]["id"] == told[0]["id"]]
    assert told[0]["verified"] or any(c["breakpoint"]["verified"] for c in changed)
    assert any(m.get("event") == "module" and m["body"]["reason"] == "new" for m in client.log)
    seen = set()
    value_is_of(int(client.value("value", frame)), h, seen)
    name = client.ask("threads")["threads"][0]["name"]
    assert re.match(r"[wt]\d+( [lct]\d+)?( \(\d+,\d+,\d+\))?( \S+:\d+)?( masked off| running)?(, core \d+)?(, device \d)?$", name), name
    names = [f["name"] for f in client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]]
    assert len(names) == 2 and names[1].startswith("k")
    if family not in SOURCES:
        reference = frame["source"]["sourceReference"]
        text = client.ask("source", source=frame["source"], sourceReference=reference)["content"]
        assert "to[key] = value;" in text.splitlines()[frame["line"] - 1]
        again = client.ask("setBreakpoints", source=frame["source"], breakpoints=[{"line": frame["line"]}])["breakpoints"]
        assert again[0]["verified"]
    scopes = client.scopes(frame)
    dispatch = client.variables(scopes["Dispatch"])
    assert dispatch["kernel"]["value"].startswith("k") and dispatch["work-items of a group"]["value"] == "(64,1,1)"
    for one in (source, frame["source"]):
        client.ask("setBreakpoints", source=one, breakpoints=[])
    stop = client.go("next", stop)
    assert client.value("to[key] == value", client.top(stop)) in ("1", "true")
    assert to_end(client, stop) == 0
    assert client.output("stdout") == "done\n"


def test_a_host_program_goes_back(client, family):
    """Within the running kernel: a step back undoes a store, and what is watched stops at it."""
    h, configuration = host_of(family)
    client.start(prepare=lambda own: own.functions("f"), **configuration)
    stop = client.stopped()
    client.functions()
    stop = client.go("next", stop)
    frame = client.top(stop)
    stop = client.go("next", stop)
    assert client.value("to[key] == value", client.top(stop)) in ("1", "true")
    stop = client.go("stepBack", stop)
    assert client.top(stop)["line"] == frame["line"] and client.value("to[key] == before", client.top(stop)) in ("1", "true")
    info = client.ask("dataBreakpointInfo", name="to[key]", frameId=client.top(stop)["id"])
    told = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    assert told[0]["verified"], told
    stop = client.go("continue", stop)
    assert stop["reason"] == "data breakpoint" and stop["hitBreakpointIds"] == [told[0]["id"]]


def test_log_points_and_conditions_wait_for_code(client, family):
    """They are set before the program has any; each work-item of each launch logs once."""
    h, configuration = host_of(family)
    line = int(h.line.split(":")[1])
    source = {"path": str(SOURCES[family])} if family in SOURCES else {"name": "program-1.cl", "path": "program-1.cl"}
    client.start(prepare=lambda own: own.ask("setBreakpoints", source=source, breakpoints=[
        {"line": line, "logMessage": "value {value}"}, {"line": line, "condition": f"value == {16 * 70 + 1}"}]), **configuration)
    stop = client.stopped()
    assert client.value(f"value == {16 * 70 + 1}", client.top(stop)) in ("1", "true") or client.value(f"any(value@* == {16 * 70 + 1})", client.top(stop))
    assert to_end(client, stop) == 0
    said = re.findall(r"value (\d+)", client.output("console"))
    assert sorted(map(int, said)) == [16 * g + 1 for g in range(h.launched * h.launches)], len(said)


def test_restart_and_disconnect_of_a_host_program(client, family):
    h, configuration = host_of(family)
    client.start(prepare=lambda own: own.functions("f"), **configuration)
    pid = client.event("process")[1]["systemProcessId"]
    client.stopped()
    client.ask("restart")
    other = client.event("process")[1]["systemProcessId"]
    assert other != pid
    stop = client.stopped()
    assert client.top(stop)["name"].startswith("f")
    client.disconnect()
    assert not os.path.exists(f"/proc/{other}")


def test_stop_on_entry_and_termination_of_a_host_program(client, family):
    h, configuration = host_of(family)
    client.start(**configuration, stopOnEntry=True)
    stop = client.stopped()
    assert stop["reason"] == "entry" and client.top(stop)["name"].startswith("k")
    client.ask("terminate")
    client.event("terminated")


def test_arguments_environment_and_folder(client, tmp_path):
    """They are the configuration's; the status and what comes to stderr, too."""
    program = tmp_path / "say"
    program.write_text("#!/bin/sh\necho \"$# $1 $2 $SAID ${HOME-none} $PWD\"; echo wrong >&2; exit 7\n")
    program.chmod(0o755)
    client.start(program=str(program), args=["a b", "c'$d"], env={"SAID": "x y", "HOME": None}, cwd=str(tmp_path), gpu="gfx900")
    assert client.event("exited")[1]["exitCode"] == 7
    client.event("terminated")
    assert client.output("stdout") == f"2 a b c'$d x y none {tmp_path}\n"
    assert "wrong\n" in client.output("stderr")


def test_a_program_without_a_gpu_is_ended_while_it_waits(client, tmp_path):
    """It has not opened a GPU: it cannot be paused, but terminated."""
    program = tmp_path / "wait"
    program.write_text("#!/bin/sh\necho ready\nexec sleep 1000\n")
    program.chmod(0o755)
    client.initialize()
    client.ask("launch", checked=False, program=str(program), gpu="gfx900")
    client.ask("configurationDone")
    client.event("output", where=lambda body: body["output"] == "ready\n")
    with pytest.raises(Refused, match="opened a GPU"):
        client.ask("pause", threadId=1)
    client.ask("terminate")
    client.event("terminated")


# ---- attach ----

@pytest.fixture
def runs(tmp_path):
    """runs(family): a program that runs under `exec` and waits for its debugger; killed at the end."""
    folder = tmp_path / "s"
    folder.mkdir(mode=0o700)
    started = []

    def start(family, *options, **more):
        h, configuration = host_of(family, **more)
        started.append(subprocess.Popen([WAVETRAP, "exec", "-g", configuration["gpu"], *options, *map(str, h.file)], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "WAVETRAP_SOCKETS": str(folder), "WAVETRAP_HELD": "1"}))
        return h, configuration, started[-1]
    os.environ["WAVETRAP_SOCKETS"] = str(folder)
    yield start
    del os.environ["WAVETRAP_SOCKETS"]
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("kills", [False, True])
def test_attach_by_process_and_leave(runs, kills):
    """Disconnecting lets the program go on, unless the client wants its end."""
    h, configuration, process = runs("gcn-hip")
    until(lambda: str(process.pid) in subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True).stdout)
    client = Client()
    client.start("attach", prepare=lambda own: own.functions("f"), pid=process.pid, program=configuration["program"], gpu="gfx900")
    assert client.event("process")[1]["startMethod"] == "attach"
    stop = client.stopped()
    frame = client.top(stop)
    assert frame["name"].startswith("f")
    with pytest.raises(Refused, match="cannot start this process"):
        client.ask("restart")
    assert client.disconnect(**({"terminateDebuggee": True} if kills else {})) == 0
    assert process.wait(TIMEOUT) == (-signal.SIGKILL if kills else 0)
    assert process.stdout.read() == ("" if kills else "done\n")


def test_attach_by_an_address(runs, tmp_path):
    socket, token = tmp_path / "gpu", tmp_path / "token"
    h, configuration, process = runs("sm-cuda", f"--socket=unix:{socket}", f"--token={token}")
    until(socket.exists)
    with Client() as client:
        client.start("attach", prepare=lambda own: own.functions("f"), connect=f"--socket=unix:{socket}", options=[f"--token={token}"], gpu="sm")
        stop = client.stopped()
        assert client.top(stop)["name"].startswith("f")
        client.functions()
        client.disconnect()
    assert process.wait(TIMEOUT) == 0


@pytest.fixture
def device(kernels):
    """A Debug Module's server, and the address at which it is."""
    server = subprocess.Popen([WAVETRAP, "serve", "--dm=:0", "--gpu=vortex:warps=4,threads=4", kernels("vortex").configuration["program"]],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = ""
    while not (found := re.search(r"is served at tcp:(\S+)\n", said)):
        line = server.stderr.readline()
        assert line, said
        said += line
    yield found[1]
    server.kill()
    server.communicate(timeout=TIMEOUT)


def test_attach_to_a_device_elsewhere(client, kernels, device):
    """The device is halted, watched by steps, and goes on when the client leaves."""
    kernel = kernels("vortex")
    client.start("attach", prepare=lambda own: own.breakpoints(HEADER, line_of("store")), connect=f"tcp:{device}",
                 program=kernel.configuration["program"], options=["--hold"], stopOnEntry=True)
    stop = client.stopped()
    assert stop["reason"] == "entry"
    body = next(m["body"] for m in client.log if m.get("event") == "capabilities")
    assert not body["capabilities"]["supportsRestartRequest"] and not body["capabilities"]["supportsStepBack"]
    stop = client.go("continue", stop)
    frame = client.top(stop)
    assert frame["line"] == line_of("store")
    i = int(client.value("i", frame))
    assert client.value("sum", frame) == str(4 * i)
    with pytest.raises(Refused, match="record"):
        client.ask("stepBack", threadId=stop["threadId"])
    with pytest.raises(Refused, match="ended from here"):
        client.ask("terminate")
    client.disconnect()


# ---- the host's half ----

def test_lldbs_adapter_debugs_the_host_beside(client, may_crash):
    """While the kernel stands lldb-dap attaches to the process of the event `process`, sees the host in the runtime, and stops it in
    its own code; then both go on to the end."""
    h, configuration = host_of("gcn-hip")
    client.start(prepare=lambda own: own.functions("f"), **configuration)
    pid = client.event("process")[1]["systemProcessId"]
    stop = client.stopped()
    with Client(command=["lldb-dap-19"]) as host:
        host.ask("initialize", adapterID="lldb-dap", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        attach = host.send("attach", {"pid": pid, "program": configuration["program"]}, checked=False)
        host.event("initialized")
        source = SOURCES["gcn-hip"]
        line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if 'puts("done")' in text)
        host.breakpoints(source, line)
        host.ask("configurationDone", checked=False)
        assert host.answer(attach)["success"]
        client.functions()
        client.ask("continue", threadId=stop["threadId"])
        held = host.event("stopped", where=lambda body: body.get("reason") in ("breakpoint", "function breakpoint"))[1]
        frame = host.ask("stackTrace", checked=False, threadId=held["threadId"])["stackFrames"][0]
        assert frame["name"].startswith("main") and frame["line"] == line
        host.ask("disconnect", checked=False, terminateDebuggee=False)
    may_crash(host.process)   # lldb-dap 19 sometimes aborts while it leaves
    assert client.event("exited")[1]["exitCode"] == 0
    assert client.output("stdout") == "done\n"


# ---- core files ----

def test_a_core_file_is_looked_at(kernel, tmp_path):
    """Its answers are those of the session that wrote it."""
    core = tmp_path / "core"
    with Client() as client:
        stop, frame = at_store(client, kernel)
        client.value(f"generate-core {core}", frame, context="repl")
        local = {n: v["value"] for n, v in client.variables(client.scopes(frame)["Locals"]).items()}
    with Client() as client:
        client.start("attach", core=str(core))
        stop = client.stopped()
        frame = client.top(stop)
        assert (frame["name"], frame["line"]) == ("work_on", line_of("store"))
        assert {n: v["value"] for n, v in client.variables(client.scopes(frame)["Locals"]).items()} == local
        with pytest.raises(Refused, match="cannot start this process"):
            client.ask("restart")
        with pytest.raises(Refused):
            client.ask("terminate")


def test_a_core_file_with_history_goes_back(client, kernels, tmp_path):
    core = tmp_path / "core"
    with Client() as first:
        stop, frame = at_store(first, kernels("gfx900"))
        first.value(f"generate-core {core} all", frame, context="repl")
    client.start("attach", core=str(core))
    stop = client.stopped()
    stop = client.go("stepBack", stop)
    assert client.top(stop)["line"] == line_of("call")


# ---- the crash of a program ----

def test_a_program_that_is_killed_is_told(client):
    h, configuration = host_of("gcn-hip")
    client.start(prepare=lambda own: own.functions("f"), **configuration)
    pid = client.event("process")[1]["systemProcessId"]
    stop = client.stopped()
    os.kill(pid, signal.SIGKILL)
    until(lambda: open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[0] == "Z")
    client.functions()
    client.send("continue", {"threadId": stop["threadId"]})
    assert client.event("terminated")
    assert "SIGKILL" in client.output() or "ended" in client.output(), client.log[-4:]


