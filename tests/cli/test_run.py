"""Running programs: console, exit status, mistakes and where they were, limits, determinism."""
import re
import signal
import subprocess

import pytest

from conftest import WAVETRAP, run


@pytest.mark.parametrize("word, status", [(0, 0), (1, 1), (77, 77), (255, 255), (256, 1), (0x1234, 0x34),
                                          (-1, 255)])
def test_the_exit_word_is_the_status(build, word, status):
    done = run("run", build.asm(f"_start: exit {word}\n"))
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


def test_the_exit_word_may_be_elsewhere(build):
    elf = build.asm("_start: li a0, 9\n sw a0, 0xc8(x0)\n tmc x0\n")
    assert run("run", "--gpu=vortex:exit=0xc8", elf).returncode == 9


def test_the_console_prints_lines_as_they_complete(build):
    elf = build.asm("""
_start: put 0, 'a'
        put 5, 'x'
        put 0, 'b'
        put 0, 10
        put 5, 'y'
        put 0, 'c'
        put 5, 10
        put 7, 'z'
        exit 0
""")
    assert run("run", elf).stdout == "ab\nxy\nc\nz\n"
    assert run("run", "--slots", elf).stdout == "#0: ab\n#5: xy\n#0: c\n#7: z\n"


def test_the_console_may_be_elsewhere(build):
    elf = build.asm("""
_start: li t6, 'a'
        sb t6, 0x140(x0)
        sb t6, 0x144(x0)
        exit 0
""")
    assert run("run", "--gpu=vortex:console=0x140,slots=4", "--slots", elf).stdout == "#0: a\n"


def test_a_console_that_cannot_be_written(build):
    elf = build.asm("_start: put 0, 'a'\n put 0, 10\n exit 0\n")
    with open("/dev/full", "w") as full:
        done = subprocess.run([WAVETRAP, "run", elf], stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=60)
    assert done.returncode == 125 and "No space left" in done.stderr


def test_a_run_ends_with_its_console(build):
    """A program that prints and never ends: without the console it is stopped."""
    elf = build.asm("_start: put 0, 'a'\n put 0, 10\nloop: j loop\n")
    with open("/dev/full", "w") as full:
        done = subprocess.run([WAVETRAP, "run", elf], stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=60)
    assert done.returncode == 125 and "console could not be written: No space left" in done.stderr
    done = subprocess.run(f"exec '{WAVETRAP}' run '{elf}' >&-", shell=True, stderr=subprocess.PIPE, text=True,
                          timeout=60)
    assert done.returncode == 125 and "console could not be written" in done.stderr


TOUCH = """
_start: la t0, page
        li t1, 4096
        li t3, COUNT
loop:   sw t3, 0(t0)
        add t0, t0, t1
        addi t3, t3, -1
        bnez t3, loop
        exit 0
        .bss
page:
"""


@pytest.mark.parametrize("xlen", (32, 64))
def test_a_program_may_touch_so_much_memory(build, xlen):
    elf = build.asm(TOUCH.replace("COUNT", "1000"), xlen=xlen)
    assert run("run", "--memory=8M", elf).returncode == 0
    done = run("run", "--memory=2M", elf)
    assert done.returncode == 125
    assert "the program has touched 2 MiB of memory, all that it may have (--memory)" in done.stderr
    assert "device 0, core 0, warp 0" in done.stderr and "store of 4 bytes at 0x" in done.stderr
    # Memory that is touched again is not more.
    elf = build.asm(TOUCH.replace("COUNT", "100000").replace("4096", "0"), xlen=xlen)
    assert run("run", "--memory=64K", elf).returncode == 0


def test_a_program_must_fit_its_memory(build):
    done = run("run", "--memory=4K", build.asm("_start: exit 0\n.data\n.space 8192, 1\n"))
    assert done.returncode == 125 and "does not fit" in done.stderr and "--memory" in done.stderr


@pytest.mark.parametrize("size", ("0", "", "1T", "x", "-1"))
def test_bad_sizes_of_memory(build, size):
    done = run("run", f"--memory={size}", build.asm("_start: exit 0\n"))
    assert done.returncode == 125 and "not an amount of memory" in done.stderr


# Each mistake: the program, the status, what is said, and the line at which it happens.
MISTAKES = {
    "illegal": ("_start: nop\n .insn i 0x6b, 0, x0, x0, 0\n", 116, "illegal instruction 0x0000006b", 2),
    "csr": ("_start: nop\n csrr t0, 0x123\n", 116, "CSR 0x123", 2),
    "jump": ("_start: li t0, 0x70000000\n jr t0\n", 116, "illegal instruction", None),
    "divergence": ("""
_start: li t0, 3
        tmc t0
        csrr t1, 0xcc0
        beqz t1, 1f
        nop
1:      exit 0
""", 117, "divergent branch", 4),
    "overflow": ("""
_start: li t0, 15
again:  tmc t0
        li t0, 15
        csrr t2, 0xcc0
        split t3, t2
        j again
""", 118, "IPDOM stack is full", 5),
    "underflow": ("_start: li t0, 1\n join t0\n", 118, "IPDOM stack is empty", 2),
    "load": ("_start: li t0, 0x90000001\n lw t1, 0(t0)\n", 119, "misaligned", 2),
    "store": ("_start: li t0, 0x90000001\n sh t1, 0(t0)\n", 119, "misaligned", 2),
    "jalr": ("_start: la t0, _start+2\n jr t0\n", 119, "misaligned", None),
    "io": ("_start: sw x0, 0x40(x0)\n", 120, "console", 1),
}


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("name", [n for n in MISTAKES if n not in ("jump", "jalr")])
def test_mistakes_are_reported_with_their_place(build, name, xlen):
    text, status, words, line = MISTAKES[name]
    done = run("run", build.asm(text, xlen, f"{name}.S"))
    assert done.returncode == status, done
    assert words in done.stderr
    assert re.search(r"device 0, core 0, warp 0, threads? ", done.stderr)
    assert re.search(rf"at 0x8000[0-9a-f]{{4}} <(_start|again)(\+\d+)?> at \S*{name}\.S:{line}\b", done.stderr), \
        done.stderr


def test_a_jump_into_nothing_is_reported(build):
    text, status, words, _ = MISTAKES["jump"]
    done = run("run", build.asm(text))
    assert done.returncode == status and words in done.stderr and "0x70000000" in done.stderr


def test_the_report_names_the_warp_and_the_lanes_that_did_it(build):
    """Lanes 1 and 3 of warp 2 load from an odd address."""
    done = run("run", build.asm("""
_start: li t0, 3
        la t1, work
        wspawn t0, t1
        j done
work:   csrr t0, 0xcc1
        li t1, 2
        bne t0, t1, done
        li t0, 15
        tmc t0
        csrr t0, 0xcc0
        andi t1, t0, 1
        li t2, 0x90000000
        add t2, t2, t1
        lw t3, 0(t2)
done:   tmc x0
""", name="lanes.S"))
    assert done.returncode == 119
    assert re.search(r"device 0, core 0, warp 2, threads 1, ?3, issue time", done.stderr), done.stderr
    assert "lanes.S:14" in done.stderr


def test_a_c_program_is_reported_by_function_and_line(build):
    source = build.path("kernel.c", """
__attribute__((noinline)) static int get(volatile int *p)
{
    return *p;
}

void _start(void)
{
    get((int *)0x80000003);
}
""")
    done = run("run", build.link(source, 32))
    assert done.returncode == 119
    assert re.search(r"<get(\+\d+)?> at \S*kernel\.c:4\b", done.stderr), done.stderr


def test_a_deadlock_tells_where_each_warp_waits(build):
    done = run("run", build.asm("""
_start: li t0, 4
        la t1, work
        wspawn t0, t1
        li t0, 0
        li t1, 3
        bar t0, t1
        tmc x0
work:   csrr t0, 0xcc1
        li t1, 1
        bne t0, t1, stop
        li t1, 4
        bar t1, t1
        li t0, 1
        li t1, 2
        bar t0, t1
stop:   tmc x0
""", name="dead.S"))
    assert done.returncode == 116  # a core of four warps has the barriers 0 and 1
    done = run("run", build.asm("""
_start: li t0, 4
        la t1, work
        wspawn t0, t1
        li t0, 0
        li t1, 3
        bar t0, t1
        tmc x0
work:   csrr t0, 0xcc1
        li t1, 1
        beq t0, t1, stop
        li t0, 1
        li t1, 3
        bar t0, t1
stop:   tmc x0
""", name="dead.S"))
    assert done.returncode == 121
    assert "deadlock" in done.stderr
    report = done.stderr.splitlines()[1:]
    assert len(report) == 2
    assert "device 0, core 0, warp 0, thread 0:" in report[0] and "barrier 0: 1 of 3" in report[0]
    assert "dead.S:6" in report[0]
    assert "device 0, core 0, warp 2 to device 0, core 0, warp 3, thread 0:" in report[1]
    assert "barrier 1: 2 of 3" in report[1] and "dead.S:13" in report[1] and "<work+20>" in report[1]


def test_waiting_for_warps_that_never_end_is_a_deadlock_too(build):
    done = run("run", build.asm("""
_start: li t0, 2
        la t1, work
        wspawn t0, t1
        li t0, 1
        wspawn t0, x0
        exit 0
work:   li t0, 0
        li t1, 2
        bar t0, t1
        tmc x0
"""))
    assert done.returncode == 121
    assert "wspawn" in done.stderr and "barrier 0: 1 of 2" in done.stderr


def test_divergent_branches_may_follow_the_rtl(build):
    """The last active lane decides: lane 1 does not branch."""
    elf = build.asm("""
_start: li t0, 3
        tmc t0
        csrr t1, 0xcc0
        beqz t1, 1f
        exit 5
1:      exit 6
""")
    assert run("run", elf).returncode == 117
    assert run("run", "--gpu=vortex:branches=rtl", elf).returncode == 5


def test_misaligned_accesses_may_be_allowed(build):
    elf = build.asm("""
_start: la t0, data
        lw a0, 1(t0)
        sw a0, 0x88(x0)
        tmc x0
data:   .byte 1, 2, 0, 0, 0
""")
    assert run("run", elf).returncode == 119
    assert run("run", "--gpu=vortex:misaligned=allow", elf).returncode == 2


def test_the_limit_of_issues(build):
    elf = build.asm("_start: j _start\n")
    done = run("run", "--max-issues=1000", "--hash", elf)
    assert done.returncode == 124
    assert "limit of 1000 issues" in done.stderr and "device 0, core 0, warp 0" in done.stderr
    assert "after 1000 issues" in done.stderr


def test_the_limit_of_time(build):
    """A program that waits for ever: where each warp is, and a status of its own. No time is asserted."""
    elf = build.asm("_start: j _start\n")
    done = run("run", "--timeout=0.2", elf)
    assert done.returncode == 124
    assert "the program has not ended after 0.2 s (--timeout): issue time " in done.stderr and "device 0, core 0, warp 0" in done.stderr
    assert run("run", "--timeout=400", build.asm("_start: exit 3\n")).returncode == 3
    for wrong in "0", "-1", "x", "1e9":
        done = run("run", f"--timeout={wrong}", elf)
        assert done.returncode == 125 and "takes seconds, above 0" in done.stderr, done.stderr


def test_a_program_may_take_exactly_its_limit(build):
    elf = build.asm("_start: exit 3\n")  # li, sw, tmc
    assert run("run", "--max-issues=3", elf).returncode in (3, 124)
    assert run("run", "--max-issues=4", elf).returncode == 3
    assert run("run", "--max-issues=2", elf).returncode == 124


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_tells_where_every_warp_is(build, number):
    elf = build.asm("_start: put 0, 'a'\n put 0, 10\nloop: j loop\n", name="loop.S")
    process = subprocess.Popen([WAVETRAP, "run", elf], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    assert process.stdout.readline() == "a\n"  # it runs
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "interrupted" in said and "device 0, core 0, warp 0, thread 0: 0x80000010 <loop> at" in said
    assert "loop.S:3" in said


def test_memory_is_loaded_and_dumped(build):
    elf = build.asm("""
_start: la t0, data
        csrr t1, 0x340
        lw t2, 0(t1)
        sw t2, 4(t0)
        exit 0
        .data
data:   .word 0x11223344, 0
""")
    extra = build.path("extra.bin", b"\x0a\x0b\x0c\x0d")
    out, again = build.path("out.bin"), build.path("again.bin")
    done = run("run", f"--load={extra}@0x90000000", "--arg=0x90000000", f"--dump={out}@data:8",
               f"--dump={again}@0x90000000:4", elf)
    assert done.returncode == 0, done
    assert out.read_bytes() == b"\x44\x33\x22\x11\x0a\x0b\x0c\x0d"
    assert again.read_bytes() == b"\x0a\x0b\x0c\x0d"
    # A symbol and an offset; the file replaces what the program had there.
    done = run("run", f"--load={extra}@data", f"--dump={out}@data+2:2", "--arg=0x90000000", elf)
    assert done.returncode == 0 and out.read_bytes() == b"\x0c\x0d"


@pytest.mark.parametrize("option, words", [
    ("--load=x", "is not FILE@ADDRESS"),
    ("--load=/nonexistent@0x1000", "/nonexistent: cannot open"),
    ("--load=/bin/sh@nosuch", "'nosuch' is neither a number nor a symbol"),
    ("--load=/bin/sh@_start+x", "'x' is not a number"),
    ("--load=/etc/passwd@0xfffffffffffffff0", "do not fit"),
    ("--dump=x", "is not FILE@ADDRESS:LENGTH"),
    ("--dump=x@1", "is not FILE@ADDRESS:LENGTH"),
    ("--dump=x@nosuch:1", "'nosuch' is neither a number nor a symbol"),
    ("--dump=/nonexistent/x@0:1", "/nonexistent/x: cannot create"),
    ("--max-issues=x", "'x' is not a number"),
    ("--max-issues=-1", "'-1' is not a number"),
    ("--max-issues=0", "1 is the least"),
    ("--max-issues=99999999999999999999", "is not a number"),
    ("--arg=1x", "'1x' is not a number"),
    ("--schedule=fair", "rr:N"),
    ("--schedule=rr:0", "rr:N"),
    ("--gpu=amd", "no GPU family 'amd'"),
    ("--gpu=vortex:speed=3", "'speed=3'"),
    ("--gpu=vortex:warps=x", "warps=x: must be 1 to 511"),
    ("--gpu=vortex:warps", "key=value"),
    ("--gpu=vortex:threads=3", "power of two"),
    ("--gpu=vortex:threads=256", "1 to 128"),
    ("--gpu=vortex:cores=0", "1 to 511"),
    ("--gpu=vortex:clusters=128", "1 to 127"),
    ("--gpu=vortex:xlen=16", "32"),
    ("--gpu=vortex:profile=v9", "profile=v9: there is no such"),
    ("--gpu=vortex:clusters=127,cores=511", "32768"),
    ("--frobnicate", "there is no option '--frobnicate'"),
    ("--hash=1", "there is no argument to '--hash=1'"),
    ("-z", "there is no option '-z'"),
])
def test_bad_options_get_a_message(build, option, words):
    elf = build.asm("_start: exit 0\n")
    done = run("run", option, elf)
    assert done.returncode == 125, done
    assert words in done.stderr


def test_missing_and_surplus_operands(build):
    for args, words in ((["run"], "operand is missing"), (["run", "a", "b"], "'b' is one operand too many"),
                        (["run", "--gpu"], "argument is missing after '--gpu'"),
                        (["nonsense"], "there is no command 'nonsense'"), ([], "Usage")):
        done = run(*args)
        assert done.returncode == 125 and words in done.stderr and done.stdout == ""


# Warps race for a word in memory; which one is last depends on the schedule alone.
RACE = """
_start: csrr t0, 0xfc1
        la t1, work
        wspawn t0, t1
work:   li t0, 15
        tmc t0
        csrr t0, 0xf14
        la t1, word
        andi t2, t0, 7
        addi t2, t2, 20
1:      lw t3, 0(t1)
        slli t4, t3, 3
        add t3, t3, t4
        add t3, t3, t0
        sw t3, 0(t1)
        addi t2, t2, -1
        csrr t4, 0xcc1
        li t5, 1
        tmc t5
        bnez t2, 1b
        tmc x0
        .data
word:   .word 1
"""


def state_hash(*args):
    done = run("run", "--hash", *args)
    return re.search(r"state hash ([0-9a-f]{16}) after (\d+) issues", done.stderr).groups()


def test_the_same_schedule_is_the_same_run(build):
    elf = build.asm(RACE)
    gpu = "--gpu=vortex:cores=2,warps=8,threads=4"
    hashes = {}
    for schedule in ("rr:1", "rr:2", "rr:64", "lockstep", "random:1", "random:2"):
        first = state_hash(gpu, f"--schedule={schedule}", elf)
        assert first == state_hash(gpu, f"--schedule={schedule}", elf)
        hashes[schedule] = first
    # They are schedules: runs differ where the program races.
    assert len(set(hashes.values())) >= 4, hashes


def test_the_state_does_not_depend_on_how_a_run_is_cut_up(build):
    """Stopped by a limit or traced, a run goes through the same states."""
    elf = build.asm(RACE)
    for schedule in ("rr:3", "lockstep", "random:9"):
        args = ["--gpu=vortex:warps=4,threads=4", f"--schedule={schedule}"]
        whole = state_hash(*args, elf)
        traced = run("trace", "--hash", *args, elf)
        assert whole == re.search(r"state hash (\w+) after (\d+)", traced.stderr).groups()
        assert len(traced.stdout.splitlines()) == int(whole[1])
        for limit in (1, 17, 100):
            cut = state_hash(f"--max-issues={limit}", *args, elf)
            part = run("trace", f"--max-issues={limit}", "--hash", "--from=5", "--to=9", *args, elf)
            assert cut == re.search(r"state hash (\w+) after (\d+)", part.stderr).groups()


def test_stats_are_told(build):
    done = run("run", "--stats", build.asm("_start: exit 0\n"))
    assert re.search(r"\d+ issues in [\d.]+ s .* peak memory \d+ KiB", done.stderr)


def test_stats_with_a_watch_are_those_of_the_run(build):
    """The search for a writer runs translated code again, with a watch on its page or beside it: that is not counted."""
    elf = build.asm("""
_start: li t0, -1
        tmc t0
        csrr t1, 0xcc0
        slli t1, t1, 2
        la t2, data
        add t2, t2, t1
        li t3, 20000
1:      sw t3, 0(t2)
        add t4, t4, t3
        xor t5, t5, t4
        addi t3, t3, -1
        bnez t3, 1b
        tmc x0
        .data
        .balign 4096
        .zero 4096
data:   .zero 4096
other:  .zero 4
""")
    told = []
    for options in ([], ["--who-wrote=data"], ["--who-wrote=other"]):
        done = run("run", "--stats", *options, elf)
        issues, = re.findall(r"wavetrap: (\d+) issues in ", done.stderr)
        blocks, inside = re.search(r"wavetrap: (\d+) blocks? translated \(\d+ KiB\), in which (\d+) of the issues were\n", done.stderr).groups()
        told.append((issues, blocks, inside))
        assert 90000 < int(inside) < int(issues), done.stderr
    assert "written last at issue time" in run("run", "--who-wrote=data", elf).stderr and "has not written there" in done.stderr
    assert told[0] == told[1] == told[2]


# ---- who wrote ----

WRITERS = """
_start: li t0, 15
        tmc t0
        la t1, data
        csrr t2, 0xcc0
        slli t2, t2, 2
        add t3, t1, t2
        sw t2, 0(t3)
        sw t0, 0(t1)
        li t0, 1
        tmc t0
        sb t0, 9(t1)
        lw t4, 8(t1)
        lbu t4, 4(t1)
        exit 0
        .data
        .align 4
data:   .word 7, 7, 7, 7, 7
"""


def test_who_wrote_is_found_in_the_recording(build):
    """By symbol and by address; a range, a byte of a word, one that nobody wrote."""
    elf = build.asm(WRITERS, name="writers.S")
    plain = run("run", "--hash", elf)
    done = run("run", "--hash", "--who-wrote=data,count", "--who-wrote=data+9,1", "--who-wrote=data+12,4", "--who-wrote=data+16", elf)
    assert done.returncode == 0 and plain.stderr in done.stderr
    first, second, third, fourth = re.split(r"^wavetrap: ", done.stderr[len(plain.stderr):], flags=re.M)[1:]
    assert re.fullmatch(r"data \(0x8[0-9a-f]+\), 4 bytes: written last at issue time \d+\n"
                        r"  thread 3 of device 0, core 0, warp 0; 4 threads wrote there, this one last\n"
                        r"  at 0x8\S+ <_start\+\d+> at \S*writers\.S:8\n  was 0x00000000, is 0x00000000\n"
                        r"  \(2 instructions wrote there\)\n", first), first
    assert "thread 0 of device 0, core 0, warp 0\n" in second and "writers.S:11" in second and "was 0x00, is 0x01" in second
    assert "thread 3 of device 0, core 0, warp 0\n" in third and "was 0x00000007, is 0x0000000c" in third
    assert "data+16 (0x8" in fourth and fourth.endswith(": the program has not written there\n")
    assert run("run", f"--who-wrote={re.search('0x8[0-9a-f]+', first)[0]}", elf).stderr.split("\n")[1:] == first.split("\n")[1:-2] + [""]


def test_who_read_is_found_in_the_recording(build):
    """The last load of the bytes, and how many instructions loaded them; a store is not a read."""
    elf = build.asm(WRITERS, name="writers.S")
    done = run("run", "--who-read=data+9,1,count", "--who-read=data+4", "--who-read=data,4,count", elf)
    assert done.returncode == 0, done.stderr
    first, second, third = re.split(r"^wavetrap: ", done.stderr, flags=re.M)[1:]
    assert re.fullmatch(r"data\+9 \(0x8[0-9a-f]+\), 1 byte: read last at issue time \d+\n  thread 0 of device 0, core 0, warp 0\n"
                        r"  at 0x8\S+ <_start\+\d+> at \S*writers\.S:12\n  value 0x00000108\n  \(1 instruction read there\)\n", first), first
    assert "writers.S:13" in second and "  value 0x04\n" in second and "instruction" not in second
    assert third.endswith(": the program has not read there\n")


@pytest.mark.parametrize("text", ["5", "0:4", "data,0", "data,", "data,4,4", ",4", "data,x", "data,count,4", "data,counts"])
def test_bad_places_of_writes_are_explained(build, text):
    done = run("run", f"--who-wrote={text}", build.asm("_start: exit 0\n"))
    assert done.returncode == 125 and ("is not ARGUMENT:OFFSET" in done.stderr or "argument 0 is not a buffer" in done.stderr)


# ---- what is not a program ----

@pytest.mark.parametrize("name", ["notes.txt", "program.c", "README.md", "noname"])
def test_text_is_not_run_as_code(tmp_path, name):
    (tmp_path / name).write_text("int main(void) { return 0; }\n" * 10)
    for command in "run", "trace", "serve", "gdb", "info":
        done = run(command, tmp_path / name)
        assert done.returncode == 125 and "not an ELF, Intel HEX or .vxbin file" in done.stderr, done.stderr


def test_code_without_a_format_is_run_where_it_is_said(tmp_path):
    """By its name, or because somebody says where it goes."""
    code = bytes.fromhex("13055000" "2324a008" "0b000000")  # li a0, 5; sw a0, 0x88(x0); tmc x0
    (tmp_path / "program.bin").write_bytes(code)
    (tmp_path / "program").write_bytes(code)
    assert run("run", tmp_path / "program.bin").returncode == 5
    assert run("run", tmp_path / "program").returncode == 125
    assert run("run", "--base=0x80000000", tmp_path / "program").returncode == 5


@pytest.mark.parametrize("command", ["run", "trace", "serve", "gdb", "info"])
def test_an_elf_file_goes_where_it_says(build, command):
    done = run(command, "--base=0x90000000", build.asm("_start: exit 0\n"))
    assert done.returncode == 125 and "--base is for raw binaries" in done.stderr


@pytest.mark.parametrize("command", ["run", "trace", "serve", "gdb"])
def test_a_host_program_is_told_where_it_belongs(command):
    done = run(command, "/bin/true")
    assert done.returncode == 125 and "Vortex runs RISC-V" in done.stderr
    assert "A host program that uses GPUs runs by 'wavetrap exec'" in done.stderr


@pytest.mark.parametrize("options", [["--gpu=vortex:warps=2,warps=4"], ["-g", "vortex:warps=2", "-g", "vortex:cores=2,warps=4"]])
def test_a_key_is_given_once(build, options):
    done = run("run", *options, build.asm("_start: exit 0\n"))
    assert done.returncode == 125 and "'warps' is given twice" in done.stderr
    assert run("run", "-g", "vortex:warps=2", "-g", "vortex:cores=2", build.asm("_start: exit 0\n")).returncode == 0


# ---- explain-address ----

def test_an_address_of_a_program_is_explained(build):
    """A program for the emulated device is not a host program."""
    elf = build.asm(WRITERS, name="writers.S")
    done = run("explain-address", "--at=_start+24", elf, "0x80000000")
    assert done.returncode == 0, done.stderr
    assert re.match(r"warp 0 \(device 0, core 0, warp 0\), thread 0, issue time 6\n0x80000000: global\n", done.stdout), done.stdout
    for options, words in ((["--lane=4"], "a warp has threads 0 to 3"), (["--wave=9"], "the device has warps 0 to 3"),
                           (["--at=nosuch"], "there is no function 'nosuch'"), (["--at=9999"], "the program has ended"),
                           (["--wave=2"], "no warp 2 runs at issue time 0; there are: 0")):
        done = run("explain-address", *options, elf, "0x80000000")
        assert done.returncode == 125 and words in done.stderr, done.stderr
    for addresses in "0x80000000,", ",0x80000000", "0x80000000,,4", "":
        done = run("explain-address", elf, addresses)
        assert done.returncode == 125 and "is not a number" in done.stderr, (addresses, done.stderr)
    done = run("explain-address", elf, "0x100000000")
    assert done.returncode == 0 and "in memory beyond the 32 bits of an address, where there is nothing" in done.stdout
    assert "beyond" not in run("explain-address", build.asm("_start: exit 0\n", 64), "0x100000000").stdout


CHOOSERS = """
_start: li a1, 4
        la t0, work
        wspawn a1, t0
work:   csrr t0, 0xcc1          # the warp's number in its core
        la t1, order
        li t2, 20
loop:   lw t3, (t1)
        slli t3, t3, 2
        add t3, t3, t0
        sw t3, (t1)
        addi t2, t2, -1
        bnez t2, loop
        bnez t0, end
        exit 0
end:    tmc x0
        .data
order:  .word 0
"""


@pytest.mark.parametrize("schedule", ["rr:1", "rr:7", "lockstep", "random:3"])
def test_a_run_is_repeated_from_its_choices(build, tmp_path, schedule):
    """The memory, the issue time and the choices of a run under any schedule, from the file that it has written."""
    elf, first, again = build.asm(CHOOSERS), tmp_path / "first", tmp_path / "again"
    def words(schedule, choices, dump):
        done = run("run", "--gpu=vortex:warps=4", f"--schedule={schedule}", f"--write-schedule={choices}", "--stats", f"--dump={dump}@order:4", elf)
        assert done.returncode == 0, done.stderr
        return re.search(r"\d+ issues", done.stderr)[0], dump.read_bytes()
    one = words(schedule, first, tmp_path / "a")
    assert words(f"file:{first}", again, tmp_path / "b") == one
    lines = first.read_text().splitlines()
    assert lines[0] == "wavetrap choices 1" and len(lines) > 5 and again.read_text() == first.read_text()
    assert {line.split()[1] for line in lines[1:]} == {"0", "1", "2", "3"}


def test_choices_that_cannot_be_followed_are_told(build, tmp_path):
    elf, choices = build.asm(CHOOSERS), tmp_path / "choices"
    choices.write_text("wavetrap choices 1\n0 0\n1 3\n")     # warp 3 has not started
    for command in (["run"], ["debug", "--nx", "--batch", "-ex", "run", "-ex", "continue"]):
        done = run(*command, "--gpu=vortex:warps=4", f"--schedule=file:{choices}", elf)
        assert "the schedule's choice at issue time 1 could not be followed: wave 3 could not issue then" in done.stderr, done
    choices.write_text("wavetrap choices 1\n0 0\n1 x\n")
    done = run("run", f"--schedule=file:{choices}", elf)
    assert done.returncode == 125 and f"{choices}:3: '1 x' is not TIME WAVE" in done.stderr
    done = run("run", "--schedule=file:/nowhere", elf)
    assert done.returncode == 125 and "/nowhere: " in done.stderr


def test_a_core_file_has_the_choices(build, tmp_path):
    """The recorded past of a core file follows the list, without its file."""
    elf, choices, core = build.asm(CHOOSERS.replace("bnez t0, end\n", "lw t3, 1(t1)\n")), tmp_path / "choices", tmp_path / "core"
    words = ["--gpu=vortex:warps=4", f"--schedule=file:{choices}"]
    choices.write_text("wavetrap choices 1\n" + "".join(f"{time} {wave}\n" for time, wave in [(0, 0), (9, 2), (14, 3), (22, 0), (30, 1)]))
    done = run("run", *words, f"--core-on-fault={core}", "--core-history=all", elf)
    assert "misaligned load" in done.stderr and "could not be followed" not in done.stderr
    commands = [word for time in (25, 12, 31) for command in (f"goto {time}", "info threads") for word in ("-ex", command)]
    live = run("debug", "--nx", "--batch", *words, "-ex", "run", *commands, elf).stdout
    choices.unlink()
    past = run("debug", "--nx", "--batch", *commands, "--core", core).stdout
    said = live[live.index("Issue time 25"):]
    assert said.count("Issue time") == 3 and past.endswith(said), (live, past)
