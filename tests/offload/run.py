#!/usr/bin/env python3
"""
GCC's own tests of OpenMP and OpenACC offloading (libgomp's test suite, from Debian's gcc-12-source), compiled for
gfx900 or for NVIDIA's GPUs by Debian's GCC and run under `wavetrap exec`. A test passes when the program ends as its
directives say.

    run.py [--gpu=sm] [--quick] [NAME…]     all tests that run code on a device, the bounded part of them, or those named

excluded.txt lists the tests that are left out, each with its reason. A test that is listed and a test that fails
are different things: a listed one is not run, unless it is named.
"""
import argparse
import concurrent.futures
import contextlib
import fnmatch
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()
SOURCES = BUILD / "offload"
SUITE = SOURCES / "libgomp" / "testsuite"
# Of the archive: the suite, and what some of its tests include.
WANTED = ("libgomp/testsuite/libgomp.", "include/gomp-constants.h", "gcc/testsuite/c-c++-common/goacc/",
          "gcc/testsuite/g++.dg/goacc/", "gcc/testsuite/gfortran.dg/goacc/")
COMPILER = {".c": "gcc-12", ".cc": "g++-12", ".C": "g++-12", ".f90": "gfortran-12", ".F90": "gfortran-12",
            ".f": "gfortran-12", ".F": "gfortran-12", ".f95": "gfortran-12", ".f03": "gfortran-12"}
LIMIT = float(os.environ.get("WAVETRAP_TEST_LIMIT", "120"))  # seconds for a program; only one that hangs needs so long
TARGETS = {
    "gfx900": {"true": ["offload_target_amdgcn", "offload_device_gcn", "openacc_radeon_accel_selected", "openacc_radeon_accel_present"],
               "flags": ["-foffload=amdgcn-amdhsa", "-foffload-options=-march=gfx900", "-I/usr/include/hsa"], "device": "radeon",
               "exec": ["-g", "gfx900"], "excluded": "excluded.txt"},
    "sm": {"true": ["offload_target_nvptx", "offload_device_nvptx", "openacc_nvidia_accel_selected", "openacc_nvidia_accel_present",
                    "openacc_nvidia_accel_configured"],
           "flags": ["-foffload=nvptx-none"], "device": "nvidia", "exec": ["-g", "sm", "--stats"], "excluded": "excluded-sm.txt"}}
TARGET = TARGETS["sm" if "--gpu=sm" in sys.argv[1:] else "gfx900"]
# Bounded part: some of each folder, chosen for what they use.
QUICK = """libgomp.c/target-11.c libgomp.c/target-link-1.c libgomp.c-c++-common/for-5.c
libgomp.c++/target-8.C libgomp.c++/target-virtual-1.C libgomp.fortran/target1.f90
libgomp.fortran/examples-4/declare_target-1.f90 libgomp.oacc-c-c++-common/lib-10.c
libgomp.oacc-c-c++-common/data-1.c libgomp.oacc-c-c++-common/deep-copy-1.c
libgomp.oacc-c-c++-common/private-variables.c libgomp.oacc-fortran/reduction-1.f90""".split()
# All forms of loops take GCC three times as long for gfx900 as the other eleven together: `make full` has them.
QUICK.remove("libgomp.fortran/examples-4/declare_target-1.f90" if TARGET is TARGETS["sm"] else "libgomp.c-c++-common/for-5.c")
# What is true of this target, for the conditions of directives.
TRUE = {"*-*-*", "lp64", "offload_device", "offload_device_nonshared_as", "offload_target_any", "x86_64-*-*", "i?86-*-*",
        *TARGET["true"], "run_expensive_tests", "pthread", "tls_runtime", "fopenmp", "sync_int_long", "alloca", "wchar",
        "libatomic_available", "cas_char", "sync_char_short", "nonlocal_goto", "size32plus", "int32", "hosted",
        "omp_usm", "__OPTIMIZE__", "weak_undefined", "c++11", "c++14", "c++17", "fortran_real_10", "avx_runtime",
        "sse2_runtime", "x86"}


def extract():
    """The suite's files, once."""
    done = SOURCES / "complete"
    if done.exists():
        return
    packages = glob.glob("/usr/src/gcc-12/gcc-12*.tar.xz")
    if not packages:
        sys.exit("offload: Debian's gcc-12-source is not there: scripts/need.sh check")
    with tarfile.open(packages[0]) as archive:
        for member in archive:
            path = member.name.partition("/")[2]
            if member.isfile() and path.startswith(WANTED):
                member.name = path
                archive.extract(member, SOURCES)
    done.touch()


# Programs whose workers race, as GCC compiles them: the writer of a flag in LDS (or of nvptx's buffer for broadcasts) may
# write it again before all have read it. Short turns are as on hardware, where waves take turns at each instruction.
SHORT_TURNS = {"libgomp.oacc-c-c++-common/mode-transitions.c", "libgomp.oacc-c++/ref-1.C"}
# What is not the program's: libgomp's plugin for AMD GPUs says that there is none, wavetrap reports a trap and counts kernels.
NOT_ITS = re.compile(r"\nlibgomp: GCN fatal error: Run-time could not be initialized\nRuntime message: [^\n]*\n\n|"
                     r"^wavetrap: .*\n(?:  .*\n)*", re.M)


def braces_of(text):
    """The outermost groups in braces, without them."""
    groups, depth = [], 0
    for c in re.sub(r'"((?:[^"\\]|\\.)*)"', lambda m: m[1] if re.fullmatch(r"[-\w=*]*", m[1]) else "", text):
        depth -= c == "}"
        if depth:
            groups[-1] += c
        elif c == "{":
            groups.append("")
        depth += c == "{"
    return groups


def holds(condition, language):
    """A selector of DejaGnu's: names, !, &&, ||, braces; unknown names are false."""
    text = re.sub(r"\btarget\b|\bxfail\b", " ", condition)
    known = TRUE | ({"c++"} if language == "g++-12" else {"c"} if language == "gcc-12" else {"fortran"})
    tokens = re.findall(r"&&|\|\||!|[{}]|[^\s{}!&|]+", text)
    python, last = [], None
    for token in tokens:
        word = {"&&": "and", "||": "or", "!": "not", "{": "(", "}": ")"}.get(token) or str(token in known)
        if last in ("True", "False", ")") and word not in ("and", "or", ")"):
            python.append("or")  # a list of targets
        python.append(word)
        last = word
    try:
        return bool(eval(" ".join(python) or "True", {"__builtins__": {}}))  # words, of the seven above
    except SyntaxError:
        return False


class Test:
    """A file of the suite, and what its directives ask for."""

    def __init__(self, path):
        self.path, self.name = path, str(path.relative_to(SUITE))
        self.compiler = COMPILER[path.suffix]
        self.acc = "oacc" in self.name
        self.text = path.read_text(encoding="latin-1")
        self.kind, self.options, self.environment, self.sources = "run", [], {}, []
        self.should_fail, self.outputs, self.skip = False, [], ""
        for name, rest in re.findall(r"\{\s*(dg-[\w-]+)((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}", self.text):
            self.directive(name, rest)

    def flags(self):
        """Those that conditions of directives ask for, as words."""
        return ["-O2"] + ([f"-DACC_DEVICE_TYPE_{TARGET['device']}=1", "-DACC_MEM_SHARED=0"] if self.acc else [])

    def has_flags(self, patterns):
        return any(fnmatch.fnmatch(flag, pattern) for flag in self.flags() for pattern in patterns.split())

    def directive(self, name, rest):
        quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
        braces = re.search(r"\{(.*)\}", re.sub(r'"(?:[^"\\]|\\.)*"', "", rest), re.S)
        applies = not braces or holds(braces[1], self.compiler)
        first = quoted[0] if quoted else rest.split("{")[0].strip()
        if name == "dg-do":
            self.kind = rest.split()[0] if applies or "xfail" in rest else "other"
        elif name in ("dg-options", "dg-additional-options") and applies:
            self.options += first.split()
        elif name == "dg-additional-sources":
            self.sources += first.split()
        elif name == "dg-set-target-env-var":
            words = re.findall(r'"([^"]*)"|(\S+)', rest)
            values = [a or b for a, b in words if (a or b)[:1] not in "{"]
            if len(values) >= 2 and applies:
                self.environment[values[0]] = values[1]
        elif name == "dg-shouldfail" and applies:
            self.should_fail = True
        elif name == "dg-require-effective-target" and rest.split()[0] not in TRUE:
            self.kind = "other"
        elif name == "dg-output" and applies and not (braces and "xfail" in braces[1]):
            # As Tcl reads a quoted string: the backslashes of the expression itself are doubled.
            self.outputs.append(re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), first))
        elif name in ("dg-skip-if", "dg-xfail-run-if"):
            # Where; with which flags (all by default); with which not.
            given = braces_of(rest)
            where, flags, without = (given + ["*-*-*", "*", ""][len(given):])[:3]
            if holds(where, self.compiler) and self.has_flags(flags) and not self.has_flags(without):
                self.skip = f"the suite's own {name}: {quoted[0] if quoted else ''}"

    def uses_device(self):
        return self.acc or bool(re.search(r"\btarget\b", re.sub(r"dg-[^\n]*", "", self.text)))

    def run(self):
        """'' if it passes, or what was wrong."""
        flags = ["-fopenacc" if self.acc else "-fopenmp", *TARGET["flags"], "-w",
                 f"-I{SOURCES / 'include'}", f"-I{self.path.parent}", "-Wl,--no-as-needed"]
        if self.compiler == "gfortran-12":
            flags.append("-foffload-options=-lgfortran")
        flags += self.flags()
        environment = {**os.environ, **self.environment, **({"ACC_DEVICE_TYPE": TARGET["device"]} if self.acc else {})}
        with folder_of(self.name) as folder:
            program = folder / "program"
            # GCC verifies PTX by any ptxas that it finds, and a new one does not know its targets.
            made = subprocess.run([self.compiler, *flags, *self.options, "-o", program, self.path,
                                   *[self.path.parent / source for source in self.sources], "-lm"], cwd=folder,
                                  capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{os.environ.get('CACHED_COMPILERS', '/usr/bin')}:/usr/bin:/bin"})
            if made.returncode:
                return "does not compile: " + (re.findall(r"(?:error|fatal error|undefined reference).*", made.stderr) or
                                               made.stderr.splitlines()[-1:] or ["?"])[0]
            try:
                short = ["--schedule=rr:8"] if self.name in SHORT_TURNS else []
                done = subprocess.run([os.environ.get("WAVETRAP", BUILD / "wavetrap"), "exec", *TARGET["exec"], *short, program], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, timeout=LIMIT,
                                      check=False)
            except subprocess.TimeoutExpired:
                return f"still runs after {LIMIT} s"
        output = done.stdout.decode("latin-1")
        if (done.returncode != 0) != self.should_fail:
            return f"exit status {done.returncode}: " + " / ".join(output.splitlines()[-3:])
        if self.outputs and not self.matches(NOT_ITS.sub("", output)):
            return "its output is not as the test says: " + output[-300:]
        return ""

    def matches(self, output):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # expressions of Tcl's, which Python reads with doubts
                return bool(re.search("".join(self.outputs), output, re.S))
        except re.error:  # one that Python cannot read: the program checks itself otherwise
            return True


@contextlib.contextmanager
def folder_of(name):
    """A temporary folder, which has the same name each time where it can: compilers with a memory (scripts/one_test.py) are told it."""
    folder = pathlib.Path(tempfile.gettempdir()) / name.replace("/", "-")
    try:
        folder.mkdir()
    except FileExistsError:
        folder = pathlib.Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def exclusions():
    """Patterns of names, and the reason for each."""
    lines = (pathlib.Path(__file__).parent / TARGET["excluded"]).read_text(encoding="utf-8").splitlines()
    return [tuple(part.strip() for part in line.split("  ", 1)) for line in lines if line and line[0] != "#"]


def all_tests():
    for path in sorted(SUITE.glob("libgomp.*/**/*")):
        if path.suffix not in COMPILER or "graphite" in str(path):
            continue
        yield Test(path)


def main():
    parser = argparse.ArgumentParser(description="GCC's tests of offloading on an emulated GPU")
    parser.add_argument("--gpu", choices=sorted(TARGETS), default="gfx900", help="which one")
    parser.add_argument("--quick", action="store_true", help="the bounded part")
    parser.add_argument("names", nargs="*", help="tests (patterns), listed in excluded.txt or not")
    options = parser.parse_args()
    extract()
    left_out, chosen = exclusions(), []
    for test in all_tests():
        named = any(fnmatch.fnmatch(test.name, "*" + name) for name in options.names)
        if options.names and not named or options.quick and test.name not in QUICK:
            continue
        if test.kind != "run" or not test.uses_device() or test.skip:
            continue
        if not named and any(fnmatch.fnmatch(test.name, pattern) for pattern, _ in left_out):
            continue
        chosen.append(test)
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        for test, said in zip(chosen, pool.map(Test.run, chosen)):
            if said:
                wrong += 1
                print(f"FAIL {test.name}: {said}", flush=True)
    print(f"offload: {len(chosen) - wrong} passed, {wrong} failed, {len(left_out)} patterns left out")
    missing = [name for name in QUICK if options.quick and name not in {test.name for test in chosen}]
    if missing:
        print("offload: the bounded part names what is not there, or is left out:", *missing)
    return 1 if wrong or missing or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
