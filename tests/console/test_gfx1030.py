"""The debugger on a gfx1030, whose waves have 32 lanes or 64: lanes, values, frames, writes and time are those of the source."""
import re
import subprocess
import sys

import pytest

from conftest import ROOT, ask_console

sys.path.insert(0, str(ROOT / "tests" / "compilers"))
import amd  # noqa: E402

SOURCE = """__attribute__((noinline)) int leaf(int a, global int *p) {
    int b = a * 3;
    p[0] = b;
    return b + 1;
}
__attribute__((noinline)) int mid(int a, global int *p) {
    int x = leaf(a + 1, p);
    return x + leaf(a + 2, p + 1);
}
kernel void k(global int *out, int n) {
    int i = get_global_id(0);
    int s = 0;
    if (i % 48 < 40)
        s = i * n;
    out[i] = mid(s, out + 128 + 2 * i);
}
"""
ITEM, N = 50, 3     # s = 150, and no other call of leaf has a = 151
HOW = ["--grid", "128", "--block", "64", "--arg", "zeros:1536", "--arg", f"i32:{N}"]
COMMANDS = ["print a", "print $_lane", "print $frame_lanes", "print $_item_x", "backtrace", "info lanes", "frame 2", "print i", "print s", "frame 0", "next", "print b", "watch -l p[0]", "continue",
            "who-wrote p[0]", "reverse-continue", "print p[0]"]


def said(folder, lanes, level, model="gfx1030"):
    (folder / "k.cl").write_text(SOURCE)
    subprocess.run(["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={model}", *["-mwavefrontsize64"][:lanes == 64], *amd.version("clang-22"), "-x", "cl", "-cl-std=CL2.0", level, "-g",
                    f"--rocm-device-lib-path={amd.bitcode()}", folder / "k.cl", "-o", folder / "k.co"], check=True)
    return dict(zip(COMMANDS, ask_console(folder / "k.co", [f"break leaf if a == {ITEM * N + 1}", "run"], COMMANDS, ["-g", model, *HOW])))


@pytest.mark.parametrize("lanes", [32, 64])
def test_lanes_values_frames_and_time(tmp_path, lanes):
    told, lane, a = said(tmp_path, lanes, "-O0"), ITEM % lanes, ITEM * N + 1
    for command, value in (("print a", a), ("print $_lane", lane), ("print $frame_lanes", lanes), ("print $_item_x", ITEM), ("print i", ITEM), ("print s", a - 1), ("print b", 3 * a), ("print p[0]", 0)):
        assert re.search(rf" = {value}$", told[command].strip()), (command, told[command])
    assert re.findall(r"(?:in |#0 +)(\w+) \((?:a|out)=(\w+)", told["backtrace"])[:2] == [("leaf", str(a)), ("mid", str(a - 1))], told["backtrace"]
    assert f"0..{lanes - 1}" in told["info lanes"] or f"{lanes - 1}" in told["info lanes"], told["info lanes"]
    assert f"New value = {3 * a}" in told["continue"] and f"lane {lane}," in told["continue"].replace(";", ","), told["continue"]
    assert f"lane {lane}, work-item ({ITEM},0,0)" in told["who-wrote p[0]"], told["who-wrote p[0]"]


def test_optimised_code(tmp_path):
    told = said(tmp_path, 32, "-O2")
    assert re.search(rf" = {ITEM * N + 1}$", told["print a"].strip()) and re.search(rf" = {ITEM % 32}$", told["print $_lane"].strip()), told
    assert re.findall(r"(leaf|mid|k) \(", told["backtrace"])[:3] == ["leaf", "mid", "k"], told["backtrace"]
    assert f"lane {ITEM % 32}, work-item ({ITEM},0,0)" in told["who-wrote p[0]"], told["who-wrote p[0]"]


def test_a_gfx1034_is_another_of_its_line(tmp_path):
    told = said(tmp_path, 32, "-O0", "gfx1034")
    assert re.search(rf" = {ITEM * N + 1}$", told["print a"].strip()) and f"lane {ITEM % 32}, work-item ({ITEM},0,0)" in told["who-wrote p[0]"], told
