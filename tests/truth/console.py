"""A session of the console, or of stock GDB at our server, over pipes: commands go in, answers come back, one after the other."""
import re
import subprocess

from dialects import THREADS
from program import BLOCK
from truth import WAVETRAP

MARK = "=-=-="
HINT = "('@' selects lanes here."
WARP = re.compile(r"\[device \d+, core \d+, warp (\d+), thread")
GROUP = re.compile(r", group \((\d+),")
LANES = re.compile(r"\[device \d+, .*?(?:lane|thread|channel) (\d+)(?: \(masked off\))?; (?:lane|thread|channel)s? (none|[\d,.-]+) enabled\]")


class Gone(Exception):
    """The console has ended: what it said."""


class Session:
    """`wavetrap debug` on a program; file: the words that start it."""

    def __init__(self, options, file, source, log, block=BLOCK):
        self.source, self.block, self.width = source, block, 0    # the most lanes that a wave had
        self.log = open(log, "w", encoding="utf-8")
        self.process = subprocess.Popen(self.words(options, [*map(str, file)]), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, errors="replace", bufsize=1 << 16)
        self.moved = None
        self.script = []    # the commands that lead to where the program stands

    def words(self, options, file):
        return [WAVETRAP, "debug", "--nx", *options, "--", *file]

    def said(self, command):
        """The command, in the words of the debugger."""
        return command

    def ask(self, commands):
        """The answer to each command."""
        self.process.stdin.write("".join(f"{self.said(c)}\necho \\n{MARK}\\n\n" for c in commands))
        self.process.stdin.flush()
        answers, lines = [], []
        while len(answers) < len(commands):
            line = self.process.stdout.readline()
            if not line:
                raise Gone("".join(lines))
            if line == MARK + "\n":
                text = "".join(lines).strip("\n")
                self.log.write(f"(wavetrap) {commands[len(answers)]}\n{text}\n")
                answers.append("\n".join(part for part in text.split("\n") if not part.startswith(HINT)))
                lines = []
            else:
                lines.append(line)
        return answers

    def begin(self, commands):
        """Commands before the run."""
        self.script += commands
        return self.ask(commands)

    def go(self, command):
        """A command that makes the program go on; where it stops: (line, enabled lanes, the work-item of lane 0), or None at its end."""
        self.script.append(command)
        said, = self.ask([command])
        return self.placed(said), said

    def placed(self, said):
        """Where a stop is, as go() tells it."""
        lane = LANES.search(said)
        place = re.findall(r" at (\S+):(\d+)$", said, re.M)
        if not lane or not place:
            return None
        group, warp = GROUP.search(said), WARP.search(said)
        line = int(place[-1][1]) if place[-1][0].endswith(self.source) else 0    # 0: in a library
        lanes = ranges(lane[2])
        self.width = max(self.width, len(lanes))
        if self.block > BLOCK:  # the only group may have several waves
            first, = self.ask(["output $_item_x@0"])
            return line, lanes, int(first)
        return (line, lanes, int(group[1]) * self.block if group else int(warp[1]) * THREADS)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()
        self.log.close()


class Gdb(Session):
    """Stock GDB on a program of Vortex: its threads are the lanes, so `output x@3` is what it says in a thread."""

    warp = 0    # of the last stop

    def words(self, options, file):
        return [WAVETRAP, "gdb", "--gdb=gdb-multiarch", *options, *file, "--", "-nx", "-q", "-ex", "set prompt", "-ex", "set width 0", "-ex", "set pagination off", "-ex", "set charset ASCII"]

    def said(self, command):
        if command == "run":
            return "continue"
        in_lane = re.fullmatch(r"(.*)@(\d+)|lane (\d+)", command)
        if not in_lane:
            return command
        thread = self.warp * THREADS + int(in_lane[2] or in_lane[3]) + 1
        return f"thread apply {thread} -q {in_lane[1]}" if in_lane[1] else f"thread {thread}"

    def placed(self, said):
        hit, place = re.search(r'^Thread \d+ "device 0, core 0, warp (\d+), thread \d+', said, re.M), re.findall(r" at (\S+):(\d+)$", said, re.M)
        if not hit or not place:
            return None
        self.warp = int(hit[1])
        mask, = self.ask(["output/x $_mask"])
        line = int(place[-1][1]) if place[-1][0].endswith(self.source) else 0
        self.width = THREADS
        return line, [n for n in range(THREADS) if int(mask, 16) >> n & 1], self.warp * THREADS


def ranges(text):
    """The numbers of `0-3,7`, or of `none`."""
    made = []
    for part in [] if text == "none" else text.split(","):
        first, _, last = part.replace("..", "-").partition("-")
        made += range(int(first), int(last or first) + 1)
    return made
