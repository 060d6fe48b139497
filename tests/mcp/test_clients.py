"""Other people's clients: the official TypeScript SDK's over stdio, the inspector's command line, and the conformance suite through a
bridge to HTTP (bridge.mjs)."""
import json
import os
import shutil
import subprocess

import pytest

from mcp import HERE, MADE, TIMEOUT, WAVETRAP
from planted import culprit, words_of


@pytest.fixture
def server(folder):
    return [WAVETRAP, "mcp", *map(str, words_of("sm", 2, folder))]


def node(script, *words):
    """A script of the tests, beside the packages."""
    shutil.copy(HERE / script, MADE / script)
    return ["node", MADE / script, *words]


def test_the_official_client_has_a_session(server):
    done = subprocess.run(node("client.mjs", *server), capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["server"]["name"] == "wavetrap" and len(said["tools"]) == 15 and said["templates"] == 2 and said["resources"] > 50
    assert "EXPECT(" in said["run"]["structuredContent"]["program"]["source"] and not said["run"].get("isError")
    assert said["wrote"]["structuredContent"]["places"][0]["line"] == culprit(2)
    assert said["failed"]["isError"] and "No symbol" in said["failed"]["content"][0]["text"]
    assert "null store" in said["report"]["contents"][0]["text"] and said["unknown"] == -32602


def inspect(server, *words):
    done = subprocess.run([MADE / "node_modules" / ".bin" / "mcp-inspector-cli", "--cli", *server, *words], capture_output=True, text=True, timeout=TIMEOUT, check=False,
                          env={**os.environ, "CI": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_and_calls(server):
    """Its options stand behind the server's command, whose own are in a file of it."""
    script = MADE / f"server{os.getpid()}.sh"
    script.write_text("#!/bin/sh\nexec " + " ".join(server) + "\n")
    script.chmod(0o755)
    try:
        assert len(inspect([script], "--method", "tools/list")["tools"]) == 15
        run = inspect([script], "--method", "tools/call", "--tool-name", "run")
        assert run["structuredContent"]["program"]["findings"] == 1
        called = inspect([script], "--method", "tools/call", "--tool-name", "break", "--tool-arg", "place=planted.h:32")
        assert "Breakpoint 1" in called["content"][0]["text"]
        assert inspect([script], "--method", "resources/read", "--uri", "wavetrap://docs/mcp.md")["contents"][0]["text"].startswith("# ")
    finally:
        script.unlink()


@pytest.fixture
def address(server):
    with subprocess.Popen(node("bridge.mjs", *server), stdout=subprocess.PIPE, text=True) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        process.terminate()


@pytest.mark.parametrize("scenario", ["server-initialize", "ping", "tools-list", "resources-list"])
def test_the_conformance_suite_passes(address, scenario, tmp_path):
    done = subprocess.run([MADE / "node_modules" / ".bin" / "conformance", "server", "--url", address, "--scenario", scenario], capture_output=True, text=True,
                          timeout=TIMEOUT, check=False, cwd=tmp_path)
    assert done.returncode == 0 and "0 failed" in done.stdout, done.stdout + done.stderr
