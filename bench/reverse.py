"""Going backwards as a client of the remote protocol sees it, beside running forwards; and GDB's own
`record full` on the same loop, compiled for this machine."""
import os
import re
import statistics
import subprocess
import time

KERNEL, REPEAT, SHAPE = "hash", 1500, "warps=4,threads=32"  # 10^8 issues
STEPS = 41
INTERVAL = 1 << 20  # issues between two saved states at least

RECORD = """
set pagination off
set confirm off
set debuginfod enabled off
break run
run
record full
set record full insn-number-max unlimited
delete
python
import re, time
def timed(command, count=1):
    begin = time.monotonic()
    for _ in range(count):
        gdb.execute(command, to_string=True)
    return time.monotonic() - begin
on = timed("stepi 10000")
count = int(re.search(r"Log contains (\\d+) instructions", gdb.execute("info record", to_string=True))[1])
step = timed("reverse-stepi", 11) / 11
back = timed("reverse-continue")
print("FIGURES", count, on, step, back)
end
kill
"""

NATIVE = """
unsigned run(unsigned lane, unsigned lanes);
int main(void) { return (int)run(0, 1); }
"""


class Protocol:
    """`wavetrap serve` on a pipe, spoken to in packets."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.data = b""
        self.ask("QStartNoAckMode")

    def send(self, text):
        data = text.encode()
        self.process.stdin.write(b"$" + data + b"#%02x" % (sum(data) & 255))
        self.process.stdin.flush()

    def receive(self):
        while True:
            begin = self.data.find(b"$")
            end = self.data.find(b"#", begin + 1)
            if begin >= 0 and end >= 0 and len(self.data) >= end + 3:
                packet, self.data = self.data[begin + 1:end], self.data[end + 3:]
                return packet.decode("latin-1")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise SystemExit("bench: the server has ended")
            self.data += more

    def ask(self, text):
        self.send(text)
        return self.receive()

    def go(self, text):
        """Seconds until the stop, and its packet."""
        begin = time.monotonic()
        self.send(text)
        while (packet := self.receive())[0] not in "TSWE":
            pass
        return time.monotonic() - begin, packet

    def monitor(self, text):
        self.send("qRcmd," + text.encode().hex())
        said = ""
        while (packet := self.receive()) != "OK":
            said += bytes.fromhex(packet[1:]).decode()
        return said

    def time(self):
        return int(re.match(r"issue time (\d+)", self.monitor("time"))[1])

    def close(self):
        self.process.kill()
        self.process.wait()


def ours(wavetrap, program, history):
    """Issues, and seconds: forwards to the end; one step back (the median); back to the beginning."""
    server = Protocol([wavetrap, "serve", "--rsp=stdio", f"--gpu=vortex:{SHAPE}",
                       *([] if history else ["--no-history"]), program])
    try:
        if not history:
            return server.go("c")[0]
        server.monitor("stop-at-end on")
        forwards, packet = server.go("c")
        issues = server.time()
        steps = [server.go("bs")[0] for _ in range(STEPS)]
        server.monitor("goto end")
        assert server.ask("Z0,80000000,4") == "OK"
        back, packet = server.go("bc")
        assert packet.startswith("T05") and server.time() == 0, packet
        return issues, forwards, statistics.median(steps), back
    finally:
        server.close()


def recorded_by_gdb(run, folder, here):
    """Instructions, and seconds: recorded, one step back, back to the beginning; or None."""
    main, program = os.path.join(folder, "native.c"), os.path.join(folder, "native")
    script = os.path.join(folder, "record.gdb")
    with open(main, "w") as f:
        f.write(NATIVE)
    with open(script, "w") as f:
        f.write(RECORD)
    run(["gcc", "-O2", "-g", "-fno-tree-vectorize", f"-DKERNEL={KERNEL}", "-DREPEAT=1", main,
         os.path.join(here, "kernels", "main.c"), "-o", program])
    # GDB 13 cannot record on processors whose register state is larger than it knows (AMX).
    said = subprocess.run(["gdb", "-nx", "-q", "-batch", "-x", script, program], capture_output=True,
                          text=True).stdout
    found = re.search(r"^FIGURES (\d+) (\S+) (\S+) (\S+)$", said, re.M)
    return (int(found[1]), *map(float, found.groups()[1:])) if found else None


def reverse(report, folder, wavetrap, compile_kernel, run, here, count):
    report.title(f"Backwards in a run of 32 lanes, 4 warps, as a client sees it (seconds of the clock)")
    program = compile_kernel(folder, KERNEL, REPEAT, True)
    runs = [(ours(wavetrap, program, False), *ours(wavetrap, program, True)) for _ in range(count)]
    median = lambda pick: statistics.median(pick(r) for r in runs)
    issues = runs[0][1]
    report.row(f"forwards, {issues:.3g} issues", median(lambda r: r[2]), "--no-history",
               median(lambda r: r[0]), median(lambda r: r[2] / r[0]), "s", "aim x1.05 at most")
    report.row("reverse-continue to the beginning", median(lambda r: r[4]), "forwards",
               median(lambda r: r[2]), median(lambda r: r[4] / r[2]), "s", "aim x2 at most")
    interval = lambda r: 1000 * r[2] * INTERVAL / r[1]
    report.row("reverse-stepi at the end", median(lambda r: 1000 * r[3]), "forwards, one interval",
               median(interval), median(lambda r: 1000 * r[3] / interval(r)), "ms",
               "aim below 50 ms")
    theirs = recorded_by_gdb(run, folder, here)
    if not theirs:
        print("  GDB cannot record this loop here")
        return
    count, on, step, back = theirs
    ours_on, ours_back = (median(lambda r: r[1] / r[2]), median(lambda r: r[1] / r[4]))
    report.row("forwards, recorded", ours_on, "gdb record full", count / on, ours_on * on / count,
               "insn/s")
    report.row("backwards", ours_back, "gdb record full", count / back, ours_back * back / count,
               "insn/s")
    report.row("reverse-stepi", median(lambda r: 1000 * r[3]), "gdb record full", 1000 * step,
               median(lambda r: r[3] / step), "ms")
