"""Names of C++ in kernels: parameters of templates, static members, members of base classes, "++", wide characters, 16-bit floats of classes. A value follows from the source; GDB
on a Vortex, with GCC's debug information, answers the same."""
import subprocess
import sys

import pytest

from conftest import ROOT, TIMEOUT, ask_console, ask_gdb, debug
from releases import HIPCC_CLANG

sys.path.insert(0, str(ROOT / "tests" / "compilers"))
import clangs  # noqa: E402

SOURCE = """template <int N, class T> DEVICE int sum(const T (&a)[N])
{
    int s = 0;
    for (int i = 0; i < N; i++)
        s += a[i];
    return s; /* sum */
}
struct Base { int b; static constexpr int k = 9; };
struct Mid { long long m; };
struct Derived : Mid, Base {
    int d;
    DEVICE int get() { return b + d; /* get */ }
};
namespace ns {
template <class T, int M> struct Box {
    T v;
    DEVICE T with(T add)
    {
        T r = v + add + M;
        return r; /* with */
    }
};
}
struct half { unsigned short bits; };
struct hip_bfloat16 { unsigned short bits; };
KERNEL
{
    int a[4] = {1, 2, 3, 4}, q = 3;
    Derived d;
    d.b = 1, d.m = 5, d.d = 2;
    ns::Box<int, 3> box = {7};
    wchar_t w = L'A';
    half h = {0x3e00};
    hip_bfloat16 bf = {0xbfa0};
    RESULT = sum(a) + d.get() + box.with(3) + q + w + h.bits + bf.bits; /* end */
    END
}
"""
PRELUDES = {"clang": '#define DEVICE __attribute__((device)) __attribute__((noinline))\\\n\n#define KERNEL extern "C" __attribute__((global)) void k(int *o)\n#define RESULT *o\n#define END\n',
            "gcc": "#define DEVICE __attribute__((noinline))\n#define KERNEL volatile int result; int main(void)\n#define RESULT result\n#define END return 0;\n"}
LINE = {mark: n for n, line in enumerate(SOURCE.splitlines(), 1) for mark in ("sum", "get", "with", "end") if f"/* {mark} */" in line}
# {where: {expression: its value}}
NAMES = {"sum": {"N": "4", "sizeof(T)": "4", "a[N - 1]": "4", "(T)65": "65"},
         "get": {"k": "9", "B".replace("B", "Base::b"): "1", "this->Mid::m": "5", "Mid::m": "5", "this->Base::b": "1", "Base::k": "9", "b + Mid::m": "6"},
         "with": {"M": "3", "sizeof(T)": "4", "v + M": "10", "this->v": "7"},
         "end": {"d.Base::b": "1", "d.Mid::m": "5", "Derived::k": "9", "d.k": "9", "Base::k": "9", "L'x'": "120 L'x'", "w == L'A'": "true", "u'x' + 1": "121"}}
CASES = [("gfx900", "HIP", HIPCC_CLANG), ("gfx900", "HIP", "clang-19"), ("gfx900", "HIP", "clang-22"), ("sm", "CUDA C++", "clang-19"), ("sm", "CUDA C++", "clang-22")]


@pytest.fixture(scope="module", name="built")
def built_(tmp_path_factory):
    """built(case): the file, the session's options."""
    folder = tmp_path_factory.mktemp("templates")

    def build(case):
        family, language, compiler = case
        source, out = folder / "t.cc", folder / f"{family}{compiler}.out"
        source.write_text(PRELUDES["clang"] + f'#line 1 "t.cc"\n{SOURCE}')
        if not out.exists():
            subprocess.run([*clangs.words(family, language, compiler), "-std=c++17", "-g", "-O0", *(["--cuda-noopt-device-debug"] if family == "sm" else []), source, "-o", out],
                           check=True, cwd=folder, timeout=TIMEOUT)
        return out, ["-g", family, "--kernel=k", "--grid=1", "--block=1", "--arg=zeros:4"]
    return build


def asked(ask, file, *more):
    """Each name's value at its line."""
    made = {}
    for mark, names in NAMES.items():
        said = ask(file, [f"break t.cc:{LINE[mark]}", "run" if ask is ask_console else "continue"], [f"output {name}" for name in names], *more)
        made |= {(mark, name): text for name, text in zip(names, said)}
    return made


TRUE = {(mark, name): value for mark, names in NAMES.items() for name, value in names.items()}


@pytest.mark.parametrize("case", CASES, ids=["-".join((c[0], c[2])) for c in CASES])
def test_names_of_templates_and_classes(built, case):
    file, how = built(case)
    assert asked(ask_console, file, how) == TRUE


def test_gdb_says_the_same(program, tmp_path):
    source = tmp_path / "t.cc"
    source.write_text(PRELUDES["gcc"] + f'#line 1 "t.cc"\n{SOURCE}')
    file = program(source.rename(tmp_path / "t.cpp"), 64, "-O0", "-std=c++17")
    gdbs, ours = asked(ask_gdb, file), asked(ask_console, file)
    assert gdbs == TRUE and ours == TRUE


@pytest.mark.parametrize("case", CASES[1:4], ids=["-".join((c[0], c[2])) for c in CASES[1:4]])
def test_sixteen_bits_are_numbers_and_steps_change(built, case):
    file, how = built(case)
    said = ask_console(file, [f"break t.cc:{LINE['end']}", "run"],
                       ["print h", "print (float)bf", "print h * 2 + bf", "print h > 1 && bf < 0", "set var h = -0.5", "print h", "print/x h", "print sum(h@*)", "print q++", "print q", "print ++q",
                        "print q--", "print --q", "set $i = 5", "print $i++", "print $i"], how)
    assert said[:4] == ["$1 = 1.5", "$2 = -1.25", "$3 = 1.75", "$4 = true"], said
    assert said[5:8] == ["$5 = -0.5", "$6 = {bits = 0xb800}", "$7 = -0.5"], said
    assert said[8:13] == ["$8 = 3", "$9 = 4", "$10 = 5", "$11 = 5", "$12 = 3"] and said[14:] == ["$13 = 5", "$14 = 6"], said


def test_arrays_of_the_launchs_shared_memory_have_names(tmp_path):
    """PTX alone knows them; behind the kernel's own. An array of the kernel has its name without optimisation's mangling."""
    source, out = tmp_path / "s.cc", tmp_path / "s.ptx"
    source.write_text('#define SHARED __attribute__((shared))\nextern SHARED int late[];\nextern "C" __attribute__((global)) void k(int *p)\n{\n    SHARED int own[5];\n    own[4] = 8;\n'
                      '    late[1] = 77;\n    p[0] = late[1] + own[p[0]]; /* end */\n}\n')
    for level in ("-O0", "-O2"):
        flags = ["-g", "--cuda-noopt-device-debug"] if level == "-O0" else ["-gline-tables-only"]
        subprocess.run([*clangs.words("sm", "CUDA C++", "clang-19"), level, *flags, source, "-o", out], check=True, cwd=tmp_path, timeout=TIMEOUT)
        own = "own[4]" if level == "-O0" else "((int[5])own)[4]"
        said = ask_console(out, ["break s.cc:8", "run", "next"], [f"print {own}", "print ((int *)late)[1]", "print late[4]"],
                           ["-g", "sm", "--kernel=k", "--grid=1", "--block=1", "--shared=64", "--arg=zeros:4"])
        assert said == ["$1 = 8", "$2 = 77", "$3 = 77 (PTX declares bytes: try ((int *)late)[0])"], (level, said)


def test_arrays_of_the_launchs_memory_on_amds_gpus(tmp_path):
    """clang's debug information has nothing of `extern __shared__`, but hipcc's clang leaves its symbol: bytes after the kernel's own variables, in the kernel and in what it calls;
    names of namespaces, too. Another kernel's own variable is not one."""
    source, out = tmp_path / "s.cc", tmp_path / "s.co"
    source.write_text('#define SHARED __attribute__((shared))\nnamespace ns { extern SHARED int late[]; }\nusing namespace ns;\n__attribute__((device)) __attribute__((noinline)) int get(int i)\n{\n'
                      '    return i + 1; /* get */\n}\nextern "C" __attribute__((global)) void k(int *p)\n{\n    SHARED int own[5];\n    own[4] = 8;\n    late[1] = 77;\n'
                      '    p[0] = get(late[1]) + own[p[0]]; /* end */\n}\nextern "C" __attribute__((global)) void other(int *p)\n{\n    SHARED int others[5];\n    others[4] = p[0];\n    p[0] = others[p[0]];\n}\n')
    subprocess.run([*clangs.words("gfx900", "HIP", HIPCC_CLANG), "-O0", "-g", source, "-o", out], check=True, cwd=tmp_path, timeout=TIMEOUT)
    questions = ["print ((int *)late)[1]", "print ((int *)ns::late)[1]", "print late[4]", "print &late"]
    stopped, run = ["break s.cc:6", "run"], ["-g", "gfx900", "--kernel=k", "--grid=1", "--block=1", "--shared=64", "--arg=zeros:4"]
    assert 'No symbol "others"' in debug(out, *stopped, "print others", options=run).stderr
    said = ask_console(out, stopped, questions + ["up", "print own[4]", "print &own"] + questions, run)
    guess = "the debug information has no type of it: try ((int *)_ZN2ns4lateE)[0]"
    wanted = ["77", "77", f"77 ({guess})", "(unsigned char (*)[]) 0x1000000000014 <local#0x14>"]
    values = [line.split(" = ", 1)[1] for line in said if line.startswith("$")]
    assert values == [*wanted, "8", "(int (*)[5]) 0x1000000000000 <local#0x0>", *wanted], said
