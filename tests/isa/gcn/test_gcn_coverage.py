"""Each row of the instruction table that the emulator executes is executed by a test that checks its result."""
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# One of each test's forms will do: the others execute the same rows. So do the programs of test_gcn_together.py.
CHOSEN = ("not test_gcn_coverage and not test_gcn_decode and not test_gcn_traps and not test_gcn_executes and not sub_dwords "
          "and not together and not data_parallel and not modifiers and not partial and not none and not last "
          "and not test_gcn_exceptions and not test_gcn_formats and not gfx10")  # half of the time, and no row that the others lack

# They need a trap handler: test_gcn_traps.py and tests/unit/test_gcn.c have them.
WITH_HANDLER = {"s_trap SOPP", "s_rfe_b64 SOP1"}


def test_every_row_is_executed(gcn_table, tmp_path):
    listing = tmp_path / "executed"
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, FOLDER],
                          env={**os.environ, "GCN_COVERAGE": str(listing)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    executed = {" ".join(line.split()[:2]) for line in listing.read_text().splitlines()}
    rows = {f"{r['name']} {r['encoding']}": r["executes"] for r in gcn_table}
    missing = [name for name, executes in rows.items() if executes and name not in executed | WITH_HANDLER]
    print(f"{sum(rows.values()) - len(missing)} of the {sum(rows.values())} rows that the emulator executes are tested; it has "
          f"{len(rows)} rows in all")
    assert executed <= {name for name, executes in rows.items() if executes}
    assert not missing, f"{len(missing)}: " + ", ".join(missing)
