"""The protocol's rules: order, errors, bad messages, ends in every state, and that no web page can drive a server."""
import json
import os
import re
import signal
import socket
import subprocess

import pytest

from conftest import HEADER, at_store, begin, line_of
from dap import CLIENT, TIMEOUT, WAVETRAP, Client, Refused, known_commands


def refused(client, command, match, **arguments):
    with pytest.raises(Refused, match=match) as found:
        client.ask(command, checked=False, **arguments)
    error = found.value.message["body"]["error"]
    assert error["variables"]["_text"] == found.value.message["message"]


def test_capabilities_are_what_the_server_does(client):
    """Each request that a capability promises is served: it is known, and fails for want of a program only."""
    can = client.initialize()
    for name in ("restart", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints", "dataBreakpointInfo", "stepBack",
                 "reverseContinue", "setVariable", "setExpression", "gotoTargets", "goto", "stepInTargets", "completions", "modules",
                 "loadedSources", "exceptionInfo", "terminate", "readMemory", "writeMemory", "disassemble", "breakpointLocations",
                 "configurationDone", "evaluate", "threads", "stackTrace", "scopes", "variables", "source", "pause", "next", "stepIn", "stepOut",
                 "continue", "setBreakpoints", "setExceptionBreakpoints"):
        refused(client, name, "nothing is debugged: launch or attach must be first")
    for name in ("terminateThreads", "restartFrame", "locations", "nonsense", ""):
        refused(client, name, "there is no such request")
    assert not {"supportsTerminateThreadsRequest", "supportsRestartFrame", "supportSuspendDebuggee"} & set(can)
    assert [f["filter"] for f in can["exceptionBreakpointFilters"] if f.get("default")] == ["fault"]


# What a request needs in a session that stands; TOP: a frame, AT: an address, SOURCE: the kernel's. Those without a row need nothing, or a thread.
NEEDS = {"breakpointLocations": {"source": "SOURCE", "line": 19}, "completions": {"text": "su", "column": 3, "frameId": "TOP"},
         "dataBreakpointInfo": {"name": "to[i]", "frameId": "TOP"}, "disassemble": {"memoryReference": "AT", "instructionOffset": -4, "instructionCount": 8},
         "evaluate": {"expression": "sum", "frameId": "TOP"}, "gotoTargets": {"source": "SOURCE", "line": 19}, "readMemory": {"memoryReference": "AT", "count": 8},
         "scopes": {"frameId": "TOP"}, "setBreakpoints": {"source": "SOURCE", "breakpoints": []}, "setDataBreakpoints": {"breakpoints": []},
         "setExceptionBreakpoints": {"filters": []}, "setExpression": {"expression": "sum", "value": "sum", "frameId": "TOP"},
         "setFunctionBreakpoints": {"breakpoints": []}, "setInstructionBreakpoints": {"breakpoints": []}, "stepInTargets": {"frameId": "TOP"},
         "cancel": {"requestId": 1}, "source": {"sourceReference": 0, "source": "SOURCE"}, "setVariable": {"variablesReference": 4711, "name": "sum", "value": "1"},
         "variables": {"variablesReference": 4711}, "goto": {"threadId": "THREAD", "targetId": 4711}, "writeMemory": {"memoryReference": "AT", "data": "", "offset": 0},
         "modules": {"moduleCount": 1}}
# What is refused in that session, and why.
REFUSED = {"initialize": "once", "launch": "already", "attach": "already", "configurationDone": "already", "pause": "nothing runs",
           "exceptionInfo": "no exception", "variables": "not of this stop", "setVariable": "not of this stop", "goto": "not of this stop"}
NOT_SERVED = {"locations", "restartFrame", "terminateThreads",      # their capabilities are not promised
              "runInTerminal", "startDebugging"}                    # requests of servers
MOVES = ["next", "stepIn", "stepOut", "stepBack", "reverseContinue", "continue", "restart"]
LAST = ["terminate", "disconnect"]


def test_each_request_of_the_protocol_is_answered(client, kernel):
    """Each that the schema has: once, as the schema says, or refused with the reason."""
    stop = begin(client, kernel, lambda own: own.breakpoints(HEADER, line_of("first")))
    frame = client.top(stop)
    client.breakpoints(HEADER)
    meant = {"TOP": frame["id"], "AT": frame["instructionPointerReference"], "SOURCE": frame["source"], "THREAD": stop["threadId"]}
    for name in sorted(known_commands() - {"error", *MOVES, *LAST}) + MOVES + LAST:
        arguments = {key: meant.get(value, value) if isinstance(value, str) else value for key, value in NEEDS.get(name, {"threadId": "THREAD"}).items()}
        if name == "restart":
            client.breakpoints(HEADER, line_of("first"))
        answer = client.answer(client.send(name, arguments, checked=False))
        why = "there is no such request" if name in NOT_SERVED else REFUSED.get(name)
        assert answer["success"] == (why is None), answer
        assert not why or why in answer["message"], answer
        if name in MOVES:
            meant["THREAD"] = client.event("stopped", "exited")[1].get("threadId", 1)
    assert client.close() == 0


def test_a_breakpoint_at_no_instruction_is_not_verified(client, kernels):
    """The others of its request are set."""
    stop, frame = at_store(client, kernels("gfx900"))
    wanted = [{"instructionReference": "nothing"}, {"instructionReference": frame["instructionPointerReference"], "offset": 8}]
    for _ in range(2):
        told = client.ask("setInstructionBreakpoints", breakpoints=wanted)["breakpoints"]
        assert [one["verified"] for one in told] == [False, True] and "not a reference" in told[0]["message"]


def test_requests_out_of_order_are_refused(client, kernels):
    refused(client, "threads", "initialize must be first")
    refused(client, "launch", "initialize must be first", program="x")
    client.initialize()
    refused(client, "initialize", "once", **CLIENT)
    refused(client, "configurationDone", "nothing is debugged")
    configuration = kernels("vortex").configuration
    client.ask("launch", checked=False, **configuration)
    refused(client, "launch", "already", **configuration)
    refused(client, "continue", "not being run", threadId=1)
    refused(client, "restart", "configurationDone starts it")
    client.breakpoints(HEADER, line_of("store"))
    client.ask("configurationDone")
    stop = client.stopped()
    refused(client, "configurationDone", "already")
    refused(client, "pause", "nothing to pause", threadId=1)
    refused(client, "stackTrace", "no thread", threadId=4711)
    refused(client, "stackTrace", "threadId")
    refused(client, "scopes", "not of this stop", frameId=4711)
    refused(client, "variables", "not of this stop", variablesReference=4711)
    refused(client, "evaluate", "expression")
    refused(client, "setBreakpoints", "source")
    refused(client, "setBreakpoints", "line", source={"path": "x"}, breakpoints=[{}])
    refused(client, "setBreakpoints", "path", source={"name": "x"}, breakpoints=[])
    refused(client, "goto", "not of this stop", threadId=stop["threadId"], targetId=99)
    refused(client, "attach", "already", pid=1)
    # What a reference meant at a stop it does not mean at the next.
    frame = client.top(stop)
    reference = client.scopes(frame)["Locals"]
    client.go("next", stop)
    refused(client, "variables", "not of this stop", variablesReference=reference)


@pytest.mark.parametrize("configuration, match", [
    ({}, "\"program\""),
    ({"program": "/no/such/file"}, "No such file"),
    ({"program": 5}, "\"program\""),
    ({"program": "KERNEL", "gpu": "toaster"}, "toaster"),
    ({"program": "KERNEL", "gpu": {}}, "\"gpu\""),
    ({"program": "KERNEL", "threads": "many"}, "\"threads\""),
    ({"program": "KERNEL", "threadPage": 0}, "\"threadPage\""),
    ({"program": "KERNEL", "env": ["A=1"]}, "\"env\""),
    ({"program": "KERNEL", "cwd": "/no/such/folder"}, "\"cwd\""),
    ({"program": "KERNEL", "args": ["x"]}, "takes no arguments"),
    ({"program": "KERNEL", "args": "x"}, "\"args\""),
    ({"program": "KERNEL", "options": ["--no-such-option"]}, "no option '--no-such-option'"),
    ({"program": "KERNEL", "options": ["--help"]}, "help"),
    ({"program": "KERNEL", "options": ["--ex=run"]}, "console"),
    ({"program": "KERNEL", "history": []}, "\"history\""),
    ({"program": "KERNEL", "check": "nonsense"}, "nonsense"),
    ({"program": "KERNEL", "schedule": "nonsense"}, "nonsense"),
])
def test_a_bad_configuration_is_refused_and_a_good_one_may_follow(client, kernels, configuration, match):
    good = kernels("vortex").configuration
    client.initialize()
    refused(client, "launch", match, **{k: good["program"] if v == "KERNEL" else v for k, v in configuration.items()})
    client.start(**good)
    assert client.event("exited")[1]["exitCode"] == 0


@pytest.mark.parametrize("configuration, match", [({}, "one of"), ({"pid": 1, "core": "x"}, "one of"), ({"connect": "somewhere"}, "connect"),
                                                  ({"core": "/no/such/core"}, "No such file"), ({"pid": "x"}, "process id"),
                                                  ({"connect": "--dm=tcp:127.0.0.1:1", "program": "KERNEL"}, "refused")])
def test_a_bad_attach_is_refused(client, kernels, configuration, match):
    client.initialize()
    program = kernels("vortex").configuration["program"]
    refused(client, "attach", match, **{k: program if v == "KERNEL" else v for k, v in configuration.items()})


BAD_MESSAGES = [b"", b"{", b"[1, 2", b"nonsense", b'{"seq": 1}', b'{"seq": "1", "type": "request", "command": "threads"}', b"[]", b"7", b"null",
                b'"text"', b'{"seq": 1, "type": "request"}', b'{"seq": 1, "type": "request", "command": 5}', b'{"seq": 1, "type": "event"}',
                b'{"seq": 1, "type": "request", "command": "threads", "arguments": 5}', b'{"seq": 1, "type": "request", "command": "threads"} x',
                b'{"seq": 1, "type": "request", "command": "threads"} x ', b"\xff\xfe", b"{" * 5000, b'{"a": ' * 5000 + b"1" + b"}" * 5000, b'{"seq": 1, "type": "request", "command": "\\u0000"}', b"\0" * 40]


def test_a_bad_message_is_answered_and_the_server_lives(client):
    for number, body in enumerate(BAD_MESSAGES):
        client.send_body(body)
        message = client.read()
        assert message["type"] == "response" and not message["success"], (body, message)
        assert message["message"], body
        if number == 0:
            client.initialize()
    refused(client, "threads", "nothing is debugged")


def test_a_message_may_come_in_any_pieces(client):
    body = json.dumps({"seq": 1, "type": "request", "command": "initialize", "arguments": CLIENT}).encode()
    for byte in b"Content-Length: %d\r\n\r\n" % len(body) + body:
        client.send_bytes(bytes([byte]))
    assert client.read()["success"]


def test_several_messages_may_come_at_once(client):
    bodies = [json.dumps({"seq": i, "type": "request", "command": command, "arguments": CLIENT}).encode()
              for i, command in enumerate(("initialize", "threads", "nonsense"), 1)]
    client.send_bytes(b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies))
    assert [client.read()["success"] for _ in bodies] == [True, False, False]


NO_FRAMES = [b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", b"\r\n\r\n", b"{}", b"Content-Type: x\r\n\r\n",
             b"Content-Length: x\r\n\r\n", b"Content-Length: \r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Content-Length: 2\r\nOrigin: x\r\n\r\n{}",
             b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: 2\n\n{}", b"Content-Length:" + b" " * 100, b"\xff" * 10, b"C" * 20]


@pytest.mark.parametrize("data", NO_FRAMES)
def test_what_is_no_frame_ends_the_connection(data):
    """At once, and nothing that follows is done."""
    with subprocess.Popen([WAVETRAP, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate(data, TIMEOUT)
    assert not out and process.returncode == 125 and b"wavetrap dap:" in err


@pytest.mark.parametrize("data", [d for d in NO_FRAMES if not d.startswith(b"Content-Length:" + b" ")])
def test_the_connection_is_closed_as_soon_as_it_cannot_be_a_frame(server, data):
    with socket.create_connection(server) as s:
        s.sendall(data)
        s.settimeout(TIMEOUT)
        assert s.recv(1) == b""


@pytest.fixture
def server():
    """The address of a server at a free port."""
    process = subprocess.Popen([WAVETRAP, "dap", "--listen=127.0.0.1:0"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.readline()
    yield "127.0.0.1", int(re.search(r":(\d+)$", said.strip())[1])
    process.send_signal(signal.SIGINT)
    assert process.wait(TIMEOUT) == 0
    process.stderr.close()


def test_a_port_serves_several_editors_at_once(server, kernels):
    """Each has a session of its own; the end of one is not that of another."""
    with Client(server) as one, Client(server) as two:
        first, frame = at_store(one, kernels("vortex"))
        second, other = at_store(two, kernels("sm"))
        assert one.value("n", frame) == two.value("n", other) == "7"
        one.disconnect()
        two.breakpoints(HEADER)
        two.ask("continue", threadId=second["threadId"])
        assert two.event("exited")[1]["exitCode"] == 0


def test_a_web_page_cannot_drive_a_server(server, tmp_path, kernels):
    """A page's request begins with a method, whatever its body is."""
    core = tmp_path / "core"
    body = b""
    for i, (command, arguments) in enumerate([("initialize", CLIENT), ("launch", kernels("vortex").configuration), ("configurationDone", {}),
                                              ("evaluate", {"context": "repl", "expression": f"generate-core {core}"})], 1):
        message = json.dumps({"seq": i, "type": "request", "command": command, "arguments": arguments}).encode()
        body += b"Content-Length: %d\r\n\r\n" % len(message) + message
    with socket.create_connection(server) as s:
        s.settimeout(TIMEOUT)
        try:
            s.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            assert s.recv(1000) == b""
        except (ConnectionResetError, BrokenPipeError):
            pass
    assert not core.exists()
    with Client(server) as client:
        client.initialize()


def test_a_unix_socket_is_the_users_own(tmp_path, kernels):
    path = tmp_path / "socket"
    with subprocess.Popen([WAVETRAP, "dap", f"--listen=unix:{path}"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert str(path) in process.stderr.readline()
        assert path.stat().st_mode & 0o777 == 0o600
        with Client(str(path)) as client:
            at_store(client, kernels("vortex"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 143
    assert not path.exists()


@pytest.mark.parametrize("address, match", [("0.0.0.0:0", "other machines"), ("stdio", "takes PORT"), ("x:y", "")])
def test_addresses_that_others_reach_are_refused(address, match):
    done = subprocess.run([WAVETRAP, "dap", "--listen", address], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125 and match in done.stderr


# ---- ends ----

def to_state(client, kernel, state):
    """Leads a session to a state."""
    if state == "new":
        return
    client.initialize()
    if state == "initialized":
        return
    if state == "launched":
        client.ask("launch", checked=False, **kernel.configuration)
        return
    client.seq = client.seq or 1
    if state == "runs":
        client.start(**{**kernel.configuration, "program": LOOP[0]})
        client.event("process")
        return
    stop, _ = at_store(client, kernel)
    if state == "ended":
        client.breakpoints(HEADER)
        client.ask("continue", threadId=stop["threadId"])
        client.event("terminated")


LOOP = []
STATES = ["new", "initialized", "launched", "runs", "stopped", "ended"]


@pytest.fixture(scope="session", autouse=True)
def loop(tmp_path_factory):
    """A program that runs until it is stopped."""
    folder = tmp_path_factory.mktemp("loop")
    source, out = folder / "loop.S", folder / "loop.elf"
    source.write_text(".globl _start\n_start: li t0, 0\nmore: addi t0, t0, 1\n j more\n")
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32im", "-mabi=ilp32", "-g", "-nostdlib", "-static", "-Wl,-Ttext=0x80000000", source, "-o", out],
                   check=True)
    LOOP[:] = [str(out)]
    return out


@pytest.mark.parametrize("state", STATES)
def test_disconnect_ends_in_every_state(kernels, state):
    client = Client()
    to_state(client, kernels("vortex"), state)
    assert client.disconnect() == 0


@pytest.mark.parametrize("state", STATES)
def test_a_client_that_is_gone_ends_the_server_in_every_state(kernels, state):
    client = Client()
    to_state(client, kernels("vortex"), state)
    assert client.close() == 0


@pytest.mark.parametrize("state", STATES[2:])
def test_a_signal_ends_the_server_in_every_state(kernels, state):
    client = Client()
    to_state(client, kernels("vortex"), state)
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(TIMEOUT) == 143
    client.close()


def test_a_run_is_paused_and_asked_meanwhile(client, kernels):
    """While it runs requests that need a stop are refused at once, others are answered."""
    client.start(**{**kernels("vortex").configuration, "program": LOOP[0]})
    client.event("process")
    refused(client, "stackTrace", "notStopped", threadId=1)
    refused(client, "evaluate", "notStopped", expression="1")
    threads = client.ask("threads")["threads"]
    client.ask("loadedSources")
    client.ask("pause", threadId=threads[0]["id"])
    stop = client.stopped()
    assert stop["reason"] == "pause"
    # A breakpoint in its loop that is set while it runs stops it.
    address = "0x80000004"
    client.ask("continue", threadId=stop["threadId"])
    told = client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": address}])["breakpoints"]
    assert told[0]["verified"]
    stop = client.stopped()
    assert stop["reason"] == "instruction breakpoint" and stop["hitBreakpointIds"] == [told[0]["id"]]
    # So does one that comes together with the request to go on.
    client.ask("setInstructionBreakpoints", breakpoints=[])
    client.send("continue", {"threadId": stop["threadId"]}, held=True)
    again = client.answer(client.send("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": address}]}))["body"]["breakpoints"]
    assert client.stopped()["hitBreakpointIds"] == [again[0]["id"]]
    client.ask("setInstructionBreakpoints", breakpoints=[])
    client.ask("continue", threadId=stop["threadId"])
    seq = client.send("terminate")
    assert client.answer(seq)["success"]
    client.event("terminated")


@pytest.mark.parametrize("state", ["runs", "stopped", "ended"])
def test_restart_begins_anew_in_every_state(client, kernels, state):
    """Breakpoints stay, with their ids; the run is the same again."""
    kernel = kernels("vortex")
    to_state(client, kernel, state)
    if state == "runs":
        client.ask("restart")
        client.event("process")
        client.ask("pause", threadId=1)
        assert client.stopped()["reason"] == "pause"
        return
    told = client.breakpoints(HEADER, line_of("store"))
    client.ask("restart")
    stop = client.stopped()
    assert stop["hitBreakpointIds"] == [told[0]["id"]] and client.top(stop)["line"] == line_of("store")
    time = client.value("info time", client.top(stop), context="repl")
    client.go("next", stop)
    client.ask("restart")
    stop = client.stopped()
    assert client.value("info time", client.top(stop), context="repl").split(";")[0] == time.split(";")[0]


def test_restart_with_another_configuration(client, kernels):
    """The program is opened anew, and the breakpoints are set in it."""
    stop, frame = at_store(client, kernels("sm"))
    changed = {**kernels("sm").configuration, "kernelArgs": [*kernels("sm").configuration["kernelArgs"][:2], 8]}
    client.send("restart", {"arguments": changed})
    stop = client.stopped()
    assert client.value("n", client.top(stop)) == "8"


def test_a_long_search_shows_progress_and_is_cancelled(client, kernels):
    """The search goes over a recorded run that is made longer until the search takes long; its request fails when its progress is
    cancelled."""
    client.start(**{**kernels("vortex").configuration, "program": LOOP[0], "gpu": "vortex:warps=1,threads=1"})
    client.event("process")
    begun, least = None, 30_000_000
    while not begun:
        while True:
            for _ in range(200):   # meanwhile it runs
                client.ask("threads")
            client.ask("pause", threadId=1)
            stop = client.stopped()
            if int(re.search(r"\d+", client.value("info time", context="repl"))[0]) > least:
                break
            client.ask("continue", threadId=stop["threadId"])
        seq, least = client.send("evaluate", {"expression": "who-wrote *(int *)0x80100000", "context": "repl"}), 2 * least
        while seq not in client.answers and not begun:
            message = client.read()
            if message["type"] == "response":
                client.answers[message["request_seq"]] = message
            elif message["event"] == "progressStart":
                begun = message["body"]
        if not begun:
            client.ask("continue", threadId=stop["threadId"])
    assert begun["cancellable"] and begun["requestId"] == seq and "Ctrl-C" not in begun["message"]
    client.ask("cancel", progressId=begun["progressId"])
    assert client.event("progressEnd")[1]["progressId"] == begun["progressId"]
    client.answer(seq)
    assert client.value("info time", context="repl")


def test_cancel_of_a_request_that_waits(client, kernels):
    client.initialize()
    client.ask("cancel", requestId=99)
    refused(client, "cancel", "requestId")


def test_stop_on_entry(client, kernel):
    """It stops where the program's own code begins."""
    stop = begin(client, kernel, stopOnEntry=True)
    assert stop["reason"] == "entry"
    assert client.top(stop)["name"] in ("main", "work")


def test_without_debugging_nothing_stops(client, kernels):
    """noDebug, as editors' "run without debugging" has it."""
    told = []
    client.start(prepare=lambda own: told.extend(own.breakpoints(HEADER, line_of("store"))), noDebug=True, stopOnEntry=True,
                 **kernels("vortex").configuration)
    assert not told[0]["verified"] and "noDebug" in told[0]["message"]
    assert client.event("stopped", "exited")[0] == "exited"


def test_the_consoles_kill_ends_the_session(client, kernels):
    stop, frame = at_store(client, kernels("vortex"))
    client.value("kill", frame, context="repl")
    client.event("terminated")
    client.ask("restart")
    assert client.stopped()


def test_the_consoles_quit_ends_the_server(kernels):
    client = Client()
    stop, frame = at_store(client, kernels("vortex"))
    client.value("quit", frame, context="repl")
    client.event("terminated")
    assert client.close() == 0


def test_a_file_of_the_same_name_is_another_file(client, kernels, tmp_path):
    """A breakpoint in a file that the program was not made of does not stop it, though its name is the same; one that is not here is
    taken for the file with most of its last folders."""
    other = tmp_path / HEADER.name
    other.write_text(HEADER.read_text())
    told = []
    client.start(prepare=lambda own: told.extend(own.breakpoints(other, line_of("store")) + own.breakpoints(f"/elsewhere/programs/{HEADER.name}",
                                                                                                            line_of("call"))),
                 **kernels("vortex").configuration)
    assert not told[0]["verified"] and told[0]["message"]
    assert told[1]["verified"] and told[1]["source"]["path"] == str(HEADER)
    assert client.top(client.stopped())["line"] == line_of("call")


def test_optional_members_come_to_clients_that_know_them(kernels):
    with Client() as client:
        client.initialize(supportsVariableType=False, supportsMemoryReferences=False, supportsInvalidatedEvent=False, supportsMemoryEvent=False)
        client.seq = client.seq or 1
        stop, frame = at_store(client, kernels("vortex"))
        local = client.variables(client.scopes(frame)["Locals"])
        assert not any({"type", "memoryReference"} & set(v) for v in local.values())
        client.value("sum = 3", frame, context="repl")
        assert not any(m.get("event") in ("invalidated", "memory") for m in client.log)


def test_lines_and_columns_may_begin_at_0(kernels):
    with Client() as client:
        client.capabilities = client.initialize(linesStartAt1=False, columnsStartAt1=False)
        client.start(prepare=lambda own: own.breakpoints(HEADER, line_of("store") - 1), **kernels("vortex").configuration)
        top = client.top(client.stopped())
        assert (top["line"], top["column"]) == (line_of("store") - 1, 0)


def test_paths_may_be_uris(kernels):
    with Client() as client:
        client.initialize(pathFormat="uri")
        client.start(prepare=lambda own: own.breakpoints(HEADER.as_uri(), line_of("store")), **kernels("vortex").configuration)
        assert client.top(client.stopped())["source"]["path"] == HEADER.as_uri()


def test_output_of_the_program_comes_as_it_is(client, kernels, tmp_path):
    """Its bytes come in events, and nothing of it between the messages."""
    source = tmp_path / "say.c"
    source.write_text('#include "vortex.h"\n#include <stdio.h>\nint main(void) { printf("a \\303\\244 b\\377\\n"); return 3; }\n')
    from work import LIBRARY, PICOLIBC
    libgcc = subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imf", "-mabi=ilp32f", "-print-libgcc-file-name"], check=True, text=True,
                            capture_output=True).stdout.strip()
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-O1", "-mcmodel=medany", "-isystem", f"{PICOLIBC}/include",
                    f"-I{LIBRARY}", "-nostdlib", "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", "-o", tmp_path / "say.elf", source,
                    *(LIBRARY / file for file in ("start.S", "diverge.S", "spawn.c", "console.c")), f"{PICOLIBC}/lib/rv32imf/ilp32f/libc.a", libgcc],
                   check=True)
    client.start(program=str(tmp_path / "say.elf"))
    assert client.event("exited")[1]["exitCode"] == 3
    assert client.output("stdout") == "a ä b\ufffd\n"


def test_a_server_leaves_no_process(kernels):
    client = Client()
    at_store(client, kernels("vortex"))
    children = f"/proc/{client.process.pid}/task/{client.process.pid}/children"
    assert not open(children, encoding="ascii").read() if os.path.exists(children) else True
    assert client.disconnect() == 0


def test_messages_are_shown_for_what_a_person_has_asked_for(client, kernels):
    """Not for a frame of a stop that is over, nor for a hover over what has no value."""
    stop, frame = at_store(client, kernels("gfx900"))
    client.go("next", stop)

    def shown(command, **arguments):
        answer = client.answer(client.send(command, arguments))
        assert not answer["success"]
        return answer["body"]["error"]["showUser"]
    assert not shown("scopes", frameId=frame["id"])
    assert not shown("evaluate", expression="nothing_of_this_name", context="hover")
    assert shown("setExpression", expression="nothing_of_this_name", value="1")
