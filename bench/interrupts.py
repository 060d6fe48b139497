"""From Ctrl-C to the console's prompt: each command that runs or steps, in a kernel that has no end, on each family,
standalone and in a host program. `tests/console/test_interrupts.py` takes the sessions from here."""

import os
import re
import signal
import subprocess
import sys
import time

import pexpect

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
VORTEX = os.path.join(ROOT, "examples", "vortex", "lib")
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
WAVETRAP = os.environ.get("WAVETRAP", os.path.join(os.environ.get("WAVETRAP_BUILD", os.path.join(ROOT, "build")), "wavetrap"))
PROMPT = "(wavetrap) "
LIMIT = 120  # seconds, for everything that is waited for

# Lines 1 to 9 are the same in each dialect: `turn` does not return, and its line 3 loops on itself.
KERNEL = """DEVICE int turn(GLOBAL volatile int *out)
{
    while (!out[0]) out[1]++;
    return out[1];
}
KERNEL void spin(GLOBAL volatile int *out)
{
    out[2] = turn(out);
}
"""
LOOP, BEHIND = 3, 4
HOSTS = {
    "hip": """
#include <stdio.h>
int main()
{
    int *out;
    if (hipMalloc(&out, 64) != hipSuccess || hipMemset(out, 0, 64) != hipSuccess)
        return 1;
    printf("out is at %p\\n", out);
    fflush(stdout);
    spin<<<16, 256>>>(out);
    return hipDeviceSynchronize() != hipSuccess;
}
""",
    "cuda": """
#include <stdio.h>
int main()
{
    int *out;
    if (cudaMalloc(&out, 64) != cudaSuccess || cudaMemset(out, 0, 64) != cudaSuccess)
        return 1;
    printf("out is at %p\\n", out);
    fflush(stdout);
    spin<<<1, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
""",
    "opencl": """#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main(void)
{
    const char *source = KERNEL_TEXT;
    size_t items = 8;
    int zeros[16] = {0};
    cl_platform_id platform;
    cl_device_id device;
    cl_int bad;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &bad);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &bad);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &bad);
    if (clBuildProgram(program, 1, &device, "-g -cl-opt-disable", NULL, NULL))
        return 2;
    cl_kernel kernel = clCreateKernel(program, "spin", &bad);
    cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &bad);
    return clSetKernelArg(kernel, 0, sizeof out, &out) || clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL) ||
           clFinish(queue);
}
""",
}
WORDS = {"c": ("static", "int main", ""), "cl": ("", "kernel", "global"), "cpp": ("static __device__ __attribute__((noinline))", "__global__", "")}


def kernel(words):
    device, start, space = WORDS[words]
    return KERNEL.replace("DEVICE ", device + " ").replace("KERNEL", start).replace("GLOBAL ", space + " ").replace(" *out)", " *out)")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def vortex(folder):
    text = KERNEL.replace("DEVICE ", "static ").replace("KERNEL void spin(GLOBAL volatile int *out)\n{", "volatile int out[4];\nint main(void) {")
    source = write(folder, "spin.c", text.replace("GLOBAL ", "").replace("\n\n", "\n"))
    arch = ["-march=rv32imf", "-mabi=ilp32f"]
    libgcc = subprocess.run(["riscv64-unknown-elf-gcc", *arch, "-print-libgcc-file-name"], check=True, text=True, capture_output=True).stdout.strip()
    program = os.path.join(folder, "spin.elf")
    return [], [program], ["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-O0", "-g", "-mcmodel=medany",
                           "--param=min-pagesize=0", "-isystem", f"{PICOLIBC}/include", f"-I{VORTEX}", "-nostdlib", "-nostartfiles", "-static",
                           f"-T{VORTEX}/vortex.ld", "-o", program, source,
                           *(os.path.join(VORTEX, file) for file in ("start.S", "diverge.S", "spawn.c", "console.c")),
                           f"{PICOLIBC}/lib/rv32imf/ilp32f/libc.a", libgcc]


def launch(gpu, items):
    return ["-g", gpu, "--kernel=spin", f"--grid={items}", f"--block={items}", "--arg=zeros:64"]


def gcn(folder):
    source, program = write(folder, "spin.cl", kernel("cl")), os.path.join(folder, "spin.co")
    return launch("gfx900", 64), [program], [
        "clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-g", "-O0", "-w",
        "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", source, "-o", program]


def gen(folder):
    source, program = write(folder, "spin.cl", kernel("cl")), os.path.join(folder, "spin.zebin")
    return launch("gen9", 8), [program], ["ocloc", "compile", "-file", source, "-device", "skl", "--format", "zebin", "-output", "spin.zebin",
                                          "-output_no_suffix", "-out_dir", folder, "-options", "-g -cl-opt-disable", "-q"]


def sm(folder):
    source, program = write(folder, "spin.cu", kernel("cpp").replace("__global__", 'extern "C" __global__')), os.path.join(folder, "spin.ptx")
    return launch("sm", 32), [program], ["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib",
                                         "-Wno-everything", "-S", "-O0", "-g",
                                         "-D__global__=__attribute__((global))", "-D__device__=__attribute__((device))", source, "-o", program]


def hip(folder):
    source, program = write(folder, "spin.hip", kernel("cpp") + HOSTS["hip"].replace("#include <hip/hip_runtime.h>\n", "")), os.path.join(folder, "hip")
    return [], [program], ["hipcc", "--offload-arch=gfx900", "-O1", "-g", "-w", "-include", "hip/hip_runtime.h", source, "-o", program]


def cuda(folder):
    source, program = write(folder, "host.cu", kernel("cpp") + HOSTS["cuda"]), os.path.join(folder, "cuda")
    path = subprocess.run([WAVETRAP, "cuda-path"], check=True, text=True, capture_output=True).stdout.strip()
    return ["-g", "sm"], [program], ["clang-19", "-x", "cuda", f"--cuda-path={path}", "-O1", "-g", "--cuda-noopt-device-debug", "--cuda-gpu-arch=sm_50", "-w", source, "-o",
                                     program, f"-L{path}/lib64", "-lcudart", "-lstdc++", "-lm"]


def opencl(folder):
    text = " ".join('"' + line.replace('"', r'\"') + r'\n"' for line in kernel("cl").splitlines())
    source, program = write(folder, "host.c", HOSTS["opencl"].replace("KERNEL_TEXT", text)), os.path.join(folder, "opencl")
    return ["-g", "gen9"], [program], ["gcc", "-O1", "-w", source, "-o", program, "-lOpenCL"]


SESSIONS = {"vortex": vortex, "gfx900": gcn, "gen9": gen, "sm": sm, "hip": hip, "cuda": cuda, "opencl": opencl}
HOST_PROGRAMS = ("hip", "cuda", "opencl")

# Commands without an end here, each with the commands that prepare it. Those of RECORDED search the run that `continue` has recorded.
GOING = {"continue": [], "stepi 100000000": [], "nexti 100000000": [], "next": [], "step": [], "until": [], f"until {BEHIND}": [],
         f"advance {BEHIND}": [], "finish": [], "continue 2": [f"break {LOOP} if {{OUT}} == 1"], "continue 3": ["watch {OUT}"]}
RECORDED = ["reverse-stepi 100000000", "reverse-nexti 100000000", "reverse-step 1000000", "reverse-next 1000000", "reverse-continue",
            "reverse-finish", "who-wrote {OUT}", "goto 3"]


def build(name, folder):
    """Options, and the program with its arguments."""
    os.makedirs(folder, exist_ok=True)
    options, words, command = SESSIONS[name](folder)
    env = {**os.environ, "PATH": "/usr/bin:/bin"} if name == "cuda" else None
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return options, words


class Session:
    """A console at a terminal that stands at the line that loops on itself."""

    def __init__(self, options, words, env=None):
        self.child = pexpect.spawn(WAVETRAP, ["debug", "--nx", *options, *words], encoding="utf-8", echo=False, timeout=LIMIT,
                                   dimensions=(50, 200), env={**(env or os.environ), "TERM": "xterm", "NO_COLOR": "1"})
        self.child.delaybeforesend, self.out = None, ""
        self.child.expect_exact(PROMPT)
        self.say("set status-line off")
        self.say("tbreak turn")
        said = self.say("run")
        assert f"{LOOP}\t" in said, said
        printed = re.search(r"out is at (0x[0-9a-f]+)", said)
        self.out = f"*(int *){printed[1]}" if printed else "out[0]"

    def say(self, line):
        """What is said until the next prompt."""
        self.child.sendline(line.replace("{OUT}", self.out))
        self.child.expect_exact(PROMPT)
        return self.child.before.replace("\r", "")

    def interrupt(self, line, after=r"\(Ctrl-C stops\)"):
        """Seconds from Ctrl-C, which is pressed when the console shows how far the command is, to the prompt; and what was said.
        None where the command has come to its end before."""
        self.child.sendline(line.replace("{OUT}", self.out))
        if self.child.expect([after, re.escape(PROMPT)]) == 1:
            return None, self.child.before.replace("\r", "")
        begin = time.monotonic()
        self.child.sendintr()
        self.child.expect_exact(PROMPT)
        delay, said = time.monotonic() - begin, self.child.before.replace("\r", "")
        if re.search(r"Interrupted\.|Program stopped\.", said):
            return delay, said
        # The command came to its end meanwhile: its prompt takes the Ctrl-C, and comes again.
        self.child.expect_exact([PROMPT, pexpect.TIMEOUT], timeout=5)
        return None, said

    def record(self):
        """A run of some hundred thousand issues, until it is interrupted."""
        return self.interrupt("continue", r"Running: issue time \d{6,} ")

    def close(self):
        self.child.kill(signal.SIGHUP)  # the console ends, and the program that it has started with it
        self.child.expect(pexpect.EOF)
        self.child.close()


def interrupts(report, folder):
    report.title("Ctrl-C: the longest time until the console's prompt")
    for name in SESSIONS:
        options, words = build(name, os.path.join(folder, name))
        longest, what = 0.0, ""
        for command in [*GOING, *RECORDED]:
            session = Session(options, words)
            if command in RECORDED:
                session.record()
            for before in GOING.get(command, []):
                session.say(before)
            delay, _ = session.interrupt(command)
            session.close()
            if delay and delay > longest:
                longest, what = delay, command
        report.figure(f"{name} ({what.split()[0]})", longest, "s            aim: at most 0.2")


def last_lines(report, folder, run, pairs, count):
    """A condition that never holds, at the last instruction of 64 waves and at the one before."""
    source, program = write(folder, "ends.hip", """#include <hip/hip_runtime.h>
__global__ void ends(int *out)
{
    out[blockIdx.x * 64 + threadIdx.x] = 1;
}
int main()
{
    int *out;
    if (hipMalloc(&out, 65536) != hipSuccess)
        return 1;
    ends<<<64, 64>>>(out);
    return hipDeviceSynchronize() != hipSuccess;
}
"""), os.path.join(folder, "ends")
    run(["hipcc", "--offload-arch=gfx900", "-O1", "-g", "-w", source, "-o", program])
    report.title("A breakpoint of a HIP program whose condition never holds, 64 waves (elapsed)")

    def seconds(line):
        begin = time.monotonic()
        run([WAVETRAP, "debug", "--nx", "--batch", "-ex", f"break {line} if $_lane == 77", "-ex", "run", program])
        return time.monotonic() - begin
    a, b, ratio = pairs(lambda: seconds(5), lambda: seconds(4), count)
    report.row("at the end of the kernel", a, "the line before", b, ratio, "s", "aim: x1")
