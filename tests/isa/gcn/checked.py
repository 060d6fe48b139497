#!/usr/bin/env python3
"""Which rows of the instruction table have their results checked by a test, and by which one.

    make gcn-coverage [ROWS="v_add_f32 s_and_b32"]

First every test of this folder that runs single instructions runs once, and its tool notes which rows each test executed, and what
they changed: vector registers, SCC, memory … Then each row is made to go wrong, one sort of change at a time, and the tests
that met it are run until one fails. A change that no test misses is listed as not checked.
"""
import os
import sys
import tempfile
import time
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

FOLDER = Path(__file__).resolve().parent
MOST_TESTS = 60  # that are asked about one change, the quickest first
# What there is to see of them is seen elsewhere.
ELSEWHERE = {"s_trap SOPP": "tests/unit/test_gcn.c", "s_rfe_b64 SOP1": "tests/unit/test_gcn.c",
             "ds_gws_init DS": "tests/unit/test_gws.c", "ds_gws_barrier DS": "tests/unit/test_gws.c",
             "ds_gws_sema_p DS": "tests/unit/test_gws.c", "ds_gws_sema_v DS": "tests/unit/test_gws.c",
             "ds_gws_sema_br DS": "tests/unit/test_gws.c", "ds_gws_sema_release_all DS": "tests/unit/test_gws.c"}


class Spoiler:
    """Runs the collected tests as the module's description says, instead of once each."""

    def __init__(self, rows, part, parts):
        self.wanted, self.part, self.parts = rows, part, parts
        self.met = {}       # (row, what): [(seconds, test)]
        self.wrong = None   # a test that fails as it is
        self.checked = {}   # (row, what): the test that noticed, or None

    @staticmethod
    def run(item, **environment):
        """Whether the test passes."""
        os.environ.update(environment)
        try:
            reports = runtestprotocol(item, log=False, nextitem=None)
        finally:
            for name in environment:
                del os.environ[name]
        return all(r.passed or r.skipped for r in reports)

    def narrow(self, row):
        """Tests that go through all vector rows need go through this one only."""
        module = sys.modules.get("test_gcn_valu")
        if not module:
            return
        if not hasattr(module, "all_rows_of"):
            module.all_rows_of = module.rows_of
        module.rows_of = module.all_rows_of if row is None else \
            lambda table, *encodings: [r for r in module.all_rows_of(table, *encodings) if f"{r['name']} {r['encoding']}" == row]

    @staticmethod
    def pytest_collection_modifyitems(items):
        items[:] = [i for i in items if "run_tool" in i.fixturenames]

    def pytest_runtestloop(self, session):
        with tempfile.TemporaryDirectory() as folder:
            for n, item in enumerate(session.items):
                start, listing = time.monotonic(), Path(folder) / str(n)
                if not self.run(item, GCN_COVERAGE=str(listing)):
                    self.wrong = item.nodeid
                    return False
                for line in set(listing.read_text().splitlines()) if listing.exists() else ():
                    name, encoding, *whats = line.split()
                    for what in whats or ["nothing"]:
                        self.met.setdefault((f"{name} {encoding}", what), []).append((time.monotonic() - start, n))
        for k, (row, what) in enumerate(sorted(self.met)):
            if k % self.parts != self.part or what == "nothing" or self.wanted and row.split()[0] not in self.wanted:
                continue
            self.checked[row, what] = None
            self.narrow(row)
            for _, n in sorted(self.met[row, what])[:MOST_TESTS]:
                if not self.run(session.items[n], GCN_SPOIL=f"{row} {what}"):
                    self.checked[row, what] = session.items[n].name
                    break
            self.narrow(None)
        return True


def collect(rows, part, parts):
    spoiler = Spoiler(rows, part, parts)
    quiet = open(os.devnull, "w", encoding="ascii")
    stdout, sys.stdout = sys.stdout, quiet
    try:
        status = pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", str(FOLDER)], plugins=[spoiler])
    finally:
        sys.stdout = stdout
    if status or spoiler.wrong:
        sys.exit(f"{spoiler.wrong or 'pytest'} fails as it is")
    return spoiler


def main():
    rows = set(sys.argv[1:])
    ready, done = os.pipe()
    child = os.fork()
    spoiler = collect(rows, 1 if child else 0, 2)
    if not child:
        with os.fdopen(done, "w", encoding="ascii") as out:
            for (row, what), test in spoiler.checked.items():
                out.write(f"{row}|{what}|{test or ''}\n")
        os._exit(0)
    os.close(done)
    with os.fdopen(ready, encoding="ascii") as results:
        for line in results:
            row, what, test = line.rstrip("\n").split("|")
            spoiler.checked[row, what] = test or None
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit("half of the rows could not be looked at")
    of_row = {}
    for (row, what), test in sorted(spoiler.checked.items()):
        of_row.setdefault(row, []).append(f"{what}: {test or 'NOT CHECKED'}")
    for row, lines in of_row.items():
        print(f"{row:36}{'; '.join(lines)}")
    missed = [f"{row}: {what}" for (row, what), test in sorted(spoiler.checked.items()) if not test]
    still = sorted({row for row, _ in spoiler.met} - set(of_row) if not rows else ())
    print(f"\n{len(of_row)} rows, {len(spoiler.checked) - len(missed)} of {len(spoiler.checked)} sorts of change checked")
    print("no test sees a change of: " + (", ".join(f"{row} ({ELSEWHERE[row]})" if row in ELSEWHERE else row for row in still) or "-"))
    if missed:
        print("not checked:")
        for m in missed:
            row = m.split(":")[0]
            print(f"  {m}" + (f" ({ELSEWHERE[row]})" if row in ELSEWHERE else ""))
    return bool([m for m in missed if m.split(":")[0] not in ELSEWHERE])


if __name__ == "__main__":
    sys.exit(main())
