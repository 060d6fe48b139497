"""The server's messages, whatever comes; the tools' answers, their pages, errors and limits."""
import json
import pathlib
import re
import subprocess

import pytest

from mcp import CLIENT, REVISION, ROOT, TIMEOUT, WAVETRAP, Client, Refused
from planted import PROGRAMS, culprit, words_of

TOOLS = ["run", "break", "continue", "step", "back", "goto", "evaluate", "who-wrote", "where-from", "lanes", "divergence", "findings", "source",
         "disassemble", "core"]
LOOP = """kernel void loop(global int *to, int n)
{
    volatile int turns = 0;
    while (n != 8)
        turns++; /* turn */
    to[0] = turns;
}
"""


@pytest.fixture
def words(folder):
    """Those for the bug of plant_2: the program writes a wrong value, and stops itself."""
    return words_of("sm", 2, folder)


@pytest.fixture
def client(words):
    with Client(*words) as own:
        yield own


@pytest.fixture(scope="session")
def loop(folder):
    """A kernel without an end."""
    source, out = folder / "loop.cl", folder / "loop.ptx"
    source.write_text(LOOP)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", source, "-o", out, "-target", "nvptx64--nvidiacl", "-S", "-Xclang",
                    "-mlink-builtin-bitcode", "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc"], check=True)
    return ["-g", "sm", "--grid=1", "--block=1", "--arg=zeros:4", "--arg=7", out]


def stopped(client):
    """Runs to the wrong value's store; the answer."""
    client.call("break", catch="check")
    return client.call("run")


# ---- the protocol ----

def test_the_server_says_what_it_is_and_has(client):
    about = client.about
    assert about["protocolVersion"] == REVISION and set(about["capabilities"]) == {"tools", "resources"}
    assert about["serverInfo"]["name"] == "wavetrap" and "findings" in about["instructions"]
    assert sorted(client.tools) == sorted(TOOLS)
    assert client.ask("ping") == {}
    assert all(tool["annotations"]["openWorldHint"] is False for tool in client.tools.values())
    assert not any(tool["annotations"]["destructiveHint"] for tool in client.tools.values())


@pytest.mark.parametrize("wanted, taken", [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2199-01-01", REVISION)])
def test_the_revision_is_the_clients_where_it_is_known(words, wanted, taken):
    with Client(*words, initialized=False) as client:
        assert client.ask("initialize", **{**CLIENT, "protocolVersion": wanted})["protocolVersion"] == taken


def test_initialize_is_first_and_once(words):
    with Client(*words, initialized=False) as client:
        assert client.ask("ping") == {}
        with pytest.raises(Refused, match="initialize must be first"):
            client.ask("tools/list")
        client.ask("initialize", **CLIENT)
        with pytest.raises(Refused, match="once"):
            client.ask("initialize", **CLIENT)


BAD_LINES = [(b"{", -32700), (b"nonsense", -32700), (b"\xff\xfe", -32700), (b"[" * 5000, -32700), (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} x', -32700),
             (b"[]", -32600), (b"7", -32600), (b"null", -32600), (b'"text"', -32600), (b"{}", -32600), (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
             (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
             (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "\\u0000"}', -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}', -32601), (b'{"jsonrpc": "2.0", "id": "x", "method": "tools/call"}', -32602),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "set"}}', -32602),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": []}}', -32602),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}', -32602),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read"}', -32602 + 600),
             (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}', -32002)]


def test_a_bad_line_is_answered_and_the_server_lives(client):
    for line, code in BAD_LINES:
        client.send_line(line)
        message = client.read()
        assert message["error"]["code"] in (code, -32602 if b"resources/read" in line else code), (line, message)
        assert message["error"]["message"]
    client.send_line(b"")    # nothing
    client.notify("notifications/unknown")
    client.send_line(b'{"jsonrpc": "2.0", "id": 99, "result": {}}')    # an answer to nothing
    assert client.ask("ping") == {}


def test_lines_may_come_in_pieces_and_several_at_once(client):
    for byte in b'{"jsonrpc": "2.0", "id": 70, "method": "ping"}\n':
        client.process.stdin.write(bytes([byte]))
        client.process.stdin.flush()
    assert client.read()["id"] == 70
    client.send_line(b'{"jsonrpc": "2.0", "id": "a", "method": "ping"}\r\n{"jsonrpc": "2.0", "id": "b", "method": "ping"}')
    assert [client.read()["id"], client.read()["id"]] == ["a", "b"]


def test_what_came_is_answered_after_the_input_has_ended(words):
    """As in a pipe; nothing but the protocol is at standard output, and the program's end is that of the server."""
    lines = [{"id": 1, "method": "initialize", "params": CLIENT}, {"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": {"name": "run"}}]
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    done = subprocess.run([WAVETRAP, "mcp", *map(str, words)], input=text, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["id"], second["id"]) == (1, 2) and second["result"]["structuredContent"]["program"]["findings"] == 1


# ---- running ----

def test_a_run_that_does_not_end_is_stopped_after_its_time(loop):
    with Client(*loop) as client:
        answer = client.call("run", seconds=1)
        assert "its time is over" in answer["text"] and answer["program"]["state"] == "stopped" and answer["program"]["function"] == "loop"
        answer = client.call("continue", seconds=1)
        assert "its time is over" in answer["text"] and answer["program"]["line"] in (4, 5)


def test_a_client_pings_and_cancels_while_a_tool_runs(loop):
    with Client(*loop) as client:
        run = client.send("tools/call", name="run", arguments={"seconds": 600})
        assert client.ask("ping") == {}
        waits = client.send("tools/call", name="source", arguments={})
        client.notify("notifications/cancelled", requestId=waits)
        client.notify("notifications/cancelled", requestId=run)
        answer = client.call("source")    # the first answer that comes is this one's
        assert answer["program"]["state"] == "stopped" and "turn" in answer["text"]
        assert run not in client.answers and waits not in client.answers


def test_a_session_from_the_run_to_the_culprit(client):
    stop = stopped(client)
    assert stop["program"]["reason"] == "exception" and "EXPECT(" in stop["program"]["source"] and stop["program"]["lane"] == 5
    assert any("where-from" in text for text in stop["next"]) and any("findings" in text for text in stop["next"])
    findings = client.call("findings")
    assert "null store" in findings["text"] and findings["places"][0]["line"] == stop["program"]["line"]
    assert "issue time" in client.call("findings", number=1)["text"]
    lanes = client.call("evaluate", expression="to[i]", lanes="*")
    assert len(lanes["values"]) == 32 and lanes["values"][5]["value"] == "-1" and lanes["values"][4]["value"] == "5"
    assert client.call("evaluate", expression="i", lanes="3")["value"] == "3"
    wrote = client.call("who-wrote", expression="to[i]", count=2)
    assert wrote["places"][0]["line"] == culprit(2) and "was 6, is -1" in wrote["text"]
    time = int(re.search(r"time (\d+)", wrote["text"])[1])
    there = client.call("goto", time=time)
    assert there["program"]["line"] == culprit(2) and there["program"]["time"] == time
    assert client.call("step", how="instruction")["program"]["time"] > time
    assert client.call("back", how="instruction")["program"]["time"] == time
    assert client.call("goto", finding=1)["program"]["line"] == stop["program"]["line"]
    assert "lane 5 is enabled" in client.call("divergence")["text"]
    assert "masked off" in client.call("lanes")["text"] and client.call("lanes", lane=4)["program"]["lane"] == 4
    assert "st.global" in client.call("disassemble", place="plant_2")["text"]
    assert "backtrace" not in client.call("core")["text"] and "#1" in client.call("core")["text"]
    assert client.call("evaluate", expression="n", frame=1)["value"] == "7"


def test_points_are_set_listed_and_deleted(client, words):
    assert "Breakpoint 1" in client.call("break", place="planted.h:32", condition="i == 6")["text"]
    stop = client.call("run")["program"]
    assert (stop["reason"], stop["line"], stop["lane"]) == ("breakpoint", 32, 6)
    assert "atchpoint 2" in client.call("break", watch="to[i]")["text"]
    stop = client.call("continue")
    assert stop["program"]["reason"] == "data breakpoint" and "New value" in stop["text"]
    assert "planted.h:32" in client.call("break")["text"]
    client.call("break", delete=1)
    assert "planted.h:32" not in client.call("break")["text"]
    assert client.call("run")["program"]["state"] == "stopped"


# ---- pages ----

def test_long_answers_have_pages(client):
    stopped(client)
    first = client.call("source", file="planted.h", line=1, count=1000)
    assert first["page"] == 1 and first["pages"] == 2 and "page 1 of 2: source with \"page\": 2" in first["text"]
    text = "".join(client.call("source", file="planted.h", line=1, count=1000, page=page)["text"] for page in (1, 2))
    shown = [line for line in text.splitlines() if not line.startswith("[page")]
    assert shown == [f"{n}\t{line}" for n, line in enumerate((PROGRAMS / "planted.h").read_text().splitlines(), 1)]
    over = client.call("source", file="planted.h", line=1, count=1000, page=3)
    assert over["failed"] and "the last one is 2" in over["text"]


# ---- errors ----

@pytest.mark.parametrize("tool, arguments, match", [
    ("evaluate", {}, "needs \"expression\""), ("evaluate", {"expression": 5}, "type string"), ("evaluate", {"expression": ""}, "empty"),
    ("evaluate", {"expression": "a\nset var x=1"}, "one line"), ("step", {"how": "sideways"}, "one of: over into out"), ("step", {"how": "ver"}, "one of"),
    ("step", {"count": 0}, "1 to 1000000"), ("goto", {}, "goto takes"), ("goto", {"time": 1, "finding": 1}, "goto takes"), ("lanes", {"nonsense": 1}, "no \"nonsense\""),
    ("break", {"place": "x", "watch": "y"}, "one of"), ("source", {"file": "/etc/passwd"}, "not a source of the program"), ("source", {"file": "../planted.h"}, "not a source"),
    ("source", {"file": "planted.h", "line": 5000}, "has 91 lines"), ("evaluate", {"expression": "nothing"}, "No symbol"), ("continue", {"seconds": 0}, "1 or more"),
    ("findings", {"page": -1}, "1 or more"), ("goto", {"finding": 77}, "no finding 77"), ("core", {"file": "x"}, "--allow-write"), ("core", {"file": "x y"}, "blanks"),
    ("disassemble", {"place": "nothing"}, "No symbol"), ("where-from", {"expression": "7"}, "neither in memory nor"), ("break", {"catch": "rain"}, "rain")])
def test_a_wrong_call_is_an_error_in_words(client, tool, arguments, match):
    stopped(client)
    answer = client.call(tool, **arguments)
    assert answer["failed"] and match in answer["text"] and answer["program"].get("state", "stopped") == "stopped"


def test_an_error_says_what_to_call_next(client):
    for tool, arguments in [("evaluate", {"expression": "i"}), ("where-from", {"expression": "i"}), ("who-wrote", {"expression": "i"}), ("divergence", {})]:
        answer = client.call(tool, **arguments)
        assert answer["failed"] and "call run" in answer["text"], answer
    stopped(client)
    assert "compiled with -g" in client.call("evaluate", expression="nothing")["text"]


def test_findings_without_checks_name_the_option(words):
    with Client(*[word for word in words if "check" not in str(word)]) as client:
        client.call("run")
        answer = client.call("findings")
        assert answer["failed"] and "--check" in answer["text"]


# ---- what may be written ----

WRITES = ["to[i] = 1", "i++", "--i", "i += 2", "i <<= 1", "$mine = 3", "(i = 1) + 2"]


@pytest.mark.parametrize("expression", WRITES)
def test_nothing_is_assigned_without_the_option(client, expression):
    stopped(client)
    before = client.call("evaluate", expression="to[i]")["value"]
    for tool, arguments in [("evaluate", {"expression": expression}), ("evaluate", {"expression": "i", "lanes": "*)=1, (i"}), ("who-wrote", {"expression": expression}),
                            ("where-from", {"expression": expression}), ("break", {"place": "planted.h:32", "condition": expression}),
                            ("break", {"place": f"planted.h:32 if {expression}"}), ("break", {"watch": expression}), ("break", {"watch": f"i if {expression}"}),
                            ("break", {"catch": f"check if {expression}"}), ("disassemble", {"place": f"*({expression})"}), ("lanes", {"wave": expression})]:
        answer = client.call(tool, **arguments)
        assert answer["failed"] and ("--allow-write" in answer["text"] or "assigned" in answer["text"]), (tool, arguments, answer["text"])
    assert client.call("evaluate", expression="to[i]")["value"] == before
    assert client.call("evaluate", expression="plant_2(1, 2)")["failed"]


@pytest.mark.parametrize("name", ["shell", "!", "set var i = 1", "generate-core x", "call i", "restore"])
def test_an_argument_is_no_command(client, name, tmp_path):
    stopped(client)
    for tool, arguments in [("evaluate", {"expression": name}), ("who-wrote", {"expression": name}), ("where-from", {"expression": name}), ("break", {"place": name}),
                            ("break", {"catch": name}), ("disassemble", {"place": name}), ("lanes", {"group": name})]:
        assert client.call(tool, **arguments)["failed"] or tool == "break", (tool, name)
    assert not pathlib.Path("x").exists()


def test_with_the_option_it_assigns_and_writes_core_files(words, tmp_path):
    with Client("--allow-write", *words) as client:
        assert set(client.tools) == {*TOOLS, "set"} and client.tools["set"]["annotations"]["destructiveHint"]
        stopped(client)
        assert not client.call("set", expression="n", value="12")["failed"]
        assert client.call("evaluate", expression="n")["value"] == "12"
        assert client.call("evaluate", expression="n = 13")["value"] == "13"
        assert "Saved" in client.call("core", file=str(tmp_path / "core"))["text"]
    with Client("--core", tmp_path / "core", words[-1]) as client:
        core = client.call("core")
        assert core["program"]["state"] == "stopped" and "EXPECT(" in core["program"]["source"] and core["program"]["lane"] == 5
        assert client.call("evaluate", expression="n")["value"] == "13"
        assert client.call("run")["failed"]
        report = client.ask("resources/read", uri="wavetrap://report")["contents"][0]["text"]
        assert "planted.h" in report


# ---- resources ----

def test_resources_are_the_report_sources_and_pages(client):
    stopped(client)
    listed = {one["uri"]: one for one in client.ask("resources/list")["resources"]}
    source = next(uri for uri in listed if uri.endswith("planted.h"))
    assert "wavetrap://report" in listed and "wavetrap://docs/checks.md" in listed and source.startswith("wavetrap://source/")
    read = lambda uri: client.ask("resources/read", uri=uri)["contents"][0]["text"]  # noqa: E731
    assert "null store" in read("wavetrap://report") and read(source).startswith("/* Ten planted bugs")
    pages = [read("wavetrap://docs/checks.md")]
    while again := re.search(r"\[page \d+ of \d+: (\S+) has the next\]\n$", pages[-1]):
        pages.append(read(again[1]))
    whole = "".join(re.sub(r"\[page \d+ of \d+: \S+ has the next\]\n$", "", page) for page in pages)
    assert whole == (ROOT / "docs" / "checks.md").read_text() and len(pages) > 2
    templates = client.ask("resources/templates/list")["resourceTemplates"]
    assert {one["name"] for one in templates} == {"source", "docs"}


@pytest.mark.parametrize("uri", ["wavetrap://docs/../README.md", "wavetrap://docs/.hidden.md", "wavetrap://docs//etc/passwd", "wavetrap://source//etc/passwd", "wavetrap://docs/none.md",
                                 "wavetrap://docs/checks.md?page=99", "wavetrap://docs/checks.md?page=0", "file:///etc/passwd", "wavetrap://nothing", ""])
def test_no_other_file_is_read(client, uri):
    with pytest.raises(Refused) as refused:
        client.ask("resources/read", uri=uri)
    assert refused.value.code == -32002


# ---- the command ----

@pytest.mark.parametrize("words, match", [([], "PROGRAM"), (["--nonsense"], "there is no option"), (["--check=nothing", "x"], "not a check")])
def test_a_wrong_command_line_is_told(words, match):
    done = subprocess.run([WAVETRAP, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125 and not done.stdout and match in done.stderr


def test_a_program_that_cannot_be_opened_is_an_error_of_the_tools(tmp_path):
    with Client(tmp_path / "none") as client:
        answer = client.call("run")
        assert answer["failed"] and "No such file" in answer["text"]
        assert client.ask("ping") == {}
