#!/usr/bin/python3
"""Functions of f32 on all their 2^32 inputs, by translated code, by handlers, and by the build before.

    same_floats.py [BEFORE] [--one-in N] [--only WORD] [--pairs N]

Each function is a kernel: every lane takes its share of the inputs and folds the bits of the results into one word. The words must be the same with
vectors of 512 bits, of 256, with handlers alone (--no-jit), and, if it is given, by BEFORE, the `wavetrap` of another build; one from before 26 November
2026 computes all but sums and products by softfloat. One operand has all inputs (--one-in N: each Nth), two and three have 10^8 random ones (--pairs):
a quarter of the operands are zeros, infinities, NaNs, denormals and what lies beside. docs/testing.md, "Changes that must change nothing".
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from clangs import BITCODE, LIBCLC
from dialects import run
from truth import ROOT, WAVETRAP

ITEMS, BLOCK = 16384, 256
EDGES = ("0u, 1u, 0x7fffffu, 0x800000u, 0x800001u, 0x3f7fffffu, 0x3f800000u, 0x4b000000u, 0x4f000000u, 0x5f000000u, 0x7f7fffffu, 0x7f800000u, "
         "0x7f800001u, 0x7fc00000u, 0x80000000u, 0xff800000u")
COMMON = """typedef unsigned int u32; typedef unsigned long u64; /* OpenCL's: 64 bits */
#define F(b) __builtin_bit_cast(float, b)
#define B(x) __builtin_bit_cast(u32, (float)(x))
#define W(x) ((u32)__builtin_bit_cast(u64, (double)(x)) ^ (u32)(__builtin_bit_cast(u64, (double)(x)) >> 32))
"""
MIX = """static inline u32 mixed(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
/* without a branch: those of Vortex part by instructions of their own */
static inline u32 operand(u32 b) { b = mixed(b); u32 e = 0u - (((b & 3) - 1) >> 31); return ((b << 2 ^ b >> 5) & ~e) | (edges[b >> 2 & 15] & e); }
"""
OPENCL = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + COMMON + f"constant u32 edges[16] = {{{EDGES}}};\n" + MIX + """
kernel void all(global u32 *out, u32 rounds, u32 step)
{
    u32 h = 0, b = (u32)get_global_id(0) * step;
    for (u32 i = 0; i < rounds; i++, b += step * (u32)get_global_size(0)) {
        float x = F(ONE ? b : operand(b)), y = F(operand(b ^ 0x5bd1e995u)), z = F(operand(b + 0x9e3779b9u));
        h = h * 0x9e3779b1u + (u32)(CALL);
    }
    out[get_global_id(0)] = h;
}
"""
# GCC has no bit casts in C; the flags of each operation are folded in, too
VORTEX = """typedef unsigned u32;
#define F(b) ((union { u32 u; float f; }){.u = (b)}.f)
#define B(x) ((union { float f; u32 u; }){.f = (x)}.u)
static const u32 edges[16] = {EDGES};
""".replace("EDGES", EDGES) + MIX + """
u32 out[32];
unsigned run(unsigned lane, unsigned lanes)
{
    u32 h = 0, b = lane * STEP;
    for (u32 i = 0; i < ROUNDS; i++, b += STEP * lanes) {
        float x = F(ONE ? b : operand(b)), y = F(operand(b ^ 0x5bd1e995u)), z = F(operand(b + 0x9e3779b9u));
        u32 r, flags;
        (void)y, (void)z;
        CALL;
        __asm__ volatile("csrrw %0, fflags, zero" : "=r"(flags) : "r"(r));
        h = h * 0x9e3779b1u + r + (flags << 8);
    }
    out[lane] = h;
    return 0;
}
"""
AMD = {1: "sqrt:B(__builtin_amdgcn_sqrtf(x)) rcp:B(__builtin_amdgcn_rcpf(x)) rsq:B(__builtin_amdgcn_rsqf(x)) exp:B(__builtin_amdgcn_exp2f(x)) "
          "log:B(__builtin_amdgcn_logf(x)) sin:B(__builtin_amdgcn_sinf(x)) cos:B(__builtin_amdgcn_cosf(x)) fract:B(__builtin_amdgcn_fractf(x)) "
          "mant:B(__builtin_amdgcn_frexp_mantf(x)) frexp:__builtin_amdgcn_frexp_expf(x) floor:B(__builtin_floorf(x)) ceil:B(__builtin_ceilf(x)) "
          "trunc:B(__builtin_truncf(x)) rint:B(__builtin_rintf(x)) i32:(int)x u32:x f64:W(x) f16:__builtin_bit_cast(ushort,(half)x) "
          "of_i32:B((int)b) of_u32:B(b) canonical:B(__builtin_canonicalizef(x))",
       2: "add:B(x+y) mul:B(x*y) min:B(__builtin_fminf(x,y)) max:B(__builtin_fmaxf(x,y)) quotient:B(x/y) "
          "ldexp:B(__builtin_ldexpf(x,(int)(b>>22)-512))",
       3: "fma:B(__builtin_fmaf(x,y,z)) med3:B(__builtin_amdgcn_fmed3f(x,y,z)) fixup:B(__builtin_amdgcn_div_fixupf(x,y,z))"}
INTEL = {1: "sqrt:B(native_sqrt(x)) rcp:B(native_recip(x)) rsq:B(native_rsqrt(x)) exp:B(native_exp2(x)) log:B(native_log2(x)) sin:B(native_sin(x)) "
            "cos:B(native_cos(x)) floor:B(floor(x)) ceil:B(ceil(x)) trunc:B(trunc(x)) rint:B(rint(x)) i32:(int)x u32:x f64:W(x) of_i32:B((int)b) of_u32:B(b) "
            "abs:B(fabs(x))",
         2: "add:B(x+y) mul:B(x*y) min:B(fmin(x,y)) max:B(fmax(x,y)) power:B(native_powr(x,y))", 3: "fma:B(fma(x,y,z))"}
NVIDIA = {1: " ".join(f"{name}{ftz}:B(__nvvm_{name}{ftz}_f(x))" for ftz in ("", "_ftz") for name in (
              *(f"{f}_{m}" for f in ("sqrt", "rcp") for m in ("rn", "rz", "rm", "rp")), "sqrt_approx", "rsqrt_approx", "ex2_approx", "lg2_approx",
              "sin_approx", "cos_approx", "floor", "ceil", "trunc", "round", "fabs", "saturate"))
          + " " + " ".join(f"{name}_{m}{ftz}:__nvvm_{name}_{m}{ftz}(x)" for name in ("f2i", "f2ui") for m in ("rn", "rz", "rm", "rp") for ftz in ("", "_ftz"))
          + " of_i32:B((int)b) of_u32:B(b) f64:W(x) neg:B(-x)",
          2: " ".join(f"{name}{ftz}:B(__nvvm_{name}{ftz}_f(x,y))" for ftz in ("", "_ftz") for name in ("add_rn", "add_rz", "mul_rn", "mul_rp", "div_rn", "div_rm",
                                                                                                      "div_approx", "fmin", "fmax")),
          3: " ".join(f"fma_{m}{ftz}:B(__nvvm_fma_{m}{ftz}_f(x,y,z))" for ftz in ("", "_ftz") for m in ("rn", "rz", "rm", "rp"))}


def riscv(name, given="f", takes=1, result="f"):
    words = ", ".join(["%0"] + [f"%{n + 1}" for n in range(takes)])
    inputs = ", ".join(f'"{given}"({"b" if given == "r" else "xyz"[n]})' for n in range(takes))
    body = f'float v; __asm__ volatile("{name} {words}" : "=f"(v) : {inputs}); r = B(v)'
    return body if result == "f" else f'__asm__ volatile("{name} {words}" : "=r"(r) : {inputs})'


RISCV = {1: {"sqrt": riscv("fsqrt.s"), "i32": riscv("fcvt.w.s", result="r"), "u32": riscv("fcvt.wu.s", result="r"), "of_i32": riscv("fcvt.s.w", "r"),
             "of_u32": riscv("fcvt.s.wu", "r"), "class": riscv("fclass.s", result="r")},
         2: {name: riscv(f"f{name}.s", takes=2) for name in ("add", "sub", "mul", "div", "min", "max", "sgnj", "sgnjn", "sgnjx")},
         3: {name: riscv(f"f{name}.s", takes=3) for name in ("madd", "msub", "nmadd", "nmsub")}}
RISCV[2] |= {name: riscv(f"f{name}.s", takes=2, result="r") for name in ("eq", "lt", "le")}


def functions(table):
    """(operands, name, expression) of each function."""
    for operands, text in table.items():
        pairs = text.items() if isinstance(text, dict) else (word.split(":", 1) for word in text.split())
        for name, call in pairs:
            yield operands, name, call


def opencl(compiler):
    """build(folder, operands, call, rounds, step): what starts the kernel, and the file that it makes."""
    def build(folder, operands, call, rounds, step):
        source, program, out = folder / "k.cl", folder / "k.out", folder / "words"
        source.write_text(OPENCL.replace("CALL", call).replace("ONE", "1" if operands == 1 else "0"))
        gpu = compiler(source, program)
        return gpu, [f"--grid={ITEMS}", f"--block={BLOCK}", f"--arg=zeros:{4 * ITEMS}", f"--arg=u32:{rounds // ITEMS}", f"--arg=u32:{step}",
                     f"--dump-arg=0:{out}", program], out
    return build


def amd(*more):
    def compiler(source, program):
        run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-O2", "-w", *more,
             f"--rocm-device-lib-path={BITCODE}", source, "-o", program])
        return "gfx900:cu=4"
    return opencl(compiler)


def intel(source, program):
    run(["ocloc", "compile", "-file", source, "-device", "skl", "--format", "zebin", "-output", program.name, "-output_no_suffix", "-out_dir",
         program.parent, "-q", "-options", "-cl-std=CL3.0"])
    return "gen9"


def nvidia(source, program):
    run(["clang-19", "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64--nvidiacl", "-march=sm_50", "-S", "-O2", "-w", "-Xclang", "-mlink-builtin-bitcode",
         "-Xclang", LIBCLC, "-Xclang", "-finclude-default-header", source, "-o", program])
    return "sm"


def vortex(folder, operands, call, rounds, step):
    source, program, out = folder / "k.c", folder / "k.elf", folder / "words"
    source.write_text(VORTEX.replace("CALL", call).replace("ONE", "1" if operands == 1 else "0"))
    run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-mcmodel=medany", "-O2", "-ffreestanding", "-nostdlib", "-nostartfiles",
         f"-DROUNDS={rounds // 32}u", f"-DSTEP={step}u", "-DVORTEX", "-Wl,-Ttext=0x80000000", "-Wl,-Tdata=0x80010000", "-Wl,-Tbss=0x80020000",
         ROOT / "bench" / "kernels" / "start.S", source, "-o", program])
    return "vortex:warps=1,threads=32", [f"--dump={out}@out:128", program], out


FAMILIES = {"gfx900": (AMD, amd()), "gfx900 flushes": (AMD, amd("-cl-denorms-are-zero")), "gen9": (INTEL, opencl(intel)), "sm": (NVIDIA, opencl(nvidia)),
            "vortex": (RISCV, vortex)}


def results(before, gpu, words, out):
    """Each build's and option's name, seconds and folded words."""
    narrow = gpu + ("," if ":" in gpu else ":") + "vectors=256"
    ways = {"512 bits": (WAVETRAP, gpu), "256 bits": (WAVETRAP, narrow), "handlers": (WAVETRAP, gpu, "--no-jit"), "before": (before, gpu)}
    for way, (wavetrap, spec, *more) in ways.items():
        if not wavetrap or (way == "256 bits" and gpu == "gen9"):
            continue
        out.unlink(missing_ok=True)
        begin = time.monotonic()
        done = subprocess.run([str(word) for word in (wavetrap, "run", "-g", spec, *more, *words)], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{wavetrap} {way}: {done.returncode}\n{done.stdout}{done.stderr}")
        yield way, time.monotonic() - begin, out.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", type=os.path.abspath)
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="of the inputs of one operand each Nth (an odd number)")
    parser.add_argument("--pairs", type=int, default=100_000_000, metavar="N", help="so many random inputs of two and three operands")
    parser.add_argument("--only", default="", metavar="WORD", help="functions whose family and name contain it")
    options = parser.parse_args()
    made = different = 0
    for family, (table, build) in FAMILIES.items():
        for operands, name, call in functions(table):
            if options.only not in f"{family} {name}":
                continue
            inputs, step = (2 ** 32 // options.one_in, options.one_in) if operands == 1 else (options.pairs, 1)
            inputs = max(inputs // ITEMS, 1) * ITEMS
            with tempfile.TemporaryDirectory(prefix="wt-floats-") as folder:
                got = list(results(options.before, *build(pathlib.Path(folder), operands, call, inputs, step)))
            wrong = [way for way, _, words in got if words != got[0][2]]
            made, different = made + 1, different + bool(wrong)
            print(f"{family} {name}: {inputs} inputs, {', '.join(f'{way} {seconds:.1f} s' for way, seconds, _ in got)}"
                  + (f": other results by {', '.join(wrong)}" if wrong else ""), flush=True)
    print(f"{made} functions, {different} with other results")
    return different > 0 or not made


if __name__ == "__main__":
    sys.exit(main())
