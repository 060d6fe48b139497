#!/usr/bin/env python3
"""suite.py FOLDER GPU: runs each program of a folder, and of those in it, under --check=memory,leak,api, and prints how it ended and what was
found. Judges nothing: somebody explains each finding."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))


def main(folder, gpu):
    for program in sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF" and os.access(path, os.X_OK)):
        with tempfile.TemporaryDirectory() as own:
            report = pathlib.Path(own) / "report.json"
            try:
                status = subprocess.run([BUILD / "wavetrap", "exec", "-g", gpu, "--check=memory,leak,api", f"--report=json:{report}", program.resolve()],
                                        cwd=program.parent, capture_output=True, timeout=600, check=False).returncode
            except subprocess.TimeoutExpired:
                status = "none in ten minutes"
            print(f"{program.relative_to(folder)}: status {status}")
            for one in map(json.loads, report.read_text().splitlines() if report.exists() else ()):
                if one["kind"] == "finding":
                    print(f"  {one['severity']}: {one['text']}, {one.get('function', '?')} at {one.get('file', '?')}:{one.get('line', '?')}, {one['times']} times")


if __name__ == "__main__":
    main(*sys.argv[1:])
