#!/usr/bin/python3
"""Runs tests that Meson knows, and sums up what their runners counted.

    test.py BUILD [--suite NAME]... [NAME]...

A NAME is one of
    SUITE              cli, gdb, unit, ...: all tests of tests/SUITE
    FILE or SUITE/FILE run, cli/run: tests/cli/test_run.py; watch: every test file of that name
    FILE::TEST         one test function of it (C: * and ? match anything)
    TEST               a test function, wherever it is
Under each failed test stands the command that runs it again. Where few tests of whole suites fail, which run beside each other, they are run once
more, alone: the last line names those that pass then, and the run is good. A test fails, too, if it leaves a file in its temporary folder or in the home, or
if a debugger of its that nobody waited for has crashed (one_test.py); the run fails if the tests leave a file in the source folder, in /dev/shm or /var/tmp, or
a file of wavetrap's in /tmp.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from one_test import adopt_orphans, cache_folder, crashed_orphans

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORES = len(os.sched_getaffinity(0))
JOBS = int(os.environ.get("JOBS", 0)) or 2 * CORES
SLOWER = max(1.0, JOBS / (4 * CORES))    # than limits of time are made for
MOST_CACHED = 2 << 30    # bytes of what the tests' compilers made
COUNTED = re.compile(r"(\d+) (passed|failed|skipped|error|errors|xfailed|xpassed)\b")


def tests_of(build):
    """Every test of the build folder: {"unit/watch": its description by Meson}."""
    out = subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, text=True, check=True).stdout
    return {test["name"]: test for test in json.loads(out)}


def functions(path, name):
    """Whether a test file has a test function of this name."""
    pattern = rf"^def {name}\(" if path.suffix == ".py" else rf"^static void {name}\("
    return re.search(pattern, path.read_text(), re.M) is not None


def sources():
    """The file of each test: {"unit/watch": tests/unit/test_watch.c}."""
    files = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/unit/test_*.c")]
    return {f"{f.relative_to(ROOT / 'tests').parts[0]}/{f.stem[5:]}": f for f in files}


def chosen(name, tests):
    """The names of Meson's tests that `name` means, and the test function in them ("": all)."""
    file, _, function = name.partition("::")
    file = re.sub(r"^tests/|\.py$|\.c$", "", file).replace("/test_", "/").removeprefix("test_")
    found = [t for t in tests if file in (t, t.split("/")[0], t.split("/")[-1])]
    if not found and not function and re.fullmatch(r"\w+", name):
        where = [t for t, path in sources().items() if functions(path, name) and t in tests]
        return where, name
    return found, function


def counts(text):
    """What a runner's last lines say: pytest's, cmocka's, or the plain one."""
    total = {"passed": 0, "failed": 0, "skipped": 0}
    words = {"error": "failed", "errors": "failed", "xfailed": "passed", "xpassed": "failed"}
    lines = [line for line in text.splitlines() if re.search(r"\d (passed|failed|skipped|errors?)\b", line)]
    if lines:
        for number, word in COUNTED.findall(lines[-1]):
            total[words.get(word, word)] += int(number)
        return total
    for number, word in re.findall(r"\[  (PASSED|FAILED|SKIPPED)  \] (\d+) test", text):
        total[number.lower()] += int(word)
    return total


def again(test, function=""):
    return f"make test T={test}" + (f"::{function}" if function else "")


def failed_functions(text):
    """Names of the test functions that failed, as pytest and cmocka print them."""
    python = re.findall(r"^(?:FAILED|ERROR) \S+?::(\S+)", text, re.M)
    return list(dict.fromkeys(python or re.findall(r"^\[  FAILED  \] (\w+)$", text, re.M)))


def processors(result):
    """The seconds of a processor that a test and its children took, and those of them that were the system's, as one_test.py says."""
    said = re.findall(r"^the test took ([\d.]+) s of a processor, ([\d.]+) of them the system's$", result.get("stdout") or "", re.M)
    return tuple(map(float, said[-1])) if said else (0.0, 0.0)


def processor(result):
    return processors(result)[0]


COMPILED = re.compile(r"^compilers: (\d+) found \(([\d.]+) s\), (\d+) made \(([\d.]+) s\), (\d+) not kept \(([\d.]+) s\)$", re.M)


def compiled(results):
    """How often the tests' compilers found something in the cache, made it, and made what cannot be kept, each with the seconds of a processor."""
    said = [tuple(map(float, counts)) for result in results for counts in COMPILED.findall(result.get("stdout") or "")[-1:]]
    return tuple(map(sum, zip(*said)))


def trim(cache, most=MOST_CACHED):
    """Removes the entries of the tests' compilers that were used longest ago, while there are more bytes, and what is left of runs that were killed."""
    entries = []
    for manifest in cache.glob("??/*/*/manifest"):
        with contextlib.suppress(FileNotFoundError):    # another run removes it
            entries.append((manifest.parent.stat().st_mtime, sum(file.stat().st_size for file in manifest.parent.iterdir()), manifest.parent))
    kept = sum(size for _, size, _ in entries)
    for _, size, entry in sorted(entries):
        if kept <= most:
            break
        kept -= size
        shutil.rmtree(entry, ignore_errors=True)
    for part in cache.glob("??/*"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > 86400:
                shutil.rmtree(part) if "." in part.name else part.rmdir()   # one that is being made; one without entries


def report(build, results, one):
    """Prints what failed, the sums, and what took the processors longest; returns whether all passed."""
    sums = {}
    good = True
    for result in results:
        name = result["name"].split(" / ")[-1]
        text = (result.get("stdout") or "") + (result.get("stderr") or "")
        count = counts(text)
        if passed(result) and not sum(count.values()):
            count["passed"] = 1
        if not passed(result):
            good = False
            count["failed"] = max(count["failed"], 1)
            print(f"\n==== {name}: {result['result']} after {result['duration']:.0f} s\n{text}")
            for function in failed_functions(text) or [""]:
                print(f"again: {again(name, function)}" + ("" if one else f" BUILD={build}"))
        total = sums.setdefault(name.split("/")[0], {"passed": 0, "failed": 0, "skipped": 0, "s": 0, "processor": 0, "system": 0})
        for word, number in count.items():
            total[word] += number
        total["s"] += result["duration"]
        total["processor"] += processors(result)[0]
        total["system"] += processors(result)[1]
    for suite, total in sums.items():
        print(f"{build}: {suite}: {total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped "
              f"in {total['s']:.0f} s, {total['processor']:.0f} s of a processor, {total['system']:.0f} of them the system's")
    if counts_compiled := compiled(results):
        print("compilers: {:.0f} found in the cache, which took {:.0f} s of a processor once, {:.0f} made in {:.0f} s, {:.0f} not kept in {:.0f} s".format(*counts_compiled))
    if len(results) > LONGEST:
        most = sorted(results, key=processor, reverse=True)[:LONGEST]
        print(f"{sum(map(processor, results)):.0f} s of a processor, {sum(processors(r)[1] for r in results):.0f} of them the system's: "
              + ", ".join(f"{r['name'].split(' / ')[-1]} {processor(r):.0f}" for r in most) + ", ...")
    # What this machine cannot try is named again at the end of `make check`.
    left_out = sorted({reason for r in results for reason in re.findall(r"^SKIPPED .*?(left out: .*)$", r.get("stdout") or "", re.M)})
    (pathlib.Path(build) / "left-out").write_text("".join(f"; {reason}" for reason in left_out))
    every = {word: sum(t[word] for t in sums.values()) for word in ("passed", "failed", "skipped")}
    print("".join(f"{reason}\n" for reason in left_out), end="")
    print(f"{every['passed']} passed, {every['failed']} failed, {every['skipped']} skipped")
    return good and every["passed"] > 0


LONGEST = 10  # tests that are named by what they took
MOST_AGAIN = 4  # failed tests that a busy machine may explain


def passed(result):
    return result["result"] in ("OK", "EXPECTEDFAIL")


def run_again(build, results, environment):
    """The results with those of a second run, alone, of the tests that failed; and the names of those that passed then."""
    failed = [r for r in results if not passed(r)]
    if not 0 < len(failed) <= MOST_AGAIN:
        return results, []
    for result in failed:
        print(f"\n==== {result['name'].split(' / ')[-1]}: {result['result']}; it is run again, alone\n"
              + (result.get("stdout") or "") + (result.get("stderr") or ""))
    second = run(build, [r["name"].split(" / ")[-1] for r in failed], [], environment, jobs=1)
    by_name = {r["name"]: r for r in second}
    return [by_name.get(r["name"], r) for r in results], [r["name"].split(" / ")[-1] for r in second if passed(r)]


def run(build, names, suites, environment, jobs=JOBS):
    """Runs these tests (all of the suites where there are none); their results."""
    log = pathlib.Path(build) / "meson-logs" / "testlog-one_test.py.json"  # Meson calls it after the wrapper
    log.unlink(missing_ok=True)
    command = ["meson", "test", "-C", build, "--no-rebuild", "--num-processes", str(jobs), "--timeout-multiplier", str(SLOWER)]
    command += ["--wrapper", str(ROOT / "scripts" / "one_test.py")]
    command += [word for suite in suites for word in ("--suite", suite)] + names
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment)
    if not log.exists():
        sys.exit(f"Meson ran no test: {' '.join(command)}")
    return [json.loads(line) for line in log.read_text().splitlines()]


# ---- what tests leave ----

# Folders and files that building and Python make; .gitignore has them.
OWN = re.compile(r"^build|__pycache__|\.pyc$|\.cache/")


def litter(root=ROOT):
    """Files that git does not know, with their times: (name, nanoseconds). Empty where there is no git."""
    done = subprocess.run(["git", "-C", root, "status", "--porcelain", "--ignored"], capture_output=True, text=True, check=False)
    names = [line[3:].strip('"') for line in done.stdout.splitlines() if line[:2] in ("??", "!!")]
    return {(name, (root / name).lstat().st_mtime_ns) for name in names if not OWN.search(name) and (root / name).exists()}


# What others leave there: LLVM's OpenMP and Debian's libhsakmt, where they are killed, and Chromium.
OTHERS = re.compile(r"^(__KMP_REGISTERED_LIB_|(sem\.)?hsakmt_|\.(org|com)\.)")


def elsewhere(places=("/dev/shm", "/var/tmp", "/tmp")):
    """Files of this user outside of the tests' own folders: in folders of the system that no variable of the environment names. In /tmp,
    where other programs write all the time, those of wavetrap alone, but for its folder of sockets."""
    found = set()
    for place in filter(os.path.isdir, places):
        for file in os.scandir(place):
            if place == "/tmp":
                ours = "wavetrap" in file.name and file.name != f"wavetrap-{os.getuid()}"
            else:
                ours = not OTHERS.match(file.name)
            if ours and os.path.lexists(file.path) and file.stat(follow_symlinks=False).st_uid == os.getuid():
                found.add(file.path)
    return found


def left_behind(before):
    """Prints what the tests have left and what has crashed; whether that is nothing."""
    sources, others = before
    files, crashed = sorted(name for name, _ in litter() - sources), crashed_orphans()
    if files:
        print(f"the tests have left in the source folder: {', '.join(files)}")
    if found := sorted(elsewhere() - others):
        print(f"the tests have left: {', '.join(found)}")
        files += found
    for one in crashed:
        print(f"a child of a test that nobody waited for has crashed: {one}")
    return not files and not crashed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--suite", action="append", default=[])
    options = parser.parse_args()
    # A shell without job control lets commands behind '&' ignore Ctrl-C, which tests type, and nohup the end of a terminal,
    # which tests wait for: programs that are started from here get both again.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Those orphans that outlive their test's runner.
    adopt_orphans()
    # Programs of tests that abort, as they are meant to, leave no core files.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    before = litter(), elsewhere()
    build = os.path.relpath(options.build)
    tests = tests_of(build)
    environment = {"WAVETRAP_TEST_LIMIT": str(400 * SLOWER), **os.environ}   # conftest.py
    if "sanitized" in options.suite:
        environment["LC_ALL"] = "C.UTF-8"   # in other locales json-c leaves what newlocale() allocates
    # Who names a test wants all of it; so does `make full`, which names no suite.
    if options.names or not options.suite:
        environment["WAVETRAP_FULL"] = "1"
    if not options.names:
        results, again_alone = run_again(build, run(build, [], options.suite, environment), environment)
        good = report(build, results, build == "build")
        if again_alone:
            print(f"failed beside other tests, passed alone: {', '.join(again_alone)}")
        if cache_folder():
            trim(cache_folder())
        sys.exit(not (left_behind(before) and good))
    good = True
    for name in options.names:
        found, function = chosen(name, tests)
        if not found:
            sys.exit(f"There is no test '{name}'. A suite, a file or a test function is wanted: one of "
                     f"{', '.join(sorted({t.split('/')[0] for t in tests}))}, such as cli/run or "
                     "cli/run::test_exit_word.")
        only = {**environment, "WAVETRAP_TEST": function} if function else environment
        good &= report(build, run(build, found, [], only), build == "build")
    sys.exit(not (left_behind(before) and good))


if __name__ == "__main__":
    main()
