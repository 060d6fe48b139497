"""A client of the Model Context Protocol over stdio. It holds each message, its own too, against the JSON schemas of the protocol's types
(schema.sh), and each answer of a tool against the tool's own schema."""
import functools
import json
import os
import pathlib
import select
import subprocess

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
MADE = pathlib.Path(os.environ.get("WAVETRAP_MCP", ROOT / "build-mcp"))
TIMEOUT = 120
REVISION = "2025-11-25"
CLIENT = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
RESULTS = {"initialize": "InitializeResult", "ping": "EmptyResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
           "resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult"}
REQUESTS = {"initialize": "InitializeRequest", "ping": "PingRequest", "tools/list": "ListToolsRequest", "tools/call": "CallToolRequest",
            "resources/list": "ListResourcesRequest", "resources/templates/list": "ListResourceTemplatesRequest", "resources/read": "ReadResourceRequest"}


class Refused(Exception):
    """The answer is an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


@functools.cache
def definitions():
    subprocess.run([HERE / "schema.sh", MADE], check=True)
    return json.loads((MADE / "schema.json").read_text())["definitions"]


@functools.cache
def validator(name):
    return jsonschema.Draft7Validator({"definitions": definitions(), "$ref": f"#/definitions/{name}"})


def check(name, message):
    errors = list(validator(name).iter_errors(message))
    assert not errors, f"{message}: " + "; ".join(f"{list(e.absolute_path)}: {e.message}" for e in errors)


class Client:
    """A server of its own, for the words of `wavetrap mcp`."""

    def __init__(self, *words, initialized=True, **more):
        self.process = subprocess.Popen([WAVETRAP, "mcp", *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)
        self.seq, self.bytes, self.calls, self.answers = 0, b"", 0, {}
        self.tools = {}
        if initialized:
            self.about = self.ask("initialize", **CLIENT)
            self.notify("notifications/initialized")
            self.tools = {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}

    def send_line(self, data):
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.send_line(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def send(self, method, **params):
        self.seq += 1
        message = {"jsonrpc": "2.0", "id": self.seq, "method": method, "params": params}
        if method in REQUESTS:
            check(REQUESTS[method], message)
        self.send_line(json.dumps(message).encode())
        return self.seq

    def read(self):
        """The next message, one line."""
        while b"\n" not in self.bytes:
            assert select.select([self.process.stdout], [], [], TIMEOUT)[0], "no message comes"
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise EOFError("the server is gone")
            self.bytes += data
        line, _, self.bytes = self.bytes.partition(b"\n")
        message = json.loads(line)
        check("JSONRPCMessage", message)
        check("JSONRPCErrorResponse" if "error" in message else "JSONRPCResultResponse", message)
        return message

    def answer(self, seq):
        while seq not in self.answers:
            message = self.read()
            assert message.get("id") not in self.answers, f"a second answer: {message}"
            self.answers[message.get("id")] = message
        return self.answers[seq]

    def ask(self, method, **params):
        message = self.answer(self.send(method, **params))
        if "error" in message:
            raise Refused(message["error"])
        check(RESULTS[method], message["result"])
        return message["result"]

    def call(self, tool, **arguments):
        """What a tool answers, as members; `failed` says whether it is an error."""
        self.calls += 1
        result = self.ask("tools/call", name=tool, arguments=arguments)
        members = result["structuredContent"]
        jsonschema.Draft202012Validator(self.tools[tool]["outputSchema"]).validate(members)
        said = result["content"][0]["text"]
        assert said.startswith(members["text"]) and len(said) < 16000, said
        return {**members, "failed": result.get("isError", False)}

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None and kind:
            self.process.kill()
        if not self.process.stdin.closed:
            self.close()
