"""A client of the Debug Adapter Protocol. It holds each message, its own too, against the JSON schemas of the protocol's types
(schema.sh), and the order of messages against the protocol's rules."""
import collections
import functools
import json
import os
import pathlib
import select
import socket
import subprocess

import amd
import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
SCHEMA = pathlib.Path(os.environ.get("WAVETRAP_DAP_SCHEMA", ROOT / "build-dap" / "schema.json"))
TIMEOUT = 120

# What a client that knows all of the protocol says of itself.
CLIENT = {"adapterID": "wavetrap", "clientID": "tests", "linesStartAt1": True, "columnsStartAt1": True, "pathFormat": "path",
          "supportsVariableType": True, "supportsVariablePaging": True, "supportsMemoryReferences": True,
          "supportsProgressReporting": True, "supportsInvalidatedEvent": True, "supportsMemoryEvent": True}


class Refused(Exception):
    """The answer to a request is a failure."""

    def __init__(self, message):
        super().__init__(message.get("message", ""))
        self.message = message


@functools.cache
def definitions():
    subprocess.run([HERE / "schema.sh", SCHEMA.parent], check=True)
    return json.loads(SCHEMA.read_text())["definitions"]


@functools.cache
def validator(name):
    assert name in definitions(), f"the protocol has no {name}"
    return jsonschema.Draft7Validator({"definitions": definitions(), "$ref": f"#/definitions/{name}"})


def type_of(message):
    """The protocol's type of a message."""
    if message["type"] == "event":
        return "DebugProtocol." + message["event"][0].upper() + message["event"][1:] + "Event"
    name = message["command"][0].upper() + message["command"][1:]
    if message["type"] == "request":
        return f"DebugProtocol.{name}Request"
    return f"DebugProtocol.{name}Response" if message["success"] else "DebugProtocol.ErrorResponse"


def check(message):
    errors = list(validator(type_of(message)).iter_errors(message))
    assert not errors, f"{message}: " + "; ".join(f"{list(e.absolute_path)}: {e.message}" for e in errors)


class Client:
    """A connection: to a server of its own at standard input and output, or to @p address. The messages of another command's server
    are not checked."""

    def __init__(self, address=None, command=(WAVETRAP, "dap"), **more):
        self.process = self.socket = None
        self.is_ours = command[0] == WAVETRAP
        if address is None:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)
            self.fd_in, self.fd_out = self.process.stdout.fileno(), self.process.stdin.fileno()
        else:
            self.socket = socket.create_connection(address) if isinstance(address, tuple) else unix(address)
            self.fd_in = self.fd_out = self.socket.fileno()
        self.seq, self.last, self.bytes, self.unsent = 0, 0, b"", b""
        self.messages = collections.deque()
        self.answers, self.log = {}, []
        self.initialized = False

    # ---- messages ----

    def send_bytes(self, data):
        os.write(self.fd_out, data)

    def send_body(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def send(self, command, arguments=None, checked=True, held=False):
        """Sends a request, or (@p held) keeps it until the next one is sent; returns its number."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        if checked:
            check(message)
        data = json.dumps(message).encode()
        self.unsent += b"Content-Length: %d\r\n\r\n" % len(data) + data
        if not held:
            self.send_bytes(self.unsent)
            self.unsent = b""
        return self.seq

    def read(self):
        """The next message, which is checked."""
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            if found:
                assert head.startswith(b"Content-Length: "), head
                length = int(head[16:])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return self.take(json.loads(rest[:length]))
            assert select.select([self.fd_in], [], [], TIMEOUT)[0], f"no message comes; the last ones: {self.log[-5:]}"
            data = os.read(self.fd_in, 65536)
            if not data:
                raise EOFError(f"the server is gone; the last messages: {self.log[-3:]}")
            self.bytes += data

    def take(self, message):
        self.log.append(message)
        if not self.is_ours:
            return message
        assert message["seq"] == self.last + 1, message
        self.last = message["seq"]
        name = message.get("event") or message["command"]
        if "/" not in name and (message["type"] != "response" or name in known_commands()):  # "wavetrap/…" are ours
            check(message)
        if message.get("event") == "initialized":
            self.initialized = True
        return message

    def answer(self, seq):
        """The answer to a request. Events before it stay for event()."""
        while seq not in self.answers:
            message = self.read()
            if message["type"] == "response":
                assert message["request_seq"] not in self.answers, f"a second answer: {message}"
                self.answers[message["request_seq"]] = message
            else:
                self.messages.append(message)
        return self.answers[seq]

    def ask(self, command, checked=True, **arguments):
        """The body of the answer. A GPU is the model that the suite has (conftest.py)."""
        if "gpu" in arguments:
            arguments["gpu"] = amd.of_model(arguments["gpu"])
        message = self.answer(self.send(command, arguments or None, checked))
        if not message["success"]:
            raise Refused(message)
        return message.get("body") or {}

    def event(self, *names, where=lambda body: True):
        """The next event of one of these names, as (name, body); others before it are dropped."""
        while True:
            while self.messages:
                message = self.messages.popleft()
                if message["event"] in names and where(message.get("body") or {}):
                    return message["event"], message.get("body") or {}
            message = self.read()
            if message["type"] == "response":
                self.answers[message["request_seq"]] = message
            else:
                self.messages.append(message)

    def stopped(self):
        """The body of the next `stopped`; a program that ends instead fails the test."""
        name, body = self.event("stopped", "terminated", "exited")
        assert name == "stopped", (name, body, self.log[-5:])
        return body

    # ---- sessions ----

    def initialize(self, **more):
        return self.ask("initialize", **{**CLIENT, **more})

    def start(self, request="launch", prepare=lambda client: None, **configuration):
        """Initializes, launches or attaches, sets breakpoints by @p prepare, and lets the program begin."""
        if not self.seq:
            self.capabilities = self.initialize()
        body = self.ask(request, checked=False, **configuration)
        assert self.initialized, "initialized comes before the answer"
        prepare(self)
        self.ask("configurationDone")
        return body

    def breakpoints(self, path, *lines):
        wanted = [line if isinstance(line, dict) else {"line": line} for line in lines]
        return self.ask("setBreakpoints", source={"path": str(path)}, breakpoints=wanted)["breakpoints"]

    def functions(self, *names):
        return self.ask("setFunctionBreakpoints", breakpoints=[{"name": name} for name in names])["breakpoints"]

    def top(self, stop):
        """The innermost frame of the thread of a stop."""
        return self.ask("stackTrace", threadId=stop["threadId"])["stackFrames"][0]

    def scopes(self, frame):
        return {scope["name"]: scope["variablesReference"] for scope in self.ask("scopes", frameId=frame["id"])["scopes"]}

    def variables(self, reference, **more):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **more)["variables"]}

    def value(self, expression, frame=None, **more):
        if frame:
            more["frameId"] = frame["id"]
        return self.ask("evaluate", expression=expression, **more)["result"]

    def go(self, command, stop, **more):
        """A request that lets it run, and the next stop."""
        self.ask(command, threadId=stop["threadId"], **more)
        return self.stopped()

    def output(self, category=None):
        """All text that has come."""
        return "".join(m["body"]["output"] for m in self.log if m.get("event") == "output"
                       and category in (None, m["body"].get("category")))

    def disconnect(self, **arguments):
        self.ask("disconnect", **arguments)
        return self.close()

    def close(self):
        """Closes the connection; the exit status of the client's own server."""
        if self.socket:
            self.socket.close()
            return None
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process and self.process.poll() is None:
            if kind:
                self.process.kill()
            else:
                self.send("disconnect")
        if self.process:
            self.close()
        elif self.socket:
            self.socket.close()


@functools.cache
def known_commands():
    names = (name[len("DebugProtocol."):-len("Response")] for name in definitions() if name.endswith("Response"))
    return {name[0].lower() + name[1:] for name in names if name}


def unix(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return s
