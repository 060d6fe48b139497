"""The compilers of the values harness: how each writes a program of program.py, what it lacks, and how it is built and run.

A dialect's file and the host program's file have the same lines: a prelude of FIRST - 1 lines, the program, the rest.
"""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

import program as programs
from truth import ROOT, amd
from releases import HIPCC_CLANG
import clangs  # truth.py says where

FIRST = 61
VORTEX = ROOT / "examples" / "vortex" / "lib"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
ALL = frozenset(programs.NEEDS)
ITEMS, BLOCK = programs.ITEMS, programs.BLOCK
THREADS = 4     # of a warp of Vortex; the warps have the work-items one after the other

INTEGERS = """typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16; typedef int i32; typedef unsigned u32;
typedef WIDE i64; typedef unsigned WIDE u64; typedef float f32; typedef double f64;"""
CLANG_HALF = "typedef _Float16 f16;"


def vectors(form):
    """Names of vector types: v4u32. form: of the element, the count, the name."""
    return "\n".join(" ".join(form.format(kind, count, f"v{count}{kind}") for count in (2, 3, 4))
                     for kind in ("u32", "f32", "i16", "u8", "f64"))


GCC_VECTORS = vectors("typedef {0} {2} __attribute__((vector_size({1} * sizeof({0}))));").replace("3 *", "4 *")
CLANG_VECTORS = vectors("typedef {0} {2} __attribute__((ext_vector_type({1})));")
SPACES = "GLOBAL LOCAL CONSTANT".split()
NO_SPACES = "".join(f"#define {s}\n" for s in SPACES)
C_BLOCKS = """#define IF(c) if (c) {
#define ELSE } else {
#define END }
#define LANE_LOOP(i, n) for (i32 i = 0; i < (n); i++) {
#define LANE_END }
"""
C_VECTOR = "#define VECTOR(T, ...) {__VA_ARGS__}\n"
F64 = "#define F64(x) ((f64)((i32)((x) & 0xffffffu) - 70000) * 0.125)\n"
# RV32 has no instructions for doubles; functions for them branch. A double is made of its bits.
BITS = "0x40d0000000000000ull | (u64)((x) & 0xffffffu) << 20"
BITS_F64 = {False: f"#define F64(x) (((union {{ u64 u; f64 f; }}){{.u = {BITS}}}).f)\n", True: f"#define F64(x) __builtin_bit_cast(f64, {BITS})\n"}
FUNCTIONS = "#define INLINE static inline __attribute__((always_inline)) DEVICE\n#define CALLED static __attribute__((noinline)) DEVICE\n#define RECURSIVE CALLED\n"
HOST = """#define DEVICE
#define ITEM host_item
#define LOCAL_ARRAY(T, name, n) static T name[n]
#define CONSTANT_TABLE static
#define KERNEL __attribute__((noinline)) void k(GLOBAL i32 *in, GLOBAL i32 *out, i32 n)
int host_item, host_in[ITEMS], host_out[ITEMS];
"""
HOST_REST = """int main(void)
{
    for (int i = 0; i < ITEMS; i++)
        host_in[i] = i;
    for (host_item = 0; host_item < ITEMS; host_item++)
        k(host_in, host_out, 5);
    return 0;
}
"""


@dataclasses.dataclass
class Dialect:
    """A compiler for a family. build(source, out, level) makes the device's code, and returns the words that start it: None: its file."""
    name: str
    lacks: frozenset
    ending: str
    prelude: str            # the device's
    host_prelude: str       # types only; HOST follows
    host: list              # the host's compiler
    build: object
    options: list
    rest: str = ""          # behind the device's program
    transform: object = None    # of the program's text
    levels: dict = dataclasses.field(default_factory=dict)  # what the harness Optimised compiles with: name, and options
    loads: bool = False         # a host program loads the code, at other addresses than its file has
    shown: str = None           # the source's name in the debugger, if not the file's
    gdb: bool = False           # the debugger is GDB at our server, not the console
    block: int = BLOCK          # work-items of a group
    crowd: bool = False         # with more variables than there are registers

    @property
    def mask(self):
        """Of an address, what stands in the program's file."""
        return 0xffffffff if self.name.startswith("rv") else 0xfffffff

    @property
    def items(self):
        return max(ITEMS, self.block)

    @property
    def features(self):
        return (ALL | (programs.CROWDED if self.crowd else set())) - self.lacks


commands = []   # what has been executed: for scripts that repeat it


def run(command, **more):
    commands.append(command)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode:
        raise RuntimeError(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)


def padded(prelude):
    lines = prelude.rstrip("\n").split("\n")
    assert len(lines) < FIRST, len(lines)
    return "\n".join(lines + [""] * (FIRST - 1 - len(lines))) + "\n"


def write(dialect, program, folder):
    """Writes kernel.* and host.*; returns (kernel, host, places, ends)."""
    lines, places, ends = programs.text(programs.take(program, dialect.features), FIRST, dialect.features)
    body = "\n".join(lines) + "\n"
    kernel, host = folder / f"t{dialect.ending}", folder / "host" / f"t{'.cpp' if 'cxx' in dialect.features else '.c'}"
    host.parent.mkdir(exist_ok=True)
    change = dialect.transform or (lambda text: text)
    kernel.write_text(padded(dialect.prelude) + change(body) + dialect.rest)
    host_text = padded(dialect.host_prelude + HOST) + change(body) + HOST_REST
    host.write_text(host_text)
    return kernel, host, places, ends


def element(text):
    """v.s1 is v[1] where vectors are not OpenCL's."""
    return re.sub(r"\b(v\d+)\.s(\d)", r"\1[\2]", text)


def build_host(dialect, source, out):
    run([*dialect.host, f"-DITEMS={dialect.items}", "-O0", "-g", "-gdwarf-4", "-w", "-fwrapv", "-fno-stack-protector", "-ffp-contract=off", source, "-o", out])


# ---- Vortex ----

def vortex(xlen, cxx=False):
    arch, multilib = {32: (["-march=rv32imaf_zicsr", "-mabi=ilp32f"], "rv32imf/ilp32f"),
                      64: (["-march=rv64imafd_zicsr", "-mabi=lp64d"], "rv64ifd/lp64d")}[xlen]
    types = INTEGERS.replace("WIDE", "long long") + "\n" + GCC_VECTORS + "\n" + NO_SPACES + C_VECTOR + (BITS_F64[cxx] if xlen == 32 else F64) + FUNCTIONS
    types += "#define ZEROED(T, name) T name = {}\n"
    language = ["-x", "c++", "-fno-exceptions", "-fno-rtti"] if cxx else ["-x", "c"]

    def build(source, out, level):
        march = [f"-march={multilib.split('/')[0]}", f"-mabi={multilib.split('/')[1]}"]
        libgcc = subprocess.run(["riscv64-unknown-elf-gcc", *march, "-print-libgcc-file-name"], check=True, text=True, capture_output=True).stdout.strip()
        run(["riscv64-unknown-elf-gcc", *arch, "-g", *level.split(), "-w", "-fwrapv", "-mcmodel=medany", "--param=min-pagesize=0", "-ffp-contract=off",
             "-isystem", f"{PICOLIBC}/include", f"-I{VORTEX}", "-nostdlib", "-nostartfiles", "-static", f"-T{VORTEX}/vortex.ld", "-o", out,
             *language, source, "-x", "none", *(VORTEX / f for f in ("start.S", "diverge.S")), "-x", "c", *(VORTEX / f for f in ("spawn.c", "console.c")),
             "-x", "none", f"{PICOLIBC}/lib/{multilib}/libc.a", libgcc])

    # Where the stack is less aligned than a vector, GCC 12 gives its place as an offset from a register that it uses for other things soon.
    lacks = {"half", "swizzles", "lane loops", "wide vectors"} | ({"double"} if xlen == 32 else set()) | (set() if cxx else {"cxx"})
    extern = 'extern "C" {\n#include "vortex.h"\n}\n' if cxx else '#include "vortex.h"\n'
    prelude = extern + types + f"""#define IF VX_IF
#define ELSE VX_ELSE
#define END VX_END
#define DEVICE
#define ITEM item
#define LOCAL_ARRAY(T, name, n) T *name = (T *)((char *)vx_local_memory() + 64 * __COUNTER__ + item / 8 * 256)
#define CONSTANT_TABLE static
#define KERNEL static __attribute__((noinline)) void k(i32 *in, i32 *out, i32 n, i32 item)
"""
    rest = f"""static i32 device_in[{ITEMS}], device_out[{ITEMS}];
static void one(void *p, size_t i)
{{
    k(device_in, device_out, 5, (i32)i);
}}
int main(void)
{{
    for (int i = 0; i < {ITEMS}; i++)
        device_in[i] = i;
    vx_parallel({ITEMS}, one, 0);
    return 0;
}}
"""
    return Dialect(f"rv{xlen}" + ("-cxx" if cxx else ""), frozenset(lacks), ".cpp" if cxx else ".c", prelude, types + C_BLOCKS, ["g++" if cxx else "gcc"], build,
                   ["-g", f"vortex:warps={ITEMS // THREADS},threads={THREADS}"], rest, element,
                   {"-O1": "-O1", "-O2": "-O2", "-lines": "-O0 -g1"})


# ---- gfx900, the SM: clang ----

LINES = "-O0 -gline-tables-only"
CLANGS = {"-O1": "-O1", "-O2": "-O2", "-lines": LINES}

def arguments(family, block=BLOCK):
    items = max(ITEMS, block)
    return ["-g", family, "--kernel", "k", "--grid", str(items), "--block", str(block), f"--arg=iota:{4 * items}", f"--arg=zeros:{4 * items}", "--arg=i32:5"]


CL_TYPES = INTEGERS.replace("WIDE", "long")


def cl_vectors():
    names = {"u32": "uint", "f32": "float", "i16": "short", "u8": "uchar", "f64": "double"}
    return "\n".join(" ".join(f"typedef {cl}{count} v{count}{kind};" for count in (2, 3, 4)) for kind, cl in names.items())


CL_PRELUDE = f"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
{CL_TYPES}
typedef half f16;
{cl_vectors()}
#define GLOBAL __global
#define LOCAL __local
#define CONSTANT __constant
{C_BLOCKS}#define VECTOR(T, ...) (T)(__VA_ARGS__)
{F64}{FUNCTIONS}#define DEVICE
#define ZEROED(T, name) T name = {{0}}
#define ITEM (i32)get_global_id(0)
#define LOCAL_ARRAY(T, name, n) __local T name[n]
#define CONSTANT_TABLE __constant
#define KERNEL __kernel void k(__global i32 *in, __global i32 *out, i32 n)
"""
CL_HOST = INTEGERS.replace("WIDE", "long") + "\n" + CLANG_HALF + "\n" + CLANG_VECTORS + "\n" + NO_SPACES + C_BLOCKS + C_VECTOR + F64 + FUNCTIONS + "#define ZEROED(T, name) T name = {0}\n"
CL_LACKS = frozenset(["bits", "cxx"])


def version(compiler):
    """What a dialect's name ends with: the version of clang, where that is not 19."""
    number = compiler.rpartition("-")[2]
    return "" if number == "19" else f"-{number}"


def gcn_opencl(compiler):
    def build(source, out, level):
        run([*clangs.words("gfx900", "OpenCL C", compiler), "-g", *level.split(), "-ffp-contract=off", source, "-o", out])
    return Dialect("gcn-opencl" + version(compiler), CL_LACKS, ".cl", CL_PRELUDE, CL_HOST, ["clang-19"], build,
                   arguments(amd.MODEL), levels=CLANGS)


CXX_TYPES = INTEGERS.replace("WIDE", "long long") + "\n" + CLANG_HALF + "\n" + CLANG_VECTORS + "\n" + NO_SPACES + C_BLOCKS + C_VECTOR + F64 + FUNCTIONS
CXX_TYPES += "#define ZEROED(T, name) T name = {}\n"
CXX_HOST = CXX_TYPES.replace("DEVICE\n#define RECURSIVE", "\n#define RECURSIVE")


def cxx_prelude(item):
    return CXX_TYPES + f"""#define DEVICE __attribute__((device))
#define ITEM (i32)({item})
#define LOCAL_ARRAY(T, name, n) __attribute__((shared)) T name[n]
#define CONSTANT_TABLE __attribute__((constant))
#define KERNEL extern "C" __attribute__((global)) void k(i32 *in, i32 *out, i32 n)
"""


def gcn_hip(compiler):
    def build(source, out, level):
        run([*clangs.words("gfx900", "HIP", compiler), "-g", *level.split(), "-ffp-contract=off", source, "-o", out])
    return Dialect("gcn-hip" + version(compiler), frozenset(), ".hip",
                   cxx_prelude(f"__builtin_amdgcn_workgroup_id_x() * {BLOCK} + __builtin_amdgcn_workitem_id_x()"), CXX_HOST, ["clang++-19"], build,
                   arguments(amd.MODEL), transform=element, levels=CLANGS)


def sm_cuda(compiler):
    def build(source, out, level):
        run([*clangs.words("sm", "CUDA C++", compiler), "-g", *level.split(), "-ffp-contract=off", source, "-o", out])
    return Dialect("sm-cuda" + version(compiler), frozenset({"half"} if compiler == HIPCC_CLANG else ()), ".cu", cxx_prelude(f"__nvvm_read_ptx_sreg_ctaid_x() * {BLOCK} + __nvvm_read_ptx_sreg_tid_x()"), CXX_HOST,
                   ["clang++-19"], build, arguments("sm"), transform=element,     # -O1 and -O2 write lines alone without --cuda-noopt-device-debug
                   levels=CLANGS | {"-O1-noopt": "-O1 --cuda-noopt-device-debug", "-O2-noopt": "-O2 --cuda-noopt-device-debug"})


def sm_opencl(compiler):
    def build(source, out, level):
        run([*clangs.words("sm", "OpenCL C", compiler), "-fverbose-asm", "-g", *level.split(), "-Xclang", "-finclude-default-header", "-Xclang", "-cl-ext=+cl_khr_fp16",
             "-Xclang", "-ffloat16-excess-precision=none", "-ffp-contract=off", source, "-o", out])
    # With DWARF 4 and 5 clang-19 crashes over the call of a function in optimised code (DwarfDebug::constructCallSiteEntryDIEs).
    return Dialect("sm-opencl" + version(compiler), CL_LACKS, ".cl", CL_PRELUDE, CL_HOST, ["clang-19"], build, arguments("sm"), levels={"-O1": "-O1 -gdwarf-2", "-O2": "-O2 -gdwarf-2", "-lines": LINES})


# ---- Gen9 ----

def gen9(lanes=0, crowd=False):
    """lanes: of a thread and a group, where the kernel says how many; else the compiler chooses. crowd: the compiler spills registers."""
    sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
    import iga

    def build(source, out, level):
        options = {"-O0": ["-cl-opt-disable"], "-O2": [], "lines": ["-gline-tables-only"]}[level]
        iga.compile_cl(pathlib.Path(source), pathlib.Path(out), "-g", *options)
    # Intel's compiler writes no debug information for a program that has constants in memory. Unoptimised, it converts halves of 64-bit
    # integers to float (mov f uq) in some kernels, and gives some functions the caller's own structure in place of a copy.
    prelude = CL_PRELUDE.replace("T name = {0}", "T name; for (uint z_ = 0; z_ < sizeof(T); z_++) ((uchar *)&name)[z_] = 0")
    if lanes:
        prelude = prelude.replace("#define KERNEL __kernel", f"#define KERNEL __attribute__((intel_reqd_sub_group_size({lanes}))) __kernel")
    return Dialect("gen9" + (f"-{lanes}" if lanes else "") + ("-crowd" if crowd else ""), CL_LACKS | {"recursion", "constant", "wide", "own structures"}, ".cl", prelude, CL_HOST, ["clang-19"], build,
                   arguments("gen9", lanes or BLOCK), levels={"-O2": "-O2"} if lanes else {"-O2": "-O2", "-lines": "lines"}, block=lanes or BLOCK,
                   crowd=crowd)


def all_dialects():
    made = [vortex(32), vortex(64), vortex(32, True), vortex(64, True), gcn_opencl("clang-19"), gcn_opencl(HIPCC_CLANG), gcn_opencl("clang-22"),
            gcn_hip("clang-19"), gcn_hip(HIPCC_CLANG), gcn_hip("clang-22"), sm_opencl("clang-19"), sm_opencl("clang-22"),
            sm_cuda("clang-19"), sm_cuda(HIPCC_CLANG), sm_cuda("clang-22"), gen9(), gen9(16), gen9(32), gen9(32, True)]
    return {d.name: d for d in made}
