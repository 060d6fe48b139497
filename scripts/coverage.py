#!/usr/bin/python3
"""Which lines of src the tests execute, a folder each, and which functions nothing calls.

    coverage.py BUILD    a build folder with -Db_coverage=true, in which tests have run (`make coverage`)

The table goes to docs/evidence/oracles.md. Code that only a program under ptrace or after fork executes counts as far as it wrote its counters.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def reported(data):
    """gcov's report of one object: an entry for each file of src."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", data.name], cwd=data.parent, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout:
        return []  # of a process that was killed as it wrote
    report = json.loads(done.stdout.splitlines()[0])
    files = ((pathlib.Path(report["current_working_directory"], file["file"]).resolve(), file) for file in report["files"])
    return [(str(path.relative_to(ROOT)), file) for path, file in files if path.is_relative_to(ROOT / "src")]


def counted(build):
    """How often each line and each function was executed: a file is compiled into several objects."""
    lines, functions = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(reported, sorted(pathlib.Path(build).rglob("*.gcda"))):
            for name, file in files:
                for line in file["lines"]:
                    lines[name, line["line_number"]] += line["count"]
                for function in file["functions"]:
                    functions[name, function["start_line"], function["name"]] += function["execution_count"]
    return lines, functions


def folder_of(name):
    """src/emulator/gcn/memory/ds.c is of emulator/gcn, src/base/text.c of base."""
    return "/".join(pathlib.PurePath(name).parts[1:3]) if name.count("/") > 2 else pathlib.PurePath(name).parts[1]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines, hit = collections.Counter(), collections.Counter()
    counts, calls = counted(sys.argv[1])
    for (name, _), count in counts.items():
        lines[folder_of(name)] += 1
        hit[folder_of(name)] += count > 0
    idle = [f"{name}:{line}: {function}" for (name, line, function), count in calls.items() if not count]
    print("| folder | lines | executed |\n|---|---|---|")
    for folder in sorted(lines):
        print(f"| `{folder}` | {lines[folder]} | {100 * hit[folder] / lines[folder]:.1f} % |")
    total = sum(lines.values())
    print(f"| all | {total} | {100 * sum(hit.values()) / total:.1f} % |")
    print(f"\n{len(idle)} functions are never called:")
    print("\n".join(sorted(idle)))


if __name__ == "__main__":
    main()
