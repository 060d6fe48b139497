"""A wave has one name, whatever shows it. GDB and LLDB name a thread as the reports do, without the device and the commas."""
import re
import subprocess

from conftest import TIMEOUT, WAVETRAP, Variant
from test_lldb import lldb  # noqa: F401 (a fixture)


def said_by(*words):
    done = subprocess.run([WAVETRAP, *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def test_a_thread_that_faults_has_one_name(program, serve, gdb, lldb, tmp_path):  # noqa: F811
    """`run`, the console, its core file, GDB and LLDB, of a load by thread 1 of warp 2."""
    file, core = program("odd"), tmp_path / "core"
    line, = re.findall(r"^  .*, issue time \d+$", said_by("run", f"--core-on-fault={core}", file), re.M)
    wave = re.fullmatch(r"  (device 0, core 0, warp 2), thread 1, issue time \d+", line)[1]
    thread = f"{wave}, thread 1"
    for words in (["-ex", "run", file], [f"--core={core}"]):
        said = said_by("debug", "--nx", "--batch", *words[:-1], "-ex", "info fault", "-ex", "thread", words[-1])
        assert said.count(line) == 2 and f"[{thread}; thread 1 enabled]\n" in said, said
        assert f"[Current thread is 10 ({thread})]" in said, said
    session = gdb(serve(file), file)
    assert f'"{thread}" received signal' in session("continue") and line in session("monitor fault")
    assert f"name = '{thread}', stop reason = misaligned" in lldb("odd", Variant(32), ["continue"])[0]
