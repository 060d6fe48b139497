"""Functions that return values of many types, and what `finish` says of each beside what the program stores of it."""
import re

# name: (members, value in x) of structures; `double` and bit fields are left out where a dialect has none
STRUCTURES = {
    "one_float": ("float f;", "x * 0.5f"), "two_floats": ("float a, b;", "x * 0.5f, -1"), "floats": ("float f[2];", "{x * 0.5f, -1}"),
    "three_floats": ("float a, b, c;", "1, x, 3"), "float_int": ("float f; int i;", "x * 0.5f, -x"), "int_float": ("short s; float f;", "-x, 0.5f"),
    "one_double": ("double d;", "2.5"), "two_doubles": ("double a, b;", "1.5, 2.5"), "float_double": ("float a; double b;", "x * 0.5f, 2.5"),
    "bits": ("int a : 5; int b : 9;", "-x, x"), "bits_float": ("int a : 5; float b;", "3, x"), "nested": ("struct { char a; short b; } in; int c;", "{x, -x}, 5"),
    "mixed": ("char a; int b; double c;", "x, -x, 2.5"), "shorts": ("short a[5];", "{x, 1, 2, 3, 4}"), "odd": ("short a; char b, c; int d; short e;", "x, 2, 3, 4, 5"),
    **{f"bytes{n}": (f"char b[{n}];", "{x, " + ", ".join(str(7 * k % 100) for k in range(1, n)) + "}") for n in (1, 3, 5, 8, 9, 16, 17, 33, 64, 65)},
    **{f"words{n}": (f"int b[{n}];", "{x, " + ", ".join(str(-7 * k) for k in range(1, n)) + "}") for n in (1, 2, 3, 4, 5, 16)}}
# name: (members, value in x, whether it is returned in memory whatever its size) of classes of C++. D stands before functions.
CLASSES = {
    "simple": ("int a, b;", "simple{x, -x}", False),
    "defaulted": ("int a, b; D defaulted(int x) : a(x), b(-x) {} defaulted(const defaulted &) = default; ~defaulted() = default;", "defaulted(x)", False),
    "movable": ("int a, b; D movable(int x) : a(x), b(-x) {} movable(const movable &) = delete; movable(movable &&) = default;", "movable(x)", False),
    "gap": ("int a, f[0], b;", "gap{x, {}, -x}", False),
    "general": ("int a, b; template <class T> D general(const T &t) : a(t), b(-t) {}", "general(x)", False),
    "copied": ("int a, b; D copied(int x) : a(x), b(-x) {} D copied(const copied &o) : a(o.a), b(o.b) {}", "copied(x)", True),
    "moved": ("int a, b; D moved(int x) : a(x), b(-x) {} D moved(moved &&o) : a(o.a), b(o.b) {}", "moved(x)", True),
    "destroyed": ("int a; D destroyed(int x) : a(x) {} D ~destroyed() { a = 0; }", "destroyed(x)", True),
    "outside": ("int a, b; D outside(int x) : a(x), b(-x) {} D outside(const outside &);", "outside(x)", True),
    "fixed": ("int a, b; D fixed(int x) : a(x), b(-x) {} fixed(const fixed &) = delete;", "fixed(x)", True),
    "assigned": ("int a; D assigned(int x) : a(x) {} D assigned &operator=(assigned &&o) { a = o.a; return *this; }", "assigned(x)", True),
    "dynamic": ("int a; D dynamic(int x) : a(x) {} D virtual int f() { return a; }", "dynamic(x)", True),
    "derived : copied": ("D derived(int x) : copied(x) {}", "derived(x)", True),
    "holder": ("destroyed d[1]; int c;", "holder{{x}, 2}", True)}
SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8, "half": 2}


def listed(lacks=(), **more):
    """[(name, type, value in x)]: numbers, structures, a union; then `more`, {type: value}. lacks: words that no type has."""
    made = [("character", "char", "'a' + x"), ("number", "short", "-x"), ("big", "unsigned", "4000000000u + x"), ("wide", "long", "x - 7"), ("real", "float", "x * 0.25f"),
            ("precise", "double", "2.5"), ("colour", "enum colour", "BLUE")]
    made += [(name, f"struct {name}", f"{{{value}}}") for name, (_, value) in STRUCTURES.items()] + [("either", "union either", "{x}")]
    return [one for one in made + [(name, name, value) for name, value in more.items()]
            if not any(word in one[1] + STRUCTURES.get(one[0], ("",))[0] for word in lacks)]


def vectors(form, types, counts):
    """{type: value}. form: of a value, with {0}, its type, and {1}, its elements."""
    return {f"{t}{n}": form.format(f"{t}{n}", ", ".join(f"({t})({'x' if not i else i + 2})" for i in range(n))) for t in types for n in counts}


def source(types, device, kernel, end, prelude="", item="x"):
    """A program: a function for each type, and calls of all of them, each with a variable that it stores. device: what stands before functions."""
    names = {name for name, _, _ in types}
    text = prelude + "enum colour { RED, GREEN, BLUE };\nunion either { int i; float f; };\n"
    text += "".join(f"struct {name} {{ {members} }};\n" for name, (members, _) in STRUCTURES.items() if name in names)
    text += "".join(f"{device} {type_} get_{name}(int x)\n{{\n    {type_} r = {value};\n    return r;\n}}\n" for name, type_, value in types)
    return text + kernel + "".join(f"    {type_} v_{name} = get_{name}({item});\n    sink += *(char *)&v_{name};\n" for name, type_, _ in types) + end


def classes(device, kernel, end, prelude="", item="x"):
    """(types, those in memory, a program) of classes of C++, and a reference."""
    names = {name: name.split()[0] for name in CLASSES}
    types = [(names[name], names[name], value) for name, (_, value, _) in CLASSES.items()] + [("reference", "int &", "numbers[x & 7]")]
    text = prelude + "".join(f"struct {name} {{ {members.replace('D ', device + ' ')} }};\n" for name, (members, _, _) in CLASSES.items())
    text += f"inline {device} outside::outside(const outside &) = default;\n"
    text += "".join(f"{device} __attribute__((noinline)) {type_} get_{name}(int x)\n{{\n    return {value};\n}}\n" for name, type_, value in types)
    text += kernel + "".join(f"    {type_} v_{name} = get_{name}({item});\n    sink += *(char *)&v_{name};\n" for name, type_, _ in types) + end
    return types, [names[name] for name, (_, _, in_memory) in CLASSES.items() if in_memory], text


def commands(types, lane):
    names = [name for name, _, _ in types]
    return ["set print elements 0", *(f"tbreak get_{name}" for name in names), "run",
            *(word for name in names for word in ("echo @@\\n", lane, "finish", "next", f"print v_{name}", "continue"))]


def check(types, said, unknown):
    """Each value is what the program then stores; or it is said not to be known, which are exactly those of `unknown`."""
    said = said.split("@@\n")[1:]
    assert len(said) == len(types), said[-1:]
    missing, wrong = set(), []
    for (name, _, _), text in zip(types, said):
        value, stored = re.search(r"^Value returned is (?:\$\d+ = (.*)|not known)", text, re.M), re.findall(r"^\$\d+ = (.*)$", text, re.M)
        if value and value[1] is None:
            missing.add(name)
        if not value or not stored or value[1] not in (None, stored[-1]) or "<damaged" in text:
            wrong.append(f"{name}: {text}")
    assert not wrong, "\n".join(wrong)
    assert missing == set(unknown)
