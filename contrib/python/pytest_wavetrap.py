"""Tests on emulated GPUs: each test runs in a process of its own under `wavetrap exec`.

    pytest --wavetrap=sm                      all tests
    @pytest.mark.wavetrap("gfx900")           this one, with or without --wavetrap
    pytest --wavetrap=sm --wavetrap-option=--check=memory
    pytest --wavetrap=sm --wavetrap-debug     opens the debugger at the first fault

A test fails where a kernel makes a mistake, also if nobody looks at the error. The report of the GPU is a section of the test's.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

CHILD = "PYTEST_WAVETRAP_REPORTS"


def pytest_addoption(parser):
    group = parser.getgroup("wavetrap", "emulated GPUs")
    group.addoption("--wavetrap", metavar="GPU", help="run each test under `wavetrap exec -g GPU`")
    group.addoption("--wavetrap-option", metavar="OPTION", action="append", default=[], help="another option for `wavetrap exec`")
    group.addoption("--wavetrap-command", metavar="FILE", default=os.environ.get("WAVETRAP", "wavetrap"), help="the command `wavetrap`")
    group.addoption("--wavetrap-debug", action="store_true", help="open `wavetrap debug` at the first fault, after the last test")


def pytest_configure(config):
    config.addinivalue_line("markers", "wavetrap(gpu): run this test under `wavetrap exec -g GPU`")
    if CHILD in os.environ:
        config.pluginmanager.register(Child(config, os.environ[CHILD]))
    else:
        config.pluginmanager.register(Parent(config))


class Child:
    """In the process of one test: leaves its reports for the parent."""

    def __init__(self, config, path):
        self.config, self.path = config, path

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with open(self.path, "a") as file:
            file.write(json.dumps(data) + "\n")


def objects(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Parent:
    def __init__(self, config):
        self.config, self.core, self.folder = config, None, None

    def gpu_of(self, item):
        mark = item.get_closest_marker("wavetrap")
        return mark.args[0] if mark and mark.args else self.config.getoption("wavetrap")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        gpu = self.gpu_of(item)
        if not gpu:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self.run(item, gpu):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def run(self, item, gpu):
        """Runs a test in a process of its own; its reports."""
        if not self.folder:
            self.folder = tempfile.TemporaryDirectory(prefix="pytest-wavetrap-")
        here = pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))
        words = [self.config.getoption("wavetrap_command"), "exec", "-g", gpu, f"--report=json:{here}/gpu.json",
                 f"--core-on-fault={here}/core", *self.config.getoption("wavetrap_option"), "--", sys.executable, "-m", "pytest", "-q",
                 "-p", "pytest_wavetrap", "-p", "no:cacheprovider", "--rootdir", str(self.config.rootpath), item.nodeid]
        done = subprocess.run(words, cwd=self.config.rootpath, env={**os.environ, CHILD: f"{here}/reports"}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        reports = [self.report_of(data) for data in objects(here / "reports")]
        mistakes = [o for o in objects(here / "gpu.json") if o["kind"] == "fault" or
                    (o["kind"] == "finding" and o.get("severity") == "error")]
        if (here / "core").exists() and not self.core:
            self.core = here / "core"
        ended = next((r for r in reports if r.when == "teardown"), None)
        if mistakes or not ended or (done.returncode and all(r.outcome != "failed" for r in reports)):
            self.fail(item, reports, done, mistakes)
        return reports

    def report_of(self, data):
        report = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        if isinstance(report.longrepr, list):   # JSON has no tuples: why a test was skipped is one
            report.longrepr = tuple(report.longrepr)
        return report

    def fail(self, item, reports, done, mistakes):
        """Fails the test's own part, or adds one where the process has ended before."""
        why = "\n".join(o.get("text", o["kind"]) for o in mistakes) or f"the process of the test ended with status {done.returncode}"
        call = next((r for r in reports if r.when == "call"), None)
        if not call:
            call = pytest.TestReport(nodeid=item.nodeid, location=item.location, keywords={}, outcome="failed", longrepr=why, when="call")
            reports.append(call)
        elif call.outcome != "failed":
            call.outcome, call.longrepr = "failed", why
        call.sections.append(("wavetrap", done.stdout))

    def pytest_unconfigure(self):
        if self.core and self.config.getoption("wavetrap_debug"):
            subprocess.run([self.config.getoption("wavetrap_command"), "debug", "--core", str(self.core)], check=False)
        if self.folder:
            self.folder.cleanup()
