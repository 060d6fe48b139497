"""Values, types and frames: the console prints what GDB prints for the same state."""
import re
import subprocess

import pytest

from conftest import HERE, OPENCL_TARGETS, TIMEOUT, WAVETRAP, ask_console, ask_gdb, debug

OURS = ["break stop_here", "run", "up"]
GDBS = ["break stop_here", "continue", "up"]

VALUES = """
    global hidden bytes text full message table zeros real third narrow huge function nothing fixed wide unsigned_wide
    yes no first second shifted pixels here negative positive small letter half_word pixel pointer *pointer number bit
    hollow colour flag none odd into *into length numbers &global &pixel &table[1] *&pixel twice &twice main
    pixel.x pixel.in pixel.in.tag pointer->depth first.next->value first.next->next table[1] table[1][2] numbers[4]
    text[1] message[3] *message bit.five bit.rest hollow.left hollow.q number.byte number.byte[3] &pixel.in &bytes[2]
    $pc $sp $ra $a0 $s0
    """.split() + [
    "1 + 2", "7 / 2", "-7 / 2", "-7 % 3", "7 % 3", "1 << 4", "0x80 >> 3", "-16 >> 2", "5 & 3", "5 | 3", "5 ^ 3", "~5", "!5", "!0", "-here",
    "here + 1", "here * negative", "positive + 1", "positive / 3", "negative < positive", "small + letter", "half_word / 7",
    "narrow + 1", "narrow * real", "real / third", "here / 2.0", "1.5f", "1e10", "1.0/3", "100u", "5000000000", "0xffffffff", "07", "'a'",
    "'\\n'", "1 == 1", "here == 17", "here != 17", "here > 3 && negative > 3", "here > 3 || negative > 3", "here > 3 ? 1 : 2",
    "(char)65", "(short)70000", "(unsigned char)300", "(float)1/3", "(double)narrow", "(int)3.99", "(long)-1", "(unsigned)-1",
    "(struct pixel *)pointer", "((struct pixel *)pointer)->x", "(char *)message", "(void *)&global", "*(int *)&global",
    "sizeof(int)", "sizeof(int)*3.5", "sizeof (int) - 1", "sizeof(int) + sizeof -(short)3", "sizeof (pixel).x", "sizeof (table)[0]", "sizeof((char)here)", "(sizeof (int)) * 2", "sizeof(struct pixel)", "sizeof(pixels)", "sizeof pixel", "&table[1][2] - &table[0][0]", "into + 1", "*(into + 1)",
    "into == &table[1][2]", "pointer - pixels", "pixels + 1", "&*pointer", "RED", "BLUE", "colour == BLUE", "(enum colour)5",
    "*numbers", "*table", "**table", "&numbers", "wide / 1000", "unsigned_wide / 3", "unsigned_wide + 1",
    "1 ? 2 : 3", "first.next == &second", "!nothing", "1.5 > 1", "narrow < real", "real == 3.25", "1, 2", "huge * huge", "-(huge * huge)",
    "*(int (*)[4])table", "(int(*)[4])into", "sizeof(int (*)[4])", "sizeof(*(int (*)[4])0)", "*(int(*)[2][2])table", "((int (*)[4])table)[2][1]",
]
FORMATS = [f"/{letter} {value}" for letter in "xduotcz" for value in
           ("here", "negative", "positive", "small", "letter", "half_word", "wide", "numbers", "bit.five", "colour", "yes")]
FORMATS += ["/x pixel", "/d bytes", "/x bytes", "/s text", "/s message", "/x text", "/a $pc", "/f narrow", "/f real", "/f here",
            "/x pointer", "/d table", "/c table[0]", "/x -1", "/o 8", "/t 10", "/d 'a'", "/c 65"]


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
def test_values_are_those_of_gdb(program, xlen, dwarf):
    file = program("values", xlen, "-O0", dwarf)
    commands = [f"output {value}" for value in VALUES] + [f"output{form}" for form in FORMATS]
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in
             zip(commands, ask_gdb(file, GDBS, commands), ask_console(file, OURS, commands)) if g != o]
    assert not wrong, f"{len(wrong)} of {len(commands)}\n" + "\n".join(wrong)


def test_print_counts_its_values_as_gdb_does(program):
    file = program("values")
    commands = ["print here", "print $", "print $1 + 1", "print $$2", "print/x $", "print message", "print &pixel", "print pixel",
                "set var $mine = 5", "print $mine * 2", "print $unset", "print twice"]
    assert ask_console(file, OURS, commands) == ask_gdb(file, GDBS, commands)


@pytest.mark.parametrize("xlen", [32, 64])
def test_types_are_those_of_gdb(program, xlen):
    file = program("values", xlen)
    names = """global table pixel pointer function message first flag colour bit hollow number numbers into length twice main
        pixel.in &pixel &table fixed yes wide text *pointer first.next word pixel_t""".split()
    commands = [f"{verb} {name}" for verb in ("whatis", "ptype") for name in names]
    commands += ["whatis struct pixel", "ptype struct bits", "ptype union number", "ptype enum colour", "whatis 1 + 1", "whatis 1.0f",
                 "whatis (char)1", "whatis here == 1", "whatis &here", "ptype struct list"]
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in
             zip(commands, ask_gdb(file, GDBS, commands), ask_console(file, OURS, commands)) if g != o]
    assert not wrong, "\n".join(wrong)


LAYOUTS = """
struct in { short a; char t; };
struct empty {};
typedef in in_t;
struct mixed { char c; in i; const in ci; in_t it; in arr[2]; int f : 3; int g : 7; long long h;
               union { int u; char b[3]; struct { char x; int y; } s; } v; union { int q; struct { short w1, w2; }; };
               static int st; char last; void (*fn)(int); unsigned long long bf1 : 33; unsigned long long bf2: 40; void method(int) const; };
int mixed::st; void mixed::method(int) const {}
class priv { int x; public: char y; priv(); virtual void f(); protected: struct { char z; long w; } zz; };
priv::priv() {} void priv::f() {}
struct derived : in { char e; };
struct unknown;
union un { int a; struct { char b; int c; } d; char e[7]; };
struct flex { int n; char data[]; };
struct bits { unsigned a : 1; unsigned : 5; unsigned b : 4; char c; };
enum class E : char { A };
struct members { E e; int x; int &r; int in::*m; };
struct nested { struct inner { char a; int b; } i; inner *p; struct { struct { char z; } deep; } d; };
mixed m = {}; priv *p; derived d; unknown *k; un u; flex f; bits b; members *w; nested n; empty e; in_t tt; in *pi; in ai[3]; int plain; const mixed cm = {};
int main() { m.method(1); return sizeof(priv); }
"""


@pytest.mark.parametrize("xlen", [32, 64])
def test_layouts_of_structures_are_those_of_gdb(program, xlen, tmp_path):
    """ptype/o: offsets, sizes, holes and padding; the other flags of ptype and whatis."""
    source = tmp_path / "layouts.cpp"
    source.write_text(LAYOUTS)
    names = "m,p,*p,d,*k,u,f,b,*w,n,e,tt,pi,ai,plain,cm,in,in_t,E,struct in".split(",")
    commands = [f"{verb}{flags} {name}" for verb, flags in [("ptype", ""), ("ptype", "/o"), ("ptype", "/ox"), ("ptype", "/oM"), ("ptype", "/mt"),
                                                            ("ptype", "/Mxod"), ("ptype", "/r"), ("ptype ", "/oT"), ("whatis", "/o")] for name in names]
    said, told = (answer(program(source, xlen), ["break mixed::method", go], commands) for answer, go in ((ask_console, "run"), (ask_gdb, "continue")))
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in zip(commands, told, said) if g != o]
    assert not wrong, f"{len(wrong)} of {len(commands)}\n" + "\n".join(wrong)
    done = debug(program(source, xlen), "ptype/oq m", "ptype/", "whatis/4 m")
    assert "unrecognized flag 'q'" in done.stderr


@pytest.mark.parametrize("xlen", [32, 64])
def test_numbers_of_the_debug_information_are_not_negative_by_their_size(program, xlen):
    """Arrays and enumerators that GCC writes in one or two bytes with the highest bit set."""
    file = program("sizes", xlen)
    commands = ["whatis of_byte", "whatis of_word", "output sizeof(of_byte)", "output of_byte[199]", "output sizeof(holder)", "ptype enum size", "output size",
                "output BYTE", "output (int)BYTE", "output (int)WORD", "output (int)NEGATIVE", "output constant", "output small"]
    assert ask_console(file, OURS, commands) == ask_gdb(file, GDBS, commands)


@pytest.mark.parametrize("xlen", [32, 64])
def test_functions_without_debug_information_are_listed(program, xlen, tmp_path):
    """As GDB lists them, behind those with it: here all of a program are without."""
    bare = tmp_path / "bare"
    subprocess.run(["riscv64-unknown-elf-objcopy", "-g", program("values", xlen), bare], check=True)
    for command in "info functions", "info functions st":
        said, told = (answer(bare, there, [command])[0].partition("Non-debugging symbols:\n")[2] for answer, there in
                      ((ask_console, ["break stop_here", "run"]), (ask_gdb, ["break stop_here", "continue"])))
        assert said == told and "stop_here" in said and ("main" in said) == (command == "info functions")


@pytest.mark.parametrize("xlen", [32, 64])
def test_memory_is_shown_as_gdb_does(program, xlen):
    file = program("values", xlen)
    commands = ["x/4xw table", "x/4xb bytes", "x/2xh bytes", "x/2xg table", "x/s text", "x/2dw table", "x/3c text", "x/8ob bytes",
                "x/2tb bytes", "x/2uw &positive", "x/fw &narrow", "x/fg &real", "x/xw &global", "x", "x/2xw $sp", "x/2s message"]
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in
             zip(commands, ask_gdb(file, GDBS, commands), ask_console(file, OURS, commands)) if g != o]
    assert not wrong, "\n".join(wrong)


def agrees(ours, gdbs):
    """The same, but for what GDB computes from its callers' arguments and the console calls optimized out."""
    gdbs = re.sub(r"(\w+)=\1@entry=", r"\1=", gdbs)
    pattern = re.escape(ours).replace(re.escape("<optimized out>"), r"[^,)\n]*?(?:<[^>]*>)?")
    return re.fullmatch(pattern, gdbs) is not None


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("opt", ["-O0", "-Og", "-O1"])
def test_frames_are_those_of_gdb(program, xlen, opt):
    """From the innermost of five calls: the backtrace, and what each frame's variables are."""
    file = program("values", xlen, opt)
    ours, gdbs = [["break stop_here", go, "continue"] for go in ("run", "continue")]
    commands = ["backtrace", "frame 1", "info locals", "print local", "up", "info locals", "up 2", "info args", "down"]
    said, told = ask_console(file, ours, commands), ask_gdb(file, gdbs, commands)
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in zip(commands, told, said) if not agrees(o, g)]
    assert not wrong, "\n".join(wrong)
    if opt == "-O0":
        assert "optimized out" not in "".join(said)


def test_a_backtrace_goes_through_all_calls(program):
    said = ask_console(program("values"), ["break stop_here", "run", "continue"], ["backtrace"])[0]
    assert re.findall(r"^#\d+ .*?(\w+) \(", said, re.M) == ["stop_here", "deep", "deep", "deep", "deep", "main"]


# ---- lanes that have parted, arguments that are gone ----

def mark_in(name, mark):
    text = (HERE / "programs" / name).read_text().splitlines()
    return f"{name}:{next(i for i, line in enumerate(text, 1) if f'/* {mark} */' in line)}"


FOUR = ("-g", "vortex:warps=1,threads=4")


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_variable_of_one_side_is_only_in_its_lanes(program, xlen, level):
    """Lanes that wait at the other side have variables of the function, each at its own place, and none of this side."""
    said = ask_console(program("apart", xlen, level), [f"break {mark_in('apart.c', 'even')}", "run"],
                       ["print all@*", "print even@*", "print even@1", "print all@3", "print all@1 + 1"], FOUR)
    rows = dict(re.findall(r"^ +(\d) +(.*)$", said[0], re.M))
    assert rows == {"0": "0", "1": "10  (masked off)", "2": "20", "3": "30  (masked off)"}, said[0]
    rows = dict(re.findall(r"^ +(\d) +(.*)$", said[1], re.M))
    assert rows["1"] == rows["3"] == "<only in threads 0,2>  (masked off)", said[1]
    assert (rows["0"], rows["2"]) == ("3", "23")
    assert said[2].endswith(" = <only in threads 0,2>") and said[3].endswith("= 30") and said[4].endswith("= 11")
    done = debug(program("apart", xlen, level), f"break {mark_in('apart.c', 'even')}", "run", "set var even@1 = 5", options=FOUR)
    assert done.returncode == 1 and "wait where it is not" in done.stderr


@pytest.mark.parametrize("xlen, name, one, all", [(32, "n", "3", "3, 5 .. 9, step +2"), (64, "w", "0", "0, 10 .. 30, step +10")])
def test_an_argument_that_no_register_has_is_known_to_the_caller(program, xlen, name, one, all):
    """DW_OP_entry_value: GDB says the same for its lane. The second call is through a pointer."""
    leaf, through = (f"break {mark_in('entry.c', mark)}" for mark in ("leaf", "through"))
    file = program("entry", xlen, "-O2")
    first = ask_console(file, [leaf, "run"], [f"print {name}", f"print {name}@*"], FOUR)
    assert first[0].endswith(f" = {one}") and first[1].endswith(f"= {all}, in threads 0..3"), first
    assert first[:1] == ask_gdb(file, [leaf, "continue"], [f"print {name}"], FOUR)
    second = ask_console(file, [through, "run"], ["print n@*"], FOUR)
    assert second[0].endswith("= 40, 41 .. 43, step +1, in threads 0..3")


# ---- 128 bits ----

WIDE = {"big": (1 << 100) + 12345, "minus": -((3 << 90) + 7), "tiny": -5, "seven": 7, "all": (1 << 128) - 1, "high": 9 << 100, "small": -3}
UNSIGNED = {"all", "high"}


def wrapped(value, unsigned=False):
    value %= 1 << 128
    return value - (1 << 128) if value >> 127 and not unsigned else value


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def wide_cases():
    """Expressions, and what Python's integers say."""
    for a, x in WIDE.items():
        for b, y in WIDE.items():
            if a == b == "small":
                continue
            unsigned = a in UNSIGNED or b in UNSIGNED
            u, v = wrapped(x, unsigned), wrapped(y, unsigned)
            results = {"+": u + v, "-": u - v, "*": u * v, "/": quotient(u, v), "%": u - v * quotient(u, v), "&": u & v, "|": u | v, "^": u ^ v}
            yield from ((f"{a} {op} {b}", str(wrapped(value, unsigned))) for op, value in results.items())
            yield from ((f"{a} {op} {b}", str(int(truth))) for op, truth in
                        {"<": u < v, "<=": u <= v, ">": u > v, ">=": u >= v, "==": u == v, "!=": u != v}.items())
        if a != "small":
            unsigned = a in UNSIGNED
            yield f"~{a}", str(wrapped(~x, unsigned))
            yield f"-{a}", str(wrapped(-x, unsigned))
            yield f"(long){a}", str((x + (1 << 63)) % (1 << 64) - (1 << 63))
            yield f"!{a}", "0"
            for by in (0, 1, 63, 64, 65, 127):
                yield f"{a} << {by}", str(wrapped(x << by, unsigned))
                yield f"{a} >> {by}", str(wrapped(x, unsigned) >> by)
    yield "(double)big", "%.17g" % float(WIDE["big"])
    yield "(__int128)real", str(int(1e30))
    yield "(unsigned __int128)small", str((1 << 128) - 3)
    yield "small < 0 ? big : minus", str(WIDE["big"])
    yield "list[1] * list[0]", "-12"
    yield "sizeof(s.b << 1)", "16"


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_integers_of_128_bits(program, level):
    file = program("wide", 64, level)
    cases = [*wide_cases(), ("x + y", str(wrapped(WIDE["big"] + WIDE["all"], True))), ("x - seven", str(WIDE["big"] - 7))]
    stop = [f"break {mark_in('wide.c', 'stop')} if x > 1000 && y == all", "run"]
    said = ask_console(file, stop, [f"output {text}" for text, _ in cases])
    wrong = [f"{text}: {got}, not {want}" for (text, want), got in zip(cases, said) if got != want]
    assert not wrong and len(said) == len(cases), "\n".join(wrong)
    names = [f"output{form} {name}" for name in ("big", "minus", "all", "s", "list") for form in ("", "/x", "/d", "/u", "/o", "/t")]
    assert ask_console(file, stop, names) == ask_gdb(file, ["break stop", "continue"], names)
    done = debug(file, *stop, "print big / (tiny + 5)")
    assert done.returncode == 1 and "Division by zero" in done.stderr


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_values_that_the_debug_information_computes(program, xlen, level):
    """Integers with the width of an address, and typed operations on integers and floats: each is what GDB prints."""
    for at, names in ("integers", "x u wide y halved shifted arithmetic less below at_most narrow half more from_int negated inverted"), \
                     ("floats", "f d n u twice third quotient negative sum wider from_int from_unsigned narrowed of_int to_int truncated greater"):
        commands = [f"output {name}" for name in names.split()]
        ours, gdbs = [["break stop_here", go, *([] if at == "integers" else ["continue"]), "up"] for go in ("run", "continue")]
        file = program("typed", xlen, level)
        said, told = ask_console(file, ours, commands), ask_gdb(file, gdbs, commands)
        wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in zip(commands, told, said) if g != o]
        assert not wrong, f"{at}, {len(wrong)} of {len(commands)}\n" + "\n".join(wrong)
        assert sum("optimized out" in text for text in told) < len(told) / 2, told


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_pieces_of_bits(program, xlen, level):
    """Bit fields in registers: each is what GDB prints, and what the source computes, or optimised out."""
    file = program("bits", xlen, level)
    assert "DW_OP_bit_piece" in subprocess.run(["llvm-dwarfdump-19", file], capture_output=True, text=True, check=True).stdout
    true = {"v.a": "13", "v.b": "246", "v.c": "-5", "v.d": "5", "v.e": "6314", "w.x": "82", "w.y": "77000", "u.low": str(77 * 100000007 % (1 << 33)), "u.high": "82",
            "p": "77"}
    known = set()
    for more in [], ["continue"]:
        ours, gdbs = [["break stop_here", go, *more, "up"] for go in ("run", "continue")]
        commands = [f"output {name}" for name in true]
        for name, said, told in zip(true, ask_console(file, ours, commands), ask_gdb(file, gdbs, commands)):
            assert told in (said, "<optimized out>") or said == "<optimized out>", (name, said, told)
            assert said in (true[name], "<optimized out>"), (name, said)
            known |= {name} - ({name} if "optimized" in said else set())
    assert len(known) > 3 and known & {"v.a", "v.d"}, known


RETURNED = "c s i u l fl d b one_float two_floats float_int int_float small pair wide bits either inside".split()


@pytest.mark.parametrize("xlen", [32, 64])
def test_finish_has_the_value_by_the_convention_of_calls(program, xlen):
    """Numbers, structures and unions in registers for integers and floats, as GDB finds them."""
    file = program("returned", xlen, "-O0")
    breaks = [f"tbreak get_{name}" for name in RETURNED]
    said = ask_console(file, [*breaks, "run"], [word for _ in RETURNED for word in ("finish", "continue")][:-1])
    told = ask_gdb(file, breaks, [word for _ in RETURNED for word in ("continue", "finish")])
    ours = [re.sub(r".*Value returned is \$\d+ = ", "", text, flags=re.S) for text in said[::2]]
    gdbs = [re.sub(r".*Value returned is \$\d+ = ", "", text, flags=re.S) for text in told[1::2]]
    # GDB does not look into arrays: it takes the float of both from integer registers.
    assert ours.pop(RETURNED.index("two_floats")) == "{f = {1.5, 0}}"
    gdbs.pop(RETURNED.index("two_floats"))
    assert ours == gdbs


PLACES = """import gdb
for place in {places!r}:
    print("@@")
    try:
        gdb.execute("break " + place, False, True)
        print(gdb.execute("info breakpoints", False, True))
        gdb.execute("delete", False, True)
    except gdb.error:
        pass
"""


@pytest.mark.parametrize("name,level", [("inlined.c", "-O0"), ("inlined.c", "-O2"), ("objects.cpp", "-O0"), ("typed.c", "-O1")])
def test_breakpoints_have_the_locations_that_gdb_has(program, tmp_path, name, level):
    """For each line of a file and some functions: each inlined copy and each instance of a template has its own, a function's first line is
    behind its prologue, which one in assembly language has not. Quoted names are names."""
    file, script = program(name.split(".")[0], 32, level), tmp_path / "places.py"
    lines = len((HERE / "programs" / name).read_text().splitlines())
    places = [f"{name}:{line}" for line in range(1, lines + 1)] + ["main", "scaled", "both", "twice", "vx_while", "'scaled'", '"main"', f"'{name}':{lines // 2}",
                                                                  f'"{name}":{lines // 2}', f"'{name}:{lines // 2}'"]
    script.write_text(PLACES.format(places=places))
    told = subprocess.run(["gdb-multiarch", "-nx", "-q", "-batch", "-iex", "set confirm off", "-iex", "set width 0", "-ex", "set breakpoint pending off",
                           "-x", script, file], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    session = "".join(f"echo @@\\n\nbreak {place}\ninfo breakpoints\ndelete\n" for place in places)
    said = subprocess.run([WAVETRAP, "debug", "--nx", file], input="set pagination off\n" + session, capture_output=True, text=True,
                          timeout=TIMEOUT, check=False).stdout
    ours, gdbs = ([set(re.findall(r"\b0x[0-9a-f]{8}\b", text.partition("Num")[2])) for text in out.split("@@\n")[1:]] for out in (said, told))
    wrong = [f"{place}: GDB {sorted(g)}, ours {sorted(o)}" for place, g, o in zip(places, gdbs, ours) if g != o]
    assert len(ours) == len(gdbs) == len(places) and not wrong, "\n".join(wrong)
    assert name != "inlined.c" or any(len(addresses) > 1 for addresses in gdbs)


# ---- one cause for one error ----

def test_an_error_names_one_cause(program):
    """GDB's words where GDB has some; names that look like registers, and are none, are errors."""
    commands = ["output here / (here - here)", "output here % (here - here)", "output (here - here) / 2.0 + 7 / (here - 17)",
                "break *$unset", "tbreak *$unset", "x/2x $unset", "x/i $unset", "list *$unset", "info line *$unset", "break *pixel",
                "print (nosuch_t)1", "print (nosuch_t*)1", "print sizeof(nosuch_t)"]
    said, told = ([], [])
    for command in commands:
        said.append(debug(program("values"), *OURS, command).stderr.split("': ")[-1].strip())
        told.append(subprocess.run([WAVETRAP, "gdb", "--plain", program("values"), "--", "-nx", "-batch", *(w for c in (*GDBS, command) for w in ("-ex", c))],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   timeout=TIMEOUT).stdout.strip().splitlines()[-1])
    assert said == told
    for command, why in (("print (int)(real * 1e30)", "The number is too large for its type"), ("print $x32", "there is no register x32"),
                         ("set var $a8 = 1", "there is no register a8"), ("print $_nothing", "This device has no $_nothing"),
                         ("print 1 2", "near `2': an operator is missing"), ("print 1)", "near `)': nothing is open that it could close"),
                         ("print *(int *)(1UL << 60)", "Cannot access memory at address 0x1000000000000000"),
                         ("print 1 + **(int **)(1UL << 60)", "Cannot access memory at address 0x1000000000000000")):
        done = debug(program("values", 64), *OURS, command)
        assert why in done.stderr + done.stdout and "void" not in done.stdout, (command, done.stdout, done.stderr)
        assert " or " not in done.stderr, done.stderr


@pytest.mark.parametrize("xlen", [32, 64])
def test_nothing_begins_in_the_middle_of_an_instruction(program, xlen):
    """Before the program runs and after: instructions of four bytes, and compressed ones where GCC may use them."""
    file = program("values", xlen)
    shown = debug(file, "disassemble main").stdout
    begins = [int(a, 16) for a in re.findall(r"^ +(0x[0-9a-f]+) <", shown, re.M)]
    wide = next(a for a, b in zip(begins, begins[1:]) if b == a + 4)
    for before in ([], ["break stop_here", "run"]):
        for command in (f"break *{wide + 2}", f"x/2i {wide + 2}", f"disassemble {wide + 2},+8"):
            done = debug(file, *before, command)
            assert done.returncode == 1 and f"No instruction begins at {wide + 2:#x}" in done.stderr, (command, done.stdout + done.stderr)
        done = debug(file, *before, f"break *{wide + 1}")
        assert done.returncode == 1 and f"No instruction begins at {wide + 1:#x}" in done.stderr, done.stderr
        assert f" at {wide:#x}" in debug(file, *before, f"break *{wide}").stdout


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
def test_what_a_removed_pointer_points_to(program, xlen, dwarf):
    """DW_OP_implicit_pointer: the pointer is optimised out, the variable it points to is not."""
    file = program("implied", xlen, "-O2", dwarf)
    described = subprocess.run(["riscv64-unknown-elf-readelf", "--debug-dump=info,loc", file], capture_output=True, text=True, check=True).stdout
    assert "implicit_pointer" in described
    ours, gdbs = [["break use", go, "up"] for go in ("run", "continue")]
    commands = ["output *p", "output p->in", "output p->in.c", "output p->a", "output p->b", "output p->in.c[1]", "output *q", "output *l", "output *q - 1"]
    said, told = ask_console(file, ours, commands), ask_gdb(file, gdbs, commands)
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in zip(commands, told, said) if g != o]
    assert not wrong, "\n".join(wrong)
    assert said.count("<optimized out>") < 3


MANY = """
struct four { int a; float b; long long c[2]; };
int out;
__attribute__((noinline)) int f(int a, double b, struct four s, int c, int d, int e, int g, int h, int i, int j)
{
    return a + s.a + j + (int)b;
}
int main(void)
{
    struct four s = {7, 2.5f, {1, 2}};
    out = f(1, 2.5, s, 3, 4, 5, 6, 7, 8, 9);
    return 0;
}
"""


@pytest.mark.parametrize("xlen", [32, 64])
def test_a_parameter_is_not_available_before_the_prologue_has_stored_it(program, tmp_path, xlen):
    """What the caller has put on the stack is there; GDB prints the same of that, and of all behind the prologue."""
    source = tmp_path / "many.c"
    source.write_text(MANY)
    file = program(source, xlen)
    (said,), (told,) = ask_console(file, ["break *f", "run"], ["info args"]), ask_gdb(file, ["break *f", "continue"], ["info args"])
    stored = [name.strip() for name, _, value in (text.partition("=") for text in said.splitlines()) if value.strip() != "<not available yet>"]
    assert stored == {32: ["h", "i", "j"], 64: ["j"]}[xlen] and said.splitlines()[-len(stored):] == told.splitlines()[-len(stored):], (said, told)
    assert ask_console(file, ["break f", "run"], ["info args"]) == ask_gdb(file, ["break f", "continue"], ["info args"])
    for command in ("watch a", "who-wrote a", "set var a = 3", "print a + 1"):
        assert "not available yet" in debug(file, "break *f", "run", command).stderr, command
    stopped = debug(file, "break *f if a == 100", "break *f if j == 100", "run")
    assert "Error in testing condition for breakpoint 1:" in stopped.stdout and "breakpoint 2" not in stopped.stdout, stopped.stdout
    for condition, cannot in (("1 / (out - out)", True), ("out == out", False)):
        stopped = debug(file, "break f", "run", f"watch out if {condition}", "continue")
        told = "Error in testing condition for breakpoint 2:\nthe watchpoint's condition cannot be read here in thread 0\n" in stopped.stdout
        assert told == cannot and "Hardware watchpoint 2: out" in stopped.stdout, stopped.stdout


@pytest.mark.parametrize("gpu", ["gfx900", "sm", "gen9"])
def test_a_kernel_s_parameters_are_those_of_the_launch_before_the_prologue_has_stored_them(tmp_path, gpu):
    source, out = tmp_path / "k.cl", tmp_path / "k.out"
    source.write_text("__kernel void k(__global int *out, int n, float x)\n{\n    out[get_global_id(0)] = n + (int)x;\n}\n")
    words = ["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS.get(gpu, []), "-w", "-g", "-O0", source, "-o", out]
    if gpu == "gen9":
        words = ["ocloc", "compile", "-file", source, "-device", "skl", "--format", "zebin", "-options", "-g -cl-opt-disable", "-output", out,
                 "-output_no_suffix"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    options = ["-g", gpu, "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:128", "--arg=i32:5", "--arg=f32:2.5"]
    at_launch = "out = 0x200000000 (at launch)\nn = 5 (at launch)\nx = 2.5 (at launch)"
    assert ask_console(out, ["break *k", "run"], ["info args", "print n + 1"], options) == [at_launch, "$1 = 6 (at launch)"]
    assert ask_console(out, ["break *k", "run", "stepi"], ["info args"], options) == [at_launch]
    assert ask_console(out, ["break k", "run"], ["info args"], options) == [at_launch.replace(" (at launch)", "")]
    said = debug(out, "break *k", "run", "watch n", options=options).stderr
    assert said.endswith("Cannot watch n: here it is known only as it was at launch.\n")
    assert "Error in testing condition for breakpoint 1:" in debug(out, "break *k if n == 4", "run", options=options).stdout
    for condition in ("n / (n - n) == 1", "*(int *)0x1234567890000 == 1", "n == 5 || n / (n - n)", "n == 4"):
        said = debug(out, "break k", "run", "delete", f"watch out[3] if {condition}", "continue", options=options).stdout
        cannot = "Error in testing condition for breakpoint 2:\nthe watchpoint's condition cannot be read here in " in said
        assert cannot == ("==" in condition and "1" in condition) and ("Hardware watchpoint 2: out[3]\n\nOld" in said) == ("n == 4" != condition), said


@pytest.mark.parametrize("name", ["n", "k_param_1"])
def test_a_condition_refuses_a_parameter_that_only_the_launch_has_told(tmp_path, name):
    """Optimised PTX: print says that it is the launch's value, which a condition has no way to say."""
    source, out = tmp_path / "k.cl", tmp_path / "k.ptx"
    source.write_text("__kernel void k(__global int *out, int n)\n{\n    int sum = 0;\n    for (int j = 0; j < n; j++)\n        sum += out[j];\n    out[get_global_id(0)] = sum;\n}\n")
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS["sm"], "-w", "-g", "-O2", source, "-o", out], cwd=tmp_path, check=True, capture_output=True)
    options = ["-g", "sm", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:128", "--arg=i32:5"]
    assert ask_console(out, ["break k.cl:6", "run"], [f"print {name}"], options) == ["$1 = 5 (at launch)"]
    for commands in (["break k.cl:6"], ["break k.cl:6", "run", "break k.cl:6"]):
        said = debug(out, *commands[:-1], f"{commands[-1]} if {name} == 5", options=options).stderr
        assert said.endswith("a parameter is known as it was at launch only; print says so, a condition cannot\n"), said


SCOPES = """
struct pair { int a; char b; int get(int q) { int w = q + a; return w; } };
template <typename T> T twice(T v)
{
    static T last;
    last = v;
    return v + last;
}
__attribute__((noinline)) int add(int a, double b, pair p, const int &r)
{
    register int x asm("s5") = a;
    int list[5];
    list[a & 3] = x;
    {
        long long inner = 4;
        list[1] = inner + a; // inner
    }
    return list[1] + (int)b + p.get(3) + r;
}
int empty() { return 3; }
int out;
int main()
{
    pair p = {1, 2};
    int z = empty();
    out = add(1, 2, p, z) + twice(3);
    return 0;
}
"""


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("opt", ["-O0", "-O1"])
def test_info_scope_lists_what_gdb_lists(program, tmp_path, xlen, opt):
    """Names, order, places and sizes, also before the program runs; GDB writes operations of expressions and pieces out."""
    source = tmp_path / "scopes.cpp"
    source.write_text(SCOPES)
    inner = next(i for i, line in enumerate(SCOPES.split("\n"), 1) if "// inner" in line)
    file = program(source, xlen, opt)
    commands = [f"info scope {place}" for place in ("add", f"scopes.cpp:{inner}", "main", "*main", "empty", *(["pair::get", "twice<int>"] if opt == "-O0" else []))]
    said, told = ask_console(file, [], commands), ask_gdb(file, [], commands)
    told = [re.sub(r"a complex DWARF expression:\n +0: DW_OP_fbreg (-?)(\d+)\n(?=,)", lambda m: f"a variable at frame base {m[1] or '+'}{m[2]}", text) for text in told]
    told = [re.sub(r"a complex DWARF expression:\n( +\d+: .*\n)+\n?", lambda m: "a complex DWARF expression" + "\n" * m[0].endswith("\n\n"), text) for text in told]
    told = [re.sub(r"a variable in \$\w+ \[\d-byte piece\].*", "a complex DWARF expression", text) for text in told]
    told = [re.sub(r"^Symbol \S+\(.*\) is a function .*\n", "", text, flags=re.M) for text in told]
    wrong = [f"{c}\n    GDB:  {g}\n    ours: {o}" for c, g, o in zip(commands, told, said) if g != o]
    assert not wrong, "\n".join(wrong)
    assert opt == "-O1" or ("a variable in $s5, length 4" in said[0] and "inner is" in said[1] and "contains no locals" in said[4] and "static storage" in said[6])
    done = debug(file, "info scope nosuch")
    assert done.returncode == 1 and 'Function "nosuch" not defined.' in done.stderr


QUOTED = """
static int signal_cores = 5;
static float console = 2.5f;
int table[3] = {1, 2, 3};
__attribute__((noinline)) int run_range(int a)
{
    return a + signal_cores + (int)console + table[0];
}
int main(void)
{
    return run_range(3) == 0;
}
"""


@pytest.mark.parametrize("xlen", [32, 64])
def test_names_in_quotes_are_those_of_gdb(program, tmp_path, xlen):
    """'FILE'::NAME is that file's, of several of a name; 'f(int)' is the overload; each can be part of an expression."""
    source = tmp_path / "quoted.c"
    source.write_text(QUOTED)
    file = program(source, xlen)
    commands = [f"print {name}" for name in ("'quoted.c'::signal_cores + 1", "*'spawn.c'::signal_cores", "'quoted.c'::console", "sizeof('console.c'::console)", "&'quoted.c'::table[1]",
                                             "'quoted.c'::run_range", "'spawn.c'::run_range", "*'quoted.c'::table", "'table'[2]", "'console.c'::put")]
    commands += ["whatis 'console.c'::console", "x/2dw 'quoted.c'::table", "whatis &'quoted.c'::table"]
    said, told = ask_console(file, [], commands), ask_gdb(file, [], commands)
    assert said == told
    for name in ("'nosuch.c'::table", "'quoted.c'::nosuch", "'console.c'::table"):
        assert f'No symbol "{name.replace(chr(39), "")}" in current context.' in debug(file, f"print {name}").stderr
    overloads = program("names", xlen)
    commands = [f"print *{name}" for name in ("'ns::f(int)'", "'ns::f(float)'", "'ns::inner::f(int, unsigned)'", "'twice<int>(int)'", "'box<int, 3>::get() const'")]
    addresses = [[re.search(r"\{.*\} 0x[0-9a-f]+", text)[0] for text in ask(overloads, [], commands)] for ask in (ask_console, ask_gdb)]
    assert addresses[0] == addresses[1] and len(set(addresses[0])) == len(commands)
    assert ask_console(file, ["break quoted.c:7 if 'quoted.c'::signal_cores == 5", "run"], ["print a"]) == ["$1 = 3"]


ENTRY = """volatile double sink;
volatile float step = 1.5f;
__attribute__((noinline)) double other(double x)
{
    sink = x;
    return x * 2;
}
__attribute__((noinline)) double passed(double x, float y)
{
    float narrow = (float)x + 1;
    double wide = (double)narrow * 2;
    long long whole = (long long)x;
    int small = (int)x + 1;
    double other_one = other(3.5); /* x's register is the other's now */
    sink = other_one; /* stop */
    return other_one + y;
}
__attribute__((noinline)) void calls(double x)
{
    sink = passed(x, step);
    sink = x;
}
int main(void)
{
    calls(20.75 + step);
    return 0;
}
"""


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_a_value_at_the_entry_has_the_type_that_the_call_says(program, tmp_path, xlen, level):
    """DW_OP_entry_value of a register with a double, which the callee then converts; GDB prints the same."""
    source = tmp_path / "passed.c"
    source.write_text(ENTRY)
    file = program(source, xlen, level)
    described = subprocess.run(["riscv64-unknown-elf-readelf", "--debug-dump=loc", file], capture_output=True, text=True, check=True).stdout
    assert xlen == 32 or re.search(r"entry_value: \(DW_OP_regval_type", described)
    stop, commands = "break passed.c:15", ["info locals", "info args"]
    said, told = ask_console(file, [stop, "run"], commands), ask_gdb(file, [stop, "continue"], commands)
    assert said == told and (xlen == 32 or "narrow = 23.25\nwide = 46.5\nwhole = 22\nsmall = 23\n" in said[0]), said


# ---- names of registers ----

@pytest.mark.parametrize("xlen", [32, 64])
def test_registers_have_the_names_that_gdb_has_for_them(program, xlen):
    """Those of the target description, and GDB's others for these: f10 is fa0, csr832 is mscratch."""
    file, before = program("values", xlen), [f"set var $f{n} = {n}.5" for n in range(32)] + ["set var $mscratch = 77"]
    names = [f"f{n}" for n in range(32)] + [f"x{n}" for n in range(32) if n != 8] + ["fa0", "ft11", "csr832", "mscratch", "csr768", "csr769", "csr1", "fflags"]
    commands = [f"output ${name}" for name in names]
    ours, gdbs = ask_console(file, OURS + before, commands), ask_gdb(file, GDBS + before, commands)
    assert ours == gdbs, [pair for pair in zip(commands, ours, gdbs) if pair[1] != pair[2]]
    assert "void" not in ours and ours[names.index("csr832")] == "77"
    listed = re.findall(r"^ *(\w+) ", ask_gdb(file, GDBS, ["maint print registers"])[0], re.M)[1:]
    assert len(listed) > 70 and not {"void"} & set(ask_console(file, OURS, [f"output ${name}" for name in listed]))


def test_a_message_names_what_it_cannot_have(program):
    """When it is defined, if no register or variable will ever have the name; else where it is to be printed."""
    for name, why in (("$_nosuch", "This device has no $_nosuch"), ("$x99", "there is no register x99"), ("nosuch", 'No symbol "nosuch" in current context.')):
        done = debug(program("values"), f'dprintf stop_here,"%d\\n",{name}')
        assert done.returncode == 1 and why in done.stderr, done.stderr
    done = debug(program("values"), 'dprintf stop_here,"%d\\n",$later', "run")
    assert "Dprintf 1: Value can't be converted to integer." in done.stdout, done.stdout + done.stderr


# ---- types of C++ ----

POINTERS = """
struct S { int m; int f() { return m; } };
typedef int (S::*method_t)(); typedef int S::*member_t; typedef decltype(nullptr) null_t;
struct Q { decltype(nullptr) q; int b; } record = {nullptr, 3};
method_t method = &S::f; int (S::*plain)() = &S::f; member_t member = &S::m, none = 0; null_t nothing = nullptr; decltype(nullptr) nowhere = nullptr;
extern "C" __attribute__((noinline)) member_t give_member() { return &S::m; }
extern "C" __attribute__((noinline)) method_t give_method() { return &S::f; }
int main() { S s = {1}; give_member(); give_method(); return (s.*method)() + (s.*plain)() + s.*member + (none == 0) + record.b + (nothing == nowhere); }
"""


def test_pointers_to_members_and_to_nothing(program, tmp_path):
    """GDB's texts for the former; it has none for C++'s nullptr, whose debug information has a name only (DWARF 5, 5.2)."""
    (tmp_path / "pointers.cpp").write_text(POINTERS)
    file = program(tmp_path / "pointers.cpp", 64, "-O0")
    commands = ["output member", "output method", "output plain", "whatis method", "ptype method", "output none"]
    assert ask_console(file, ["break main", "run"], commands) == ask_gdb(file, ["break main", "continue"], commands)
    said = ask_console(file, ["break main", "run"], ["whatis nowhere", "ptype nowhere", "output nowhere", "output sizeof(nowhere)", "output nowhere == 0",
                                                     "output record", "whatis nothing", "output nothing == nowhere"])
    assert said == ["type = decltype(nullptr)", "type = void *", "(decltype(nullptr)) 0x0", "8", "true", "{q = 0x0, b = 3}", "type = null_t", "true"]
    for function, value in (("give_member", "&S::m"), ("give_method", r"\(int \(S::\*\)\(S \* const\)\) 0x\w+ <S::f\(\)>")):
        said, = ask_console(file, [f"break {function}", "run"], ["finish"])
        assert re.search(rf"Value returned is \$1 = {value}$", said), said
