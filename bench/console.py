"""The console beside stock GDB with wavetrap's server, on the same programs: CPU time of all processes of a session."""
import os
import subprocess

CC = "riscv64-unknown-elf-gcc"
FLAGS = ["-march=rv32imaf_zicsr", "-mabi=ilp32f", "-O0", "-g", "-ffreestanding", "-nostdlib", "-nostartfiles", "-mcmodel=medany",
         "-Wl,-Ttext=0x80000000"]
FRAMES, STOPS, STEPS, LISTS, TRACES = 20, 1000, 200, 50, 50

# All lanes of warp 0 run main(), each on its own stack.
START = """
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined ra
    li t0, -1
    .insn r 0x0b, 0, 0, x0, t0, x0
    csrr t0, 0xf14
    slli t0, t0, 13
    li sp, 0xffff0000
    sub sp, sp, t0
    call main
    li t0, 1
    .insn r 0x0b, 0, 0, x0, t0, x0
    li t1, 0x88
    sw zero, 0(t1)
    li t0, 0
    .insn r 0x0b, 0, 0, x0, t0, x0
    .cfi_endproc
    .size _start, . - _start
"""

PROGRAM = """
struct point { int x, y; float weight; };
struct point points[64];
int deep(int n, struct point *p)
{
    int local = n * p->x;
    if (n == 0)
        return local; /* bottom */
    return deep(n - 1, p) + local;
}
int work(int i, int lane)
{
    int twice = 2 * i, sum = twice + lane;
    struct point *p = &points[lane & 63];
    p->x = sum; /* stop */
    p->y = twice;
    return p->x + p->y;
}
int main(void)
{
    int lane, total = 0;
    __asm__ volatile("csrr %0, 0xf14" : "=r"(lane));
    for (int i = 0; i < 1200; i++)
        total += work(i, lane);
    return total + deep(FRAMES, points);
}
"""


def line_of(mark):
    return next(i for i, line in enumerate(PROGRAM.splitlines(), 1) if f"/* {mark} */" in line)


def build(folder, run):
    """The program, and the same behind much that nobody asks for: 50 MB with debug information."""
    paths = {}
    for name, text in (("start.S", START), ("work.c", PROGRAM)):
        paths[name] = os.path.join(folder, name)
        with open(paths[name], "w") as f:
            f.write(text)
    small, large = os.path.join(folder, "work.elf"), os.path.join(folder, "large.elf")
    define = f"-DFRAMES={FRAMES}"
    run([CC, *FLAGS, define, paths["start.S"], paths["work.c"], "-o", small])
    filler = os.path.join(folder, "filler.c")
    with open(filler, "w") as f:
        for i in range(2000):
            f.write(f"struct s{i} {{ int a{i}, b{i}; float c{i}[4]; struct s{i} *next{i}; }};\n"
                    f"struct s{i} v{i};\nint f{i}(struct s{i} *p, int n)\n{{\n    int r = n;\n"
                    f"    for (int k = 0; k < n; k++)\n        r += p->a{i} * k + p->b{i};\n    return r;\n}}\n")
    run([CC, *FLAGS[:5], "-c", filler, "-o", os.path.join(folder, "filler.o")])
    size = os.path.getsize(os.path.join(folder, "filler.o"))
    copies = []
    for i in range(50_000_000 // (size * 2 // 3) + 1):
        copies.append(os.path.join(folder, f"filler{i}.o"))
        run(["riscv64-unknown-elf-objcopy", f"--prefix-symbols=c{i}_", os.path.join(folder, "filler.o"), copies[-1]])
    run([CC, *FLAGS, define, paths["start.S"], paths["work.c"], *copies, "-o", large])
    return small, large


def console(report, folder, wavetrap, pairs, timed, run, count):
    small, large = build(folder, run)
    report.title(f"The console beside stock GDB and its server (CPU ms of all processes; the large program has "
                 f"{os.path.getsize(large) // 1000000} MB)")
    start = [f"break work.c:{line_of('stop')}"]

    def ours(program, commands, shape):
        script = os.path.join(folder, "ours.script")
        with open(script, "w") as f:
            f.write("\n".join([*start, "run", *commands]) + "\n")
        command = [wavetrap, "debug", "--nx", "--batch", "-g", f"vortex:{shape}", "-x", script, program]
        if commands and program == small:
            run(command)  # a command that fails ends the bench
        return timed(command)[0]

    def gdbs(program, commands, shape):
        script = os.path.join(folder, "gdb.script")
        with open(script, "w") as f:
            f.write("\n".join(["set pagination off", "set confirm off", "set width 0", *start, "continue", *commands, "kill"]) + "\n")
        return timed([wavetrap, "gdb", "--plain", "-g", f"vortex:{shape}", program, "--", "-nx", "-batch", "-iex",
                      "set debuginfod enabled off", "-x", script])[0]

    def compare(text, program, our_commands, gdb_commands, shape, times):
        """What the commands cost beyond a session that stops once; for times == 0 that session."""
        def cost(session, commands):
            alone = session(program, [], shape)
            return alone * 1e3 if not times else max(session(program, commands, shape) - alone, 1e-5) / times * 1e3
        a, b, ratio = pairs(lambda: cost(ours, our_commands), lambda: cost(gdbs, gdb_commands), count)
        report.row(text, a, "GDB", b, ratio, "ms", "aim: at most 1")

    one = "warps=1,threads=1"
    compare("start, to a breakpoint, small program", small, [], [], one, 0)
    compare("start, to a breakpoint, large program", large, [], [], one, 0)
    compare("next over a line", small, ["next"] * STEPS, ["next"] * STEPS, one, STEPS)
    wide = "warps=2,threads=32"
    compare("a value in 32 lanes", small, ["info lanes sum"] * LISTS, ["thread apply all -q -s print sum"] * LISTS, wide, LISTS)
    bottom = ["delete", f"break work.c:{line_of('bottom')}", "continue"]
    compare(f"backtrace of {FRAMES + 2} frames", small, bottom + ["backtrace"] * TRACES, bottom + ["backtrace"] * TRACES, one, TRACES)
    stops = ["continue", "info locals"] * STOPS
    compare("a stop with its locals", small, stops, stops, one, STOPS)
