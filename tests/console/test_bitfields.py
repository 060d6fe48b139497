"""Bit-fields and parts of vectors as values: what is watched, found in the past, kept and tested is the field, never the bytes that its neighbours share.

The kernel writes fields beside each other in turn; what each holds after a line follows from the line.
"""
import re
import subprocess
import sys

import pytest

from conftest import ROOT, TIMEOUT, ask_console, debug
from releases import HIPCC_CLANG

sys.path.insert(0, str(ROOT / "tests" / "compilers"))
import clangs  # noqa: E402

SOURCE = """struct field { unsigned a : 5; int b : 11; unsigned c : 16; long long d; };
DEVICE struct field fields[4];
KERNEL
{
    for (int i = 0; i < 4; i++) { /* begin */
        fields[i].a = i + 1;
        fields[i].b = -i - 1; /* b */
        fields[i].c = 7 * i; /* c */
        fields[i].a = 30;
        fields[i].b = 100 + i; /* again */
    }
    fields[0].d = 1; /* end */
    END
}
"""
PRELUDES = {"HIP": '#define DEVICE __attribute__((device)) volatile\n#define KERNEL extern "C" __attribute__((global)) void k()\n#define END\n',
            "CUDA C++": '#define DEVICE __attribute__((device)) volatile\n#define KERNEL extern "C" __attribute__((global)) void k()\n#define END\n',
            "C": "#define DEVICE static volatile\n#define KERNEL int main(void)\n#define END return 0;\n"}
CASES = [("gfx900", "HIP", HIPCC_CLANG), ("gfx900", "HIP", "clang-19"), ("sm", "CUDA C++", "clang-19"), ("rv32", "C", "gcc"), ("rv64", "C", "gcc")]
LINE = {mark: n for n, line in enumerate(SOURCE.splitlines(), 1) for mark in re.findall(r"/\* (\w+) \*/", line)}


@pytest.fixture(scope="module", name="built")
def built_(tmp_path_factory, program):
    """built(case): the file, the session's options."""
    folder = tmp_path_factory.mktemp("fields")

    def build(case):
        family, language, compiler = case
        source, out = folder / f"{family}{compiler}.{'c' if language == 'C' else 'cc'}", folder / f"{family}{compiler}.out"
        source.write_text(PRELUDES[language].rstrip("\n") + f'\n#line 1 "f.c"\n{SOURCE}')
        if language == "C":
            return program(source, int(family[2:])), []
        if not out.exists():
            subprocess.run([*clangs.words(family, language, compiler), "-g", "-O0", *(["--cuda-noopt-device-debug"] if family == "sm" else []), source, "-o", out],
                           check=True, cwd=folder, timeout=TIMEOUT)
        return out, ["-g", family, "--kernel=k", "--grid=1", "--block=1"]
    return build


@pytest.mark.parametrize("case", CASES, ids=["-".join((c[0], c[2])) for c in CASES])
def test_a_field_is_watched_found_kept_and_tested_alone(built, case):
    file, how = built(case)
    said = ask_console(file, [f"break f.c:{LINE['begin']}", "run", "delete"],
                       ["watch fields[2].b", "continue", "continue", "tbreak f.c:%d" % LINE["end"], "continue", "who-wrote fields[2].b 9", "who-wrote fields[2].a 9",
                        "set $q = fields[2].b", "print $q", "print $q - 1", "print fields[1].b + fields[2].a", "reverse-continue", "print fields[2]"], how)
    assert "Old value = 0\nNew value = -3\n" in said[1] and "Old value = -3\nNew value = 102\n" in said[2], said[1:3]
    assert "reakpoint" in said[4] and "watchpoint" not in said[4], said[4]
    told = [re.findall(r"was (-?\d+), is (-?\d+)", text) for text in said[5:7]]
    assert told == [[("-3", "102"), ("0", "-3")], [("3", "30"), ("0", "3")]], said[5:7]
    assert said[8:11] == ["$1 = 102", "$2 = 101", "$3 = 131"], said
    assert "Old value = 102\nNew value = -3\n" in said[11] and re.search(r"\{a = 30, b = -3, c = 14, d = 0\}", said[12]), said[11:]


@pytest.mark.parametrize("case", CASES, ids=["-".join((c[0], c[2])) for c in CASES])
def test_conditions_and_assignments_of_a_field(built, case):
    file, how = built(case)
    said = ask_console(file, [f"break f.c:{LINE['c']} if fields[i].b == -3", "run"],
                       ["print i", "set var fields[2].b = -1000", "print fields[2]", "watch fields[3].a if fields[3].a == 30", "continue", "print fields[3].b"], how)
    assert said[0] == "$1 = 2" and re.search(r"\{a = 3, b = -1000, c = 0, d = 0\}", said[2]), said
    assert "New value = 30\n" in said[4] and said[5] == "$3 = -4", said


def test_a_type_that_the_program_does_not_tell_is_marked(tmp_path):
    """PTX of lines alone declares bytes; the sentence names a cast, which gives the values."""
    source, out = tmp_path / "p.cc", tmp_path / "p.ptx"
    source.write_text('__attribute__((device)) int prog[4] = {5, -6, 7, 8};\n__attribute__((device)) int one = -2;\n'
                      'extern "C" __attribute__((global)) void k(int *p)\n{\n    *p = prog[*p] + one;\n}\n')
    subprocess.run([*clangs.words("sm", "CUDA C++", "clang-19"), "-gline-tables-only", "-O2", source, "-o", out], check=True, cwd=tmp_path, timeout=TIMEOUT)
    how = ["-g", "sm", "--kernel=k", "--grid=1", "--block=1", "--arg=zeros:4"]
    mark = "(PTX declares bytes: try (int[4])prog)"
    said = ask_console(out, ["break k", "run"], ["print prog[3]", "print prog", "print (int[4])prog", "print ((int[4])prog)[1]", "print prog[3] + 1", "print $", "output prog[0]", "print one",
                                                "print (int)one", "print sizeof(prog)", "print &prog[4] - &prog[0]"], how)
    assert said[0] == f"$1 = 0 {mark}" and said[1].endswith(f"}} {mark}") and said[2:4] == ["$3 = {5, -6, 7, 8}", "$4 = -6"], said
    assert said[4] == f"$5 = 1 {mark}" and said[5] == f"$6 = 1 {mark}" and said[6] == f"5 {mark}", said
    assert said[7] == "$7 = 4294967294 (PTX declares u32: try (int)one)" and said[8] == "$8 = -2" and said[9] == "$9 = 16" and said[10] == "$10 = 4", said
    for command in ("break k if prog[3] == 8", 'printf "%d\\n", prog[3]'):
        failed = debug(out, "break k", "run", command, options=how)
        assert failed.returncode and mark[1:-1] in failed.stderr, failed.stderr
