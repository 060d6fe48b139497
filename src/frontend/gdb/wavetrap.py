"""Commands for GPUs in GDB: type `source wavetrap.py`, or let `wavetrap gdb` do it.

What is loaded lies beside this file, in the folder wavetrap_gdb. It needs GDB 13 or later, built
with Python, and a connection to wavetrap; until there is one the commands say so.
"""
import os
import sys

import gdb


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    if here not in sys.path:
        sys.path.insert(0, here)
    if not hasattr(gdb, "RemoteTargetConnection"):
        raise gdb.GdbError(f"wavetrap's commands need GDB 13 or later; this is GDB {gdb.VERSION}")
    # What is sourced again is read again.
    for name in [n for n in sys.modules if n.split(".")[0] == "wavetrap_gdb"]:
        del sys.modules[name]
    # What is installed is not this user's to write to, nor are the sources.
    wrote, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        import wavetrap_gdb
        wavetrap_gdb.load()
    finally:
        sys.dont_write_bytecode = wrote


_load()
