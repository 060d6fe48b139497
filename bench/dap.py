"""A session in an editor, beside lldb-dap-19 with the same loop on the CPU: the first stop after the launch, a step until all views are
asked for again, 10,000 variables in pages of 100."""
import json
import os
import select
import statistics
import subprocess
import time

SOURCE = """#ifdef __OPENCL_C_VERSION__
#define OF_GPU(x) x
#else
#define OF_GPU(x)
static struct big { int v[10000]; } data;
#endif
#ifdef __OPENCL_C_VERSION__
struct big { int v[10000]; };
#endif
OF_GPU(kernel) void work(OF_GPU(global) struct big *b)
{
    int sum = 0;
    for (int i = 0; i < 10000; i++) {
        sum += i;
        b->v[i] = sum;
    }
}
#ifndef __OPENCL_C_VERSION__
int main(void) { work(&data); return 0; }
#endif
"""
LINE, PAGE, COUNT, STEPS = 14, 100, 10000, 20


class Session:
    def __init__(self, command, path, **launch):
        self.begin = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.bytes, self.seq, self.said = b"", 0, []
        self.ask("initialize", adapterID="bench", linesStartAt1=True, columnsStartAt1=True, pathFormat="path", supportsVariablePaging=True,
                 supportsVariableType=True)
        asked = self.send("launch", launch)
        self.until(lambda m: m.get("event") == "initialized")
        self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": LINE}])
        self.ask("configurationDone")
        self.answer(asked)
        self.stop = self.until(lambda m: m.get("event") == "stopped")["body"]
        self.first = time.perf_counter() - self.begin

    def send(self, command, arguments):
        self.seq += 1
        data = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        os.write(self.process.stdin.fileno(), b"Content-Length: %d\r\n\r\n" % len(data) + data)
        return self.seq

    def read(self):
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            length = int(head.split(b":")[1]) if found else 0
            if found and len(rest) >= length:
                self.bytes = rest[length:]
                return json.loads(rest[:length])
            assert select.select([self.process.stdout], [], [], 60)[0], "no message comes"
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            assert more, "the server is gone"
            self.bytes += more

    def until(self, fits):
        """The next message that fits; those before it that came meanwhile count, too."""
        for i, message in enumerate(self.said):
            if fits(message):
                return self.said.pop(i)
        while not fits(message := self.read()):
            self.said.append(message)
        return message

    def answer(self, seq):
        message = self.until(lambda m: m["type"] == "response" and m["request_seq"] == seq)
        assert message["success"], message
        return message.get("body") or {}

    def ask(self, command, **arguments):
        return self.answer(self.send(command, arguments))

    def views(self):
        """What an editor asks for after a stop: its frame's id."""
        self.ask("threads")
        frame = self.ask("stackTrace", threadId=self.stop["threadId"], startFrame=0, levels=20)["stackFrames"][0]
        for scope in self.ask("scopes", frameId=frame["id"])["scopes"]:
            if not scope.get("expensive"):
                self.ask("variables", variablesReference=scope["variablesReference"])
        return frame

    def step(self):
        begin = time.perf_counter()
        self.ask("next", threadId=self.stop["threadId"])
        self.stop = self.until(lambda m: m.get("event") == "stopped")["body"]
        self.views()
        return time.perf_counter() - begin

    def page(self):
        frame = self.views()
        assert LINE - 1 <= frame["line"] <= LINE + 1 and frame["name"].startswith("work"), frame
        reference = self.ask("evaluate", expression="b->v", frameId=frame["id"], context="watch")["variablesReference"]
        begin = time.perf_counter()
        got = sum(len(self.ask("variables", variablesReference=reference, start=at, count=PAGE, filter="indexed")["variables"])
                  for at in range(0, COUNT, PAGE))
        assert got == COUNT, got
        return time.perf_counter() - begin

    def figures(self):
        steps = statistics.median(self.step() for _ in range(STEPS))
        found = self.first, steps, self.page()
        self.process.kill()
        self.process.communicate()
        return found


def dap(report, folder, wavetrap, run, count):
    source = os.path.join(folder, "loop.c")
    with open(source, "w") as f:
        f.write(SOURCE)
    kernel, program = os.path.join(folder, "loop.co"), os.path.join(folder, "loop")
    run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", source, "-o", kernel, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900",
         "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"])
    run(["gcc", "-O0", "-g", "-w", source, "-o", program])
    report.title("A session in an editor, beside lldb-dap-19 with the same loop on the CPU (aim: no slower)")
    launch = {"program": kernel, "gpu": "gfx900", "kernel": "work", "grid": 64, "block": 64, "kernelArgs": ["zeros:40000"], "threads": "waves"}
    both = [(Session([wavetrap, "dap"], source, **launch).figures(), Session(["lldb-dap-19"], source, program=program).figures()) for _ in range(count)]
    for i, what in enumerate(("first stop after the launch", "a step until all views are there", f"{COUNT:,} variables in pages of {PAGE}")):
        ours, theirs = (statistics.median(one[side][i] for one in both) for side in (0, 1))
        report.row(what, ours, "lldb-dap-19", theirs, statistics.median(one[0][i] / one[1][i] for one in both), "s", "aim x1")
