#!/usr/bin/env python3
"""Runs GDB's own test suite against `wavetrap serve`.

The suite comes from Debian's gdb-source package, the programs under test are built by Debian's
RISC-V GCC with the start-up library of examples/vortex, and run in the one thread of a GPU with one
core, one warp and one thread. All of gdb.base and gdb.reverse is run except for what skipped.txt
names.

A FAIL, UNRESOLVED or ERROR that expected.txt does not name makes this fail; so does an entry of
expected.txt that no longer fails, and a test file that gives no result at all.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARBALL = Path("/usr/src/gdb.tar.xz")
PICOLIBC = Path("/usr/lib/picolibc/riscv64-unknown-elf")

# The parts of the suite that are run. A file of the first goes by its name alone, one of another by
# gdb.reverse/NAME.
PARTS = ("gdb.base", "gdb.reverse")

# Of the tarball, what these need (the Dwarf assembler of lib/ reads dwarf2.h).
WANTED = tuple(f"{name}/" for name in ("gdb/gdb/testsuite/lib", "gdb/gdb/testsuite/config",
               "gdb/gdb/testsuite/boards", "gdb/gdb/testsuite/gdb.base",
               "gdb/gdb/testsuite/gdb.reverse", "gdb/gdb/testsuite/gdb.xml",
               "gdb/gdb/testsuite/gdb.python", "gdb/gdb/features", "gdb/include"))

# {XLEN: (-march, -mabi, Debian's library for them)}. With D on RV32, too: GDB 13 passes floats by the
# single-float ABI wrongly where registers are wider (it does not NaN-box them).
ABI = {32: ("rv32imafd_zicsr", "ilp32d", "rv32imfd"), 64: ("rv64imafd_zicsr", "lp64d", "rv64ifd")}

# What is changed in the suite: (file, text, its replacement). callfuncs compares all registers before
# and after a call, leaving out counters; ours are called mcycle and minstret.
PATCHES = [("gdb.base/callfuncs.exp", r"(?:cycle\|instret\)", r"(?:m?cycle\|m?instret\)")]

# The bounded subset for `make check`: what a stub can do wrong, in little time.
QUICK = """break condbreak step-test display ena-dis-br finish return commands dprintf cond-eval-mode
advance until jump consecutive hbreak watchpoint-delete gdb.reverse/amd64-tailcall-reverse
gdb.reverse/break-reverse gdb.reverse/consecutive-reverse gdb.reverse/finish-reverse
gdb.reverse/finish-reverse-bkpt gdb.reverse/machinestate gdb.reverse/next-reverse-bkpt-over-sr
gdb.reverse/step-reverse gdb.reverse/until-reverse""".split()

PASSED = ("PASS", "XFAIL", "KFAIL")
FAILED = ("FAIL", "UNRESOLVED", "ERROR", "XPASS", "KPASS")
RESULT = re.compile(r"^(PASS|FAIL|XFAIL|KFAIL|XPASS|KPASS|UNRESOLVED|UNTESTED|UNSUPPORTED|ERROR): (.*)")


def unpack(work):
    """The test suite's sources, taken out of the tarball once."""
    suite = work / "source" / "gdb" / "gdb" / "testsuite"
    mark, version = suite / ".complete", repr((WANTED, PATCHES))
    if mark.exists() and mark.read_text() == version:
        return suite
    if not TARBALL.exists():
        sys.exit(f"{TARBALL} is not there: install Debian's gdb-source")
    shutil.rmtree(work / "source", ignore_errors=True)
    with tarfile.open(TARBALL) as tar:
        for member in tar:
            if member.name.startswith(WANTED):
                tar.extract(member, work / "source")
    for name, old, new in PATCHES:
        text = (suite / name).read_text()
        if old not in text:
            sys.exit(f"{name} is not the one that is known here: it lacks {old}")
        (suite / name).write_text(text.replace(old, new))
    mark.write_text(version)
    return suite


def write_specs(folder, xlen):
    """The start-up library, built without debug information (as a C library comes), and a GCC specs
    file that links programs with it and with the picolibc of this width."""
    march, mabi, multilib = ABI[xlen]
    out = folder / "library"
    flags = [f"FLAGS_rv{xlen}=-march={march} -mabi={mabi} $(FLAGS)", "OPT=-O2", f"OUT={out}"]
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", *flags, f"library-rv{xlen}"],
                   check=True)
    include = f"-isystem {PICOLIBC}/include"
    cc = ["riscv64-unknown-elf-gcc"]
    subprocess.run([*cc, f"-march={march}", f"-mabi={mabi}", "-mcmodel=medany", "-O2",
                    *include.split(), "-c", HERE / "target.c", "-o", out / "target.o"], check=True)
    library = PICOLIBC / "lib" / multilib / mabi
    libgcc = subprocess.run([*cc, f"-march={multilib}", f"-mabi={mabi}", "-print-libgcc-file-name"],
                            capture_output=True, text=True, check=True).stdout.strip()
    own = f"{out}/rv{xlen}/lib"
    (folder / "program.specs").write_text(f"""\
*cpp:
+ {include}

*startfile:
{own}/start.S.o

*endfile:


*link:
+ -static -T {ROOT}/examples/vortex/lib/vortex.ld -L{library}

*lib:
--start-group {own}/spawn.c.o {own}/console.c.o {out}/target.o {library}/libc.a {library}/libm.a\
 {libgcc} --end-group

*libgcc:


""")


def read_list(path):
    """{name: reason} of a file of lines 'name: reason'; '#' begins a comment."""
    entries = {}
    for line in path.read_text().splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            if not reason.strip():
                sys.exit(f"{path}: no reason given for '{name}'")
            entries[name] = reason.strip()
    return entries


def read_expected(path, xlen):
    """{file: [(pattern, reason)]} of a file of lines 'file | regular expression | reason'; the file's
    name may end in @32 or @64."""
    entries = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 3:
                sys.exit(f"{path}: not 'file | pattern | reason': {line}")
            name, _, width = parts[0].partition("@")
            if width in ("", str(xlen)):
                entries[name].append((re.compile(parts[1]), parts[2]))
    return entries


def site_exp(folder, name, suite, options):
    """What DejaGnu wants to know; it reads ./site.exp."""
    # Where a line has several expressions, GCC's line table has an entry for each, with its column.
    # step-reverse.exp takes the beginning of any for that of the line, and is out of step from there.
    columns = " -gno-column-info" if name.startswith("gdb.reverse/") else ""
    # GDB must not get -q here: the suite waits for the greeting's line end before the prompt.
    # libctf is not in Debian's GDB, and whatis.exp dies without this setting. COMPILE: from C where the
    # suite has what a compiler for x86 made of it.
    (folder / "site.exp").write_text(f'''
set host_triplet x86_64-pc-linux-gnu
set build_triplet x86_64-pc-linux-gnu
set target_triplet riscv64-unknown-elf
set target_alias riscv64-unknown-elf
set tool gdb
set srcdir {suite}
set objdir {folder}
set subdir gdb.base
set GDB {options.gdb}
set INTERNAL_GDBFLAGS "-nw -nx -iex \\"set height 0\\" -iex \\"set width 0\\"\
 -iex \\"set auto-connect-native-target off\\" -data-directory /usr/share/gdb"
set enable_libctf no
set COMPILE 1
set tests_dir gdb.base
lappend boards_dir {options.work}
set board_list wavetrap
set WT_ABI "-march={ABI[options.xlen][0]} -mabi={ABI[options.xlen][1]}{columns}"
set WT_PROTOCOL {'extended-remote' if options.extended else 'remote'}
set WT_COMMAND {options.wavetrap}
set WT_SPECS {options.work}/program.specs
set WT_SERVE_OPTIONS "{options.serve_options}"
''')


def path_in_suite(name):
    """Where in the suite the file of this name is, without .exp."""
    return name if "/" in name else f"{PARTS[0]}/{name}"


def run_file(name, suite, options):
    """Runs one .exp file in a folder of its own; returns (name, results, seconds)."""
    folder = options.work / name
    shutil.rmtree(folder, ignore_errors=True)
    for sub in (*PARTS, "outputs", "cache", "temp"):
        (folder / sub).mkdir(parents=True)
    (folder / "Makefile").touch()  # style.exp wants some file in its folder
    site_exp(folder, name, suite, options)
    began = time.monotonic()
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            ["runtest", "--target_board=wavetrap", f"{path_in_suite(name)}.exp"], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            env=dict(os.environ, TERM="dumb", LC_ALL="C", HOME=str(folder)))
        try:
            process.wait(timeout=options.file_timeout)
            hung = False
        except subprocess.TimeoutExpired:
            hung = True
            os.killpg(process.pid, 9)
            process.wait()
    results = []
    summary = folder / "gdb.sum"
    if summary.exists():
        for line in summary.read_text(errors="replace").splitlines():
            if match := RESULT.match(line):
                results.append((match[1], re.sub(r"^gdb\.[a-z]+/[^:]*: ", "", match[2])))
    if hung:
        results.append(("ERROR", f"not finished after {options.file_timeout} s"))
    if not results:
        results.append(("ERROR", "no results"))
    return name, results, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only the bounded subset")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "gdb-suite")
    parser.add_argument("--wavetrap", default=str(ROOT / "build" / "wavetrap"))
    parser.add_argument("--gdb", default="/usr/bin/gdb-multiarch")
    parser.add_argument("--xlen", type=int, choices=(32, 64), default=32)
    parser.add_argument("--extended", action="store_true",
                        help="GDB starts the program itself (extended-remote): files of extended.txt")
    parser.add_argument("--serve-options", default="")
    parser.add_argument("--file-timeout", type=int, default=300)
    parser.add_argument("--verbose", action="store_true", help="all non-passes, expected or not")
    parser.add_argument("files", nargs="*", help="names of gdb.base, or gdb.reverse/NAME, without .exp")
    options = parser.parse_args()
    options.work = options.work.resolve() / f"rv{options.xlen}{'-extended' * options.extended}"
    options.work.mkdir(parents=True, exist_ok=True)
    suite = unpack(options.work.parent)
    write_specs(options.work, options.xlen)
    # Copies: the run is not disturbed when they are edited or rebuilt.
    shutil.copy(HERE / "wavetrap.exp", options.work)
    shutil.copy(options.wavetrap, options.work / "wavetrap")
    options.wavetrap = options.work / "wavetrap"

    skipped = read_list(HERE / "skipped.txt")
    expected = read_expected(HERE / "expected.txt", options.xlen)
    every = sorted(path.stem for path in (suite / PARTS[0]).glob("*.exp"))
    every += sorted(f"{part}/{path.stem}" for part in PARTS[1:]
                    for path in (suite / part).glob("*.exp"))
    extended = (HERE / "extended.txt").read_text().splitlines()
    extended = [line for line in extended if line and not line.startswith("#")]
    for name in [*skipped, *expected, *extended]:
        if name not in every:
            sys.exit(f"there is no {path_in_suite(name)}.exp")
    files = (options.files or (QUICK if options.quick else extended if options.extended else
                               [name for name in every if name not in skipped]))

    total, bad, used = collections.Counter(), [], set()
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(run_file, name, suite, options) for name in files]
        for done in concurrent.futures.as_completed(running):
            name, results, seconds = done.result()
            total.update(kind for kind, _ in results)
            known = [] if options.extended else expected.get(name, [])
            unexpected = []
            for kind, text in results:
                if kind not in FAILED:
                    continue
                hits = [i for i, (pattern, _) in enumerate(known) if pattern.search(text)]
                used.update((name, i) for i in hits)
                if not hits:
                    unexpected.append(f"{kind}: {text}")
                elif options.verbose:
                    print(f"  known {kind}: {name}: {text}")
            if not any(kind in PASSED for kind, _ in results):
                unexpected.append("no test of it passed: does it belong in skipped.txt?")
            unexpected += [f"expected to fail, but did not: {pattern.pattern}"
                           for i, (pattern, _) in enumerate(known) if (name, i) not in used]
            print(f"{name}: {sum(k == 'PASS' for k, _ in results)} passed, {seconds:.1f} s",
                  flush=True)
            for line in unexpected:
                print(f"  UNEXPECTED {name}: {line}", flush=True)
            bad += unexpected
    print(f"{len(files)} files, {time.monotonic() - began:.0f} s: "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(total.items())))
    if bad:
        print(f"{len(bad)} unexpected; the logs are in {options.work}/NAME/gdb.log")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
