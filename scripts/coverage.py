#!/usr/bin/python3
"""Which lines of src the tests execute, a folder each, and which functions nothing calls.

    coverage.py BUILD    a build folder with -Db_coverage=true, in which tests have run (`make coverage`)

The table goes to docs/testing.md. Code that only a program under ptrace or after fork executes counts as far as it wrote its counters.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def counted(build):
    """gcovr's report: one entry for each file of src."""
    words = ["gcovr", "--root", ROOT, "--filter", "src/", "--gcov-ignore-parse-errors", "-j", "4", "--json", "-", build]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"gcovr: {done.stderr}")
    return json.loads(done.stdout)["files"]


def folder_of(name):
    """src/emulator/gcn/ds.c is of emulator/gcn, src/debug/vortex/conformance/run.c of debug/vortex."""
    return "/".join(pathlib.PurePath(name).parts[1:3]) if name.count("/") > 2 else pathlib.PurePath(name).parts[1]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines, hit, idle = collections.Counter(), collections.Counter(), []
    for file in counted(sys.argv[1]):
        folder = folder_of(file["file"])
        code = [line for line in file["lines"] if not line.get("gcovr/noncode")]
        lines[folder] += len(code)
        hit[folder] += sum(line["count"] > 0 for line in code)
        idle += [f"{file['file']}:{f['lineno']}: {f['name']}" for f in file.get("functions", []) if not f["execution_count"]]
    print("| folder | lines | executed |\n|---|---|---|")
    for folder in sorted(lines):
        print(f"| `{folder}` | {lines[folder]} | {100 * hit[folder] / lines[folder]:.1f} % |")
    total = sum(lines.values())
    print(f"| all | {total} | {100 * sum(hit.values()) / total:.1f} % |")
    print(f"\n{len(idle)} functions are never called:")
    print("\n".join(sorted(idle)))


if __name__ == "__main__":
    main()
