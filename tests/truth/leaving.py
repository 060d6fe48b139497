"""A debugger that goes leaves the program as if it had not been there.

A program launches kernels, and compares their results with the host's. A debugger attaches, has a random session, and goes at a
random moment: by `detach`, `quit`, the end of its input, a signal, SIGKILL. The program then computes on, rightly; its code
is what it was; MODE of a gfx900's wave that was there all the time has no bit of a debugger's; another debugger attaches, stops it
and goes; and it ends with its own status, without a word. The programs of Vortex are served. Their clients are GDB, also killed while
it calls a function of the program; LLDB; and `wavetrap debug` at the Debug Module (SIGKILL apart: over registers alone nobody lifts
what a client has planted). `wavetrap gdb`, killed, leaves no process.
"""
import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

from truth import FOLDER, ROOT, WAVETRAP, Finding, amd, compiled
from releases import CC

FAMILIES = ["gcn-hip", "gcn-openmp", "sm-cuda", "gen9-opencl", "rv32", "rv64"]
ROUND = 500
FIXED = {family: range(5) for family in FAMILIES} | {"sm-cuda": [*range(5), 1998455461]}
QUICK = {"gcn-hip": (1, 4), "gcn-openmp": (1, 2), "sm-cuda": (1, 4), "gen9-opencl": (0, 1), "rv32": (0, 3, 4), "rv64": (0, 3, 4)}
TIMES = {family: 4 for family in FAMILIES}      # the moment is another one each time
HERE = pathlib.Path(__file__).resolve().parent / "programs"
MARK = "=-=-="
PATIENCE = 120
LLDB, LLDB_PATIENCE = "lldb-19", 20
BY_DEVICE = {"gcn-hip": amd.MODEL, "gcn-openmp": amd.MODEL, "sm-cuda": "sm", "gen9-opencl": "gen9"}
LIBRARY = ROOT / "examples" / "vortex" / "lib"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
WIDTHS = {"rv32": (["-march=rv32imaf_zicsr", "-mabi=ilp32f"], "rv32imf/ilp32f"),
          "rv64": (["-march=rv64imafd_zicsr", "-mabi=lp64d"], "rv64ifd/lp64d")}


# ---- the programs ----

def recipe(family, level):
    """The source of a family's program, and the command that compiles it."""
    if family == "gcn-hip":
        return "leaving.cu", ["hipcc", "-x", "hip", f"--offload-arch={amd.MODEL}", level, "-g", "-Wno-deprecated-declarations", HERE / "leaving.cu"]
    if family == "gcn-openmp":
        return "leaving_openmp.c", [CC, level, "-g", "-w", "-fopenmp", "-foffload=amdgcn-amdhsa", f"-foffload-options=-march={amd.MODEL}",
                                    HERE / "leaving_openmp.c"]
    if family == "sm-cuda":
        cuda = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
        return "leaving.cu", ["clang-19", "-x", "cuda", f"--cuda-path={cuda}", "--cuda-gpu-arch=sm_50", level, "-g", HERE / "leaving.cu",
                              f"-L{cuda}/lib64", "-lcudart", "-lstdc++"]
    if family == "gen9-opencl":
        return "leaving_opencl.c", ["gcc", HERE / "leaving_opencl.c", "-lOpenCL"]
    arch, multilib = WIDTHS[family]
    march = ["-march=" + multilib.split("/")[0], "-mabi=" + multilib.split("/")[1]]
    cc = "riscv64-unknown-elf-gcc"
    libgcc = subprocess.run([cc, *march, "-print-libgcc-file-name"], check=True, text=True, capture_output=True).stdout.strip()
    return "leaving.c", [cc, *arch, level, "-g", "-mcmodel=medany", "--param=min-pagesize=0", "-isystem", f"{PICOLIBC}/include",
                         f"-I{LIBRARY}", "-nostdlib", "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", HERE / "leaving.c",
                         *(LIBRARY / file for file in ("start.S", "diverge.S", "spawn.c", "console.c")),
                         f"{PICOLIBC}/lib/{multilib}/libc.a", libgcc]


def program_of(family, level):
    source, words = recipe(family, level)
    return compiled(FOLDER / f"leaving.{family}{level}", HERE / source, words)


def lines_of(family):
    """FILE:LINE of each line of the kernel that has a mark."""
    if family == "gen9-opencl":
        return [f"program-1.cl:{line}" for line in (3, 9, 10, 12, 14, 15)]
    source = "leaving_openmp.c" if family == "gcn-openmp" else "leaving.cu" if "-" in family else "leaving.c"
    marked = re.compile(r"// (turn|first|fill|sum|later|store)$|/\* (fill|sum|store) \*/$")
    return [f"{source}:{i}" for i, line in enumerate((HERE / source).read_text().splitlines(), 1) if marked.search(line)]


# ---- sessions ----

def commands(family, rng):
    """What somebody asks for: a stop first, then anything."""
    lines, watched = lines_of(family), "out[5]"
    kernel = "weigh" if family == "gcn-openmp" else "busy"

    def stop():
        condition = rng.choice(["", "", "", f" if round % 3 == {rng.randrange(3)}", " if sum % 7 == 3", " if value > 1000"])
        return rng.choice([f"break {kernel}", f"break weigh{condition if 'value' in condition else ''}",
                           f"tbreak {rng.choice(lines)}", f"break {rng.choice(lines)}{condition if 'value' not in condition else ''}"])
    yield stop()
    yield "continue"
    for _ in range(rng.randrange(1, 9)):
        yield rng.choice([stop, lambda: "continue", lambda: "next", lambda: "next", lambda: "step", lambda: "stepi",
                          lambda: f"stepi {rng.randrange(2, 30)}", lambda: "nexti", lambda: "finish", lambda: "until", lambda: "continue",
                          lambda: f"continue {rng.randrange(2, 5)}", lambda: f"watch {watched}", lambda: "delete", lambda: "print sum",
                          lambda: "print weigh(2, 3)", lambda: "info waves", lambda: "backtrace", lambda: "x/4i $pc",
                          lambda: "reverse-next", lambda: "reverse-stepi", lambda: "reverse-continue", lambda: "continue &",
                          lambda: f"thread {rng.randrange(1, 9)}", lambda: "ignore 1 2", lambda: "display sum"])()
    if rng.random() < 0.5:  # breakpoints that are hit all the time, and never stop
        yield "delete"
        yield f"break {rng.choice(lines)}"
        yield "continue 100000"


def lldb_commands(rng):
    """The same in LLDB's words."""
    yield "breakpoint set -n busy"
    yield "continue"
    for _ in range(rng.randrange(1, 9)):
        yield rng.choice(["thread step-inst", "thread step-over", "thread step-in", "thread step-out", "continue", "breakpoint set -n weigh",
                          "breakpoint delete -f", "watchpoint set variable out[5]", "register read", "bt", "frame variable", "thread list",
                          "expression weigh(2, 3)", "process plugin packet monitor time", "breakpoint set -n weigh -c 'value % 7 == 3'"])
    if rng.random() < 0.5:
        yield "breakpoint delete -f"
        yield "breakpoint set -n weigh -c 'value == 1'"
        yield "continue"


WAYS = ["detach", "quit", "eof", "SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGHUP"]


def leave(process, way):
    """The debugger is told to go. A command may be under way: it is interrupted first where the debugger would not listen."""
    if way.startswith("SIG"):
        process.send_signal(signal.Signals[way])
    elif way == "eof":
        process.stdin.close()
        process.send_signal(signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):
            process.stdin.write(f"{way}\n" + ("quit\n" if way == "detach" else ""))
            process.stdin.close()


def forgive_lldb(process):
    """LLDB 19 crashes, or its threads wait for each other, now and then when it is told to quit while a stop arrives (seen with a
    breakpoint's hits in two threads, on a busy machine). What it leaves is looked at all the same."""
    tests = sys.modules.get("conftest")
    if tests:
        tests.forgive(process)


def waits_for_events(backtrace):
    """Whether stock GDB stands in its event loop: it waits for nothing of ours, which would be with a time limit, and has lost the signal
    twice. What it leaves when it is killed is looked at all the same."""
    return re.search(r'"gdb-multiarch"\):\n#0 .* __GI___poll \(.*timeout=-1\)', backtrace) is not None


def departure(rng, asked, ways):
    """One debugger's session, as a part of a plan."""
    return {"commands": asked, "way": rng.choice(ways), "moment": round(rng.choice([0, rng.uniform(0, 0.02), rng.uniform(0, 0.4)]), 4)}


def session(words, plan, env, said, echo="echo {}\\n"):
    """One debugger, which goes `moment` seconds after it was given the last of its commands."""
    asked, way, moment = plan["commands"], plan["way"], plan["moment"]
    with open(said, "w", encoding="utf-8") as out:
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, env=env, errors="replace")

        marks = threading.Semaphore(0)

        def read():
            for line in process.stdout:
                out.write(line)
                out.flush()
                if MARK in line:
                    marks.release()
        reader = threading.Thread(target=read)
        reader.start()
        try:
            for i, command in enumerate(asked):
                out.write(f"> {command}\n")
                process.stdin.write(f"{command}\n{echo.format(MARK)}\n")
                process.stdin.flush()
                if i + 1 < len(asked) and not marks.acquire(timeout=5):
                    break  # it waits for a stop that does not come: it goes now
        except OSError:
            pass  # it has gone by itself: the program is asked why
        time.sleep(moment)  # the random moment, not a condition
        out.write(f"> ({way})\n")
        leave(process, way)
        is_lldb = words[0] == LLDB
        try:
            # GDB 13, waiting at its prompt, has lost a signal now and then; an interrupt that comes before a command begins ends none.
            if words[0] == "gdb-multiarch" and way in ("SIGTERM", "SIGHUP") or way in ("quit", "detach", "eof"):
                try:
                    process.wait(timeout=LLDB_PATIENCE)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.Signals[way] if way.startswith("SIG") else signal.SIGINT)
            process.wait(timeout=LLDB_PATIENCE if is_lldb else PATIENCE)
        except subprocess.TimeoutExpired:
            lost = is_lldb
            if not is_lldb:  # where it stands, for whoever looks for the reason
                where = subprocess.run(["gdb-multiarch", "-nx", "-p", str(process.pid), "-batch", "-ex", "thread apply all backtrace"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                                       check=False).stdout
                out.write(where)
                lost = words[0] == "gdb-multiarch" and way in ("SIGTERM", "SIGHUP") and waits_for_events(where)
            process.kill()
            process.wait()
            if not lost:
                raise Finding(f"the debugger does not go by {way}; see {said}") from None
        finally:
            reader.join()
        if is_lldb:
            forgive_lldb(process)


# ---- host programs ----

def environment(folder):
    (folder / "s").mkdir(mode=0o700)
    return dict(os.environ, WAVETRAP_SOCKETS=str(folder / "s"))


def batch(pid, asked, env):
    """What a debugger says that attaches, asks and goes."""
    words = [WAVETRAP, "debug", "--nx", "--batch", "--pid", str(pid)]
    done = subprocess.run([*words, *(word for command in asked for word in ("-ex", command))], capture_output=True, text=True, env=env,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
    if done.returncode:
        raise Finding(f"another debugger cannot do {asked}: {done.stdout}{done.stderr}")
    return done.stdout


def code(family, pid, env):
    """The words of the kernel's code, from some lines on."""
    places = lines_of(family)[::3]
    said = batch(pid, [f"info line {place}" for place in places], env)
    at = re.findall(r"starts at address (0x[0-9a-f]+)", said)
    if len(at) < len(places):
        raise Finding(f"where {places} are is not told: {said}")
    return re.findall(r"^(0x[0-9a-f]+.*:\t.*)", batch(pid, [f"x/60xw {one}" for one in at], env), re.M)


def first_debugger(program, env):
    """Kernels of OpenCL have lines and variables where they were held for a debugger. It goes at once. False: it cannot come yet."""
    if program.poll() is not None:
        return True
    listed = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, env=env, check=True).stdout
    return re.search(rf"^ *{program.pid} ", listed, re.M) and batch(program.pid, ["detach"], env)


def mode(pid, env):
    """What a gfx900's first wave has of a debugger's: its MODE, and whether it is halted or privileged; without a debugger."""
    done = subprocess.run([WAVETRAP, "reg", f"--pid={pid}", "sq_ind_index.simd_id=0", "MODE", "STATUS.HALT", "STATUS.PRIV"], capture_output=True,
                          text=True, env=env, timeout=PATIENCE, check=False)
    return done.stdout + done.stderr


def host_program(family, plan, folder):
    env = environment(folder)
    if family == "gen9-opencl":
        env["WAVETRAP_HELD"] = "1"
    path = program_of(family, plan["level"])
    with open(folder / "errors", "w", encoding="utf-8") as errors:
        program = subprocess.Popen([WAVETRAP, "exec", "-g", BY_DEVICE[family], path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=errors, text=True, env=env)
    try:
        while family == "gen9-opencl" and not first_debugger(program, env):
            pass
        if program.stdout.readline() != "ready\n":
            raise Finding(f"the program does not begin: {(folder / 'errors').read_text()}")
        before = code(family, program.pid, env)
        mode_before = mode(program.pid, env) if family == "gcn-hip" else ""
        for i, one in enumerate(plan["sessions"]):
            said = folder / f"session-{i}"
            session([WAVETRAP, "debug", "--nx", "--pid", program.pid], one, env, said)
            mode_now = mode(program.pid, env) if family == "gcn-hip" and not ended(program) else mode_before
            if mode_now != mode_before:
                raise Finding(f"after {said}: the wave that was there all the time has {mode_now!r}, not {mode_before!r}")
            wrong = ended(program) or set(code(family, program.pid, env)) ^ set(before)
            if wrong:
                raise Finding(f"after {said}: {wrong}\n{(folder / 'errors').read_text()}")
        stop = "break weigh" if family == "gcn-openmp" else "break busy"
        again = batch(program.pid, [stop, "continue", "detach"], env)
        if "Breakpoint 1" not in again:
            raise Finding(f"no breakpoint is met when another debugger comes: {again}")
        said, _ = program.communicate("\n", timeout=PATIENCE)
    except subprocess.TimeoutExpired as slow:
        raise Finding(f"it stands still: {slow}") from None
    finally:
        if program.poll() is None:
            program.kill()
        program.wait()
        program.stdin.close()
        program.stdout.close()
    told = re.sub(r"^wavetrap: what is compiled of OpenCL C .*\n", "", (folder / "errors").read_text(), flags=re.M)
    if program.returncode or not re.fullmatch(r"\d+ launches, 0 wrong\n", said) or told:
        raise Finding(f"the program ends with {program.returncode}: {said}{told}")
    if left := sorted(os.listdir(folder / "s")):
        raise Finding(f"sockets are left: {left}")


def ended(program):
    """How the program has ended, which it should not have; empty: it goes on."""
    return "" if program.poll() is None else f"the program has ended with {program.returncode}"


# ---- served programs ----

def server(words, pattern):
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    said = ""
    while not (found := re.search(pattern, said)):
        line = process.stderr.readline()
        if not line:
            raise Finding(f"the server does not begin: {said}")
        said += line
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process, found[1]


def processes_of(session_id):
    """The processes of a session that have not ended."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session_id and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return found


def started_together(family, plan, folder):
    """`wavetrap gdb`: GDB and the emulator. One of them is killed; no process is left."""
    path, one = program_of(family, plan["level"]), plan["sessions"][0] if plan["sessions"] else {"commands": [], "moment": 0, "victim": 0}
    with open(folder / "session-0", "w", encoding="utf-8") as out:
        process = subprocess.Popen([WAVETRAP, "gdb", path, "--", "-nx", "-q"], stdin=subprocess.PIPE, stdout=out, stderr=out, text=True, start_new_session=True)
        with contextlib.suppress(OSError):
            process.stdin.write("".join(f"{command}\n" for command in one["commands"]))
            process.stdin.flush()
        time.sleep(one["moment"])  # the random moment, not a condition
        victims = [process.pid, *processes_of(process.pid)]
        victim = victims[int(one["victim"] * len(victims))]
        with contextlib.suppress(OSError):
            os.kill(victim, signal.SIGKILL)
        with contextlib.suppress(OSError):
            process.stdin.close()
        until = time.monotonic() + PATIENCE
        process.wait(timeout=PATIENCE)
        while (left := processes_of(process.pid)) and time.monotonic() < until:
            time.sleep(0.01)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        if left:
            raise Finding(f"'wavetrap gdb' was killed ({victim}); these are left: {left}")


def served(family, plan, folder):
    client = plan["client"]
    if client == "together":
        started_together(family, plan, folder)
        return
    path, gdb = program_of(family, plan["level"]), client != "dm"
    shape = ["--gpu", f"vortex:warps={plan['warps']},threads={plan['threads']}"]
    if gdb:
        process, at = server([WAVETRAP, "serve", "--rsp=:0", *shape, path], r"target remote (\S+)\n")
        debugger = ["gdb-multiarch", "-nx", "-q", "-ex", "set confirm off", "-ex", "set pagination off", "-ex", f"target remote {at}", path]
    else:
        process, at = server([WAVETRAP, "serve", "--dm=:0", "--now", *shape, path], r"is served at tcp:(\S+)\n")
        debugger = [WAVETRAP, "debug", "--nx", f"--dm=tcp:{at}", path]
    words, echo = debugger, "echo {}\\n\n"
    if client == "lldb":
        words, echo = [LLDB, "--no-lldbinit", "-o", f"gdb-remote {at}", path], "platform shell -h -- echo {}"
    try:
        for i, one in enumerate(plan["sessions"]):
            session(words, one, os.environ, folder / f"session-{i}", echo)
        if not gdb:
            return
        words = [*debugger[:-1], "-batch", "-ex", "compare-sections -r", "-ex", "tbreak busy", "-ex", "continue", "-ex", "continue",
                 "-ex", "continue", path]  # once more: the present is reached first where a client has gone back
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        if "MIS-MATCHED" in done.stdout + done.stderr or "exited with code 07" not in done.stdout:
            raise Finding(f"the next client: {done.stdout}{done.stderr}")
    except subprocess.TimeoutExpired as slow:
        raise Finding(f"it stands still: {slow}") from None
    finally:
        process.kill()
        process.wait()


def draw(family, seed):
    rng = random.Random(f"{family} {seed}")
    level = "-O0" if family in ("gcn-openmp", "gen9-opencl") else rng.choice(["-O0", "-O2"])
    count = rng.randrange(1, 3)
    if family in BY_DEVICE:
        return {"level": level, "sessions": [departure(rng, list(commands(family, rng)), WAYS) for _ in range(count)]}
    client = rng.choice(["gdb", "gdb", "call", "lldb", "dm", "dm", "together"])
    ways = ["SIGKILL"] if client == "call" else [way for way in WAYS if client != "dm" or way != "SIGKILL"]
    plan = {"client": client, "level": level, "warps": rng.choice([2, 4]), "threads": rng.choice([2, 4]), "sessions": []}
    for i in range(1 if client == "together" else count):
        asked = [command for command in commands(family, rng) if command != "continue &" and "round" not in command]
        if client == "call":  # in main() one lane is active: GDB calls there what takes longer than it lives
            asked = ["tbreak main", "continue", *(["next"] * rng.randrange(3)), "print later(1, 100000000)"] if i == 0 else []
        elif client == "lldb":
            asked = list(lldb_commands(rng))
        plan["sessions"].append(departure(rng, asked, ways) | ({"victim": rng.random(), "moment": round(rng.random(), 4)} if client == "together" else {}))
    return plan


def smaller(_, plan):
    if plan["level"] != "-O0":
        yield plan | {"level": "-O0"}
    for name in ("warps", "threads"):
        if plan.get(name, 2) > 2:
            yield plan | {name: 2}


def attempt(family, plan, folder):
    (host_program if family in BY_DEVICE else served)(family, plan, folder)
