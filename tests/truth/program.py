"""Random programs for the values harness: an abstract program of statements, of which a dialect takes those that it knows.

A statement is a line of C in which types are the names of a prelude (i8 … u64, f16, f32, f64, v4u, v2f), spaces are macros
(GLOBAL, LOCAL, CONSTANT), and a vector's element is v.s1. It says which names it uses and defines, and what it needs of the dialect
(NEEDS). `program.take()` drops what a dialect lacks, with all that depends on it; the reducer drops statements the same way.

All arithmetic is defined, and the same on each machine: unsigned for integers; floating-point numbers are small multiples of 0.25,
so that no operation rounds.
"""
import dataclasses
import random
import re

ITEMS, BLOCK = 16, 8
CROWDED = frozenset(["crowd"])
CROWD = [(f"crowd{i}", ("u32", "i32", "f32", "i16", "u8")[i // 8 % 5]) for i in range(56)]
# What statements may need of a dialect.
NEEDS = {
    "half": "a 16-bit floating-point type", "double": "doubles that are computed (RV32 calls functions that branch)",
    "bits": "bit fields", "vectors": "vectors with .s1 and swizzles", "cxx": "templates, references, classes with bases",
    "recursion": "recursive functions", "local": "memory of the group", "locals": "two arrays in it",
    "constant": "a table in constant memory", "calls": "functions that are not inlined",
    "wide": "64-bit integers that are computed",
    "own structures": "a function's changes to a structure that it was given by value",
    "lane loops": "loops that lanes leave at different times",
}
INTEGERS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
FLOATS = {"f16": "half", "f32": None, "f64": None}
SCALARS = [*INTEGERS, *FLOATS]


@dataclasses.dataclass
class Text:
    """A piece of C: what it uses, and what it needs."""
    text: str
    uses: frozenset = frozenset()
    needs: frozenset = frozenset()

    def of(self, form, *others):
        """This text, and others, in a form with {}."""
        return Text(form.format(self.text, *(o.text for o in others)), self.uses.union(*(o.uses for o in others)),
                    self.needs.union(*(o.needs for o in others)))


@dataclasses.dataclass
class Value:
    """An expression that can be shown, and its type. `leaf`: a scalar, which other expressions may use."""
    name: str
    type: str
    leaf: bool = False
    set: bool = True
    uses: frozenset = frozenset()
    needs: frozenset = frozenset()
    pointer: bool = False   # its value is an address: other in each run
    field: bool = False     # a bit-field
    form: str = ""          # the letter of `output`; GDB prints vectors of characters as text, or not, by their compiler


@dataclasses.dataclass
class Line:
    """A statement of one line. `shows`: what can be shown once it has run."""
    text: str
    uses: frozenset = frozenset()
    needs: frozenset = frozenset()
    defines: str = None
    shows: tuple = ()
    stays: bool = False     # the reducer leaves it
    number: int = 0


@dataclasses.dataclass
class Block:
    """A statement with others in it: heads[i] comes before bodies[i]; the end after the last."""
    heads: list
    bodies: list
    end: str
    uses: frozenset = frozenset()
    needs: frozenset = frozenset()
    shows: tuple = ()       # in the bodies
    hides: str = ""         # a variable that the body declares anew


@dataclasses.dataclass
class Function:
    """head: the line with its name; args: what can be shown at its first line."""
    name: str
    head: str
    args: tuple
    body: list
    needs: frozenset = frozenset()
    uses: frozenset = frozenset()
    end: int = 0


@dataclasses.dataclass
class Program:
    types: list             # Lines of declarations, outside of functions
    functions: list         # the kernel is the last one


def needs_of(kind):
    need = FLOATS.get(kind)
    return frozenset([need]) if need else frozenset()


class Maker:
    """Makes a program of a seed."""

    def __init__(self, seed, keep=False, block=BLOCK):
        self.keep, self.block = keep, block
        self.random = random.Random(seed)
        self.count = 0
        self.scope = []         # Values
        self.types = []
        self.structures = {}    # name: [(member, kind, length or bits or None)]
        self.functions = []
        self.callable = []      # (name, [parameter kinds], result kind, needs)
        self.given = set()      # structures, by value
        self.depth = 0

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def chance(self, share):
        return self.random.random() < share

    # ---- expressions ----

    def leaves(self, kinds=SCALARS):
        return [v for v in self.scope if v.leaf and v.type in kinds]

    def leaf(self):
        """A number of 32 bits, of a scalar in scope or a constant."""
        leaves = self.leaves()
        if not leaves or self.chance(0.2):
            return Text(f"{self.random.randrange(1, 1 << self.random.choice((4, 12, 31)))}u")
        v = self.random.choice(leaves)
        needs = v.needs | (frozenset(["double"]) if v.type == "f64" else frozenset())
        return Text(f"(u32)(i32){v.name}" if v.type in FLOATS else f"(u32){v.name}", v.uses, needs)

    def bits(self, depth=2):
        """An expression of type u32."""
        if depth == 0 or self.chance(0.2):
            return self.leaf()
        form = self.random.choice(["({} + {})", "({} - {})", "({} * {})", "({} ^ {})", "({} & {})", "({} | {})", "shift", "divide"])
        one = self.bits(depth - 1)
        if form == "shift":
            return one.of("({} %s %du)" % (self.random.choice(("<<", ">>")), self.random.randrange(1, 20)))
        if form == "divide":
            return one.of("({} %s %du)" % (self.random.choice("/%"), self.random.choice((3, 7, 10, 1000, 65537))))
        return one.of(form, self.bits(depth - 1))

    def of(self, kind):
        """An expression of a kind of scalar."""
        if kind in ("i64", "u64"):
            product = self.bits(1).of("(%s)((u64){} * 0x%xull + (u64){})" % (kind, self.random.randrange(1 << 40) | 1), self.bits(1))
            return Text(product.text, product.uses, product.needs | {"wide"})
        if kind in INTEGERS:
            return self.bits().of(f"({kind}){{}}")
        if kind == "f64":
            return self.bits(1).of("F64({})")
        if kind == "f16":
            return self.bits(1).of("(f16)((i32)({} & 0xffu) - 100)")
        if kind == "f32" and self.leaves(["f32"]) and self.chance(0.3):
            v = self.random.choice(self.leaves(["f32"]))
            return Text(f"{v.name} + 0.5f", v.uses, v.needs)
        return self.bits(1).of("(f32)((i32)({} & 0x3fffu) - 5000) * 0.25f")

    def condition(self):
        return self.bits(1).of("(({} >> %du) & 1u) != 0" % self.random.randrange(4))

    def kind(self):
        return self.random.choice(SCALARS)

    # ---- declarations ----

    def line(self, text, defines=None, shows=(), needs=frozenset(), stays=False):
        """A Line of a Text; what it shows is in scope from here on."""
        uses = text.uses
        needs = text.needs | needs
        made = [Value(v.name, v.type, v.leaf, True, frozenset([defines]) if defines else v.uses, v.needs | needs, v.pointer, v.field, v.form) for v in shows]
        self.scope += made
        return Line(text.text, uses, frozenset(needs), defines, tuple(made), stays)

    def scalar(self, letter="a", kind=None):
        kind = kind or self.kind()
        name = self.name(letter)
        return self.line(self.of(kind).of(f"{kind} {name} = {{}};"), name, [Value(name, kind, True)], needs_of(kind))

    def array(self):
        kind, length, name = self.kind(), self.random.randrange(2, 6), self.name("r")
        parts = [self.of(kind) for _ in range(length)]
        text = parts[0].of(f"{kind} {name}[{length}] = {{{{" + ", ".join(["{}"] * length) + "}};", *parts[1:])
        return self.line(text, name, [Value(name, kind + "[]"), *(Value(f"{name}[{i}]", kind, True) for i in range(length))], needs_of(kind))

    def table(self):
        """Two dimensions."""
        kind, name = self.random.choice(list(INTEGERS)), self.name("t")
        parts = [self.of(kind) for _ in range(6)]
        text = parts[0].of(f"{kind} {name}[2][3] = " + "{{{{{}, {}, {}}}, {{{}, {}, {}}}}};", *parts[1:])
        return self.line(text, name, [Value(name, kind + "[]"), Value(f"{name}[1]", kind + "[]"), Value(f"{name}[1][2]", kind, True),
                                      Value(f"{name}[0][1]", kind, True)])

    def members(self, place, structure, pointer=False):
        """Values of the members of a structure at a place."""
        dot = "->" if pointer else "."
        for member, kind, more in self.structures[structure]:
            if kind in self.structures:
                yield Value(f"{place}{dot}{member}", kind)
                yield from self.members(f"{place}{dot}{member}", kind)
            elif isinstance(more, list):
                yield Value(f"{place}{dot}{member}", kind + "[]")
                yield Value(f"{place}{dot}{member}[{more[0] - 1}]", kind, True)
            else:
                yield Value(f"{place}{dot}{member}", kind, True, field=more is not None)

    def structure(self):
        """A type: members, arrays, bit fields, another structure."""
        name, members, needs = f"S{len(self.types)}", [], set()
        for i in range(self.random.randrange(2, 6)):
            kind, more = self.kind(), None
            what = self.random.random()
            if what < 0.2:
                more = [self.random.randrange(2, 5)]
            elif what < 0.35 and self.structures:
                kind = self.random.choice(list(self.structures))
            elif what < 0.6:
                kind = self.random.choice([k for k in INTEGERS if k not in ("i64", "u64")])
                more = self.random.randrange(1, INTEGERS[kind] + 1)
                needs.add("bits")
            needs |= needs_of(kind) | self.type_needs.get(kind, frozenset())
            members.append((f"m{i}", kind, more))
        self.structures[name] = members
        text = " ".join(f"{kind} {m}{f'[{more[0]}]' if isinstance(more, list) else f' : {more}' if more else ''};" for m, kind, more in members)
        self.type_needs[name] = frozenset(needs)
        self.types.append(Line(f"typedef struct {name} {{ {text} }} {name};", frozenset(k for _, k, _ in members if k in self.structures),
                               self.type_needs[name], name))

    type_needs = None

    def union(self):
        name = f"U{len(self.types)}"
        one, two = self.random.sample([k for k in SCALARS if k != "f16"], 2)
        self.unions[name] = [one, two]
        self.types.append(Line(f"typedef union {name} {{ {one} one; {two} two; u8 bytes[8]; }} {name};", frozenset(), frozenset(), name))

    def record(self):
        """A structure's variable: all zero, then each member."""
        kind, name = self.random.choice(list(self.structures)), self.name("s")
        needs = self.type_needs[kind]
        lines = [Line(f"ZEROED({kind}, {name});", frozenset([kind]), needs, name)]
        values = list(self.members(name, kind))
        for v in values:
            if v.leaf and self.chance(0.7):
                text = self.of(v.type)
                lines.append(Line(text.of(f"{v.name} = {{}};").text, text.uses | {name}, text.needs | needs))
        made = [Value(v.name, v.type, v.leaf, True, frozenset([name]), needs | needs_of(v.type), field=v.field) for v in [Value(name, kind), *values]]
        lines[0].shows = tuple(made)
        self.scope += made
        return lines

    def mixed(self):
        """A union's variable."""
        kind, name = self.random.choice(list(self.unions)), self.name("w")
        one, two = self.unions[kind]
        text = self.of("u64")
        # The bytes first: each member then has a value. Floating-point members may be anything but are shown only as bytes.
        lines = [Line(f"ZEROED({kind}, {name});", frozenset([kind]), frozenset(), name)]
        values = [Value(f"{name}.bytes", "u8[]"), Value(f"{name}.bytes[5]", "u8", True)]
        values += [Value(f"{name}.{m}", k, True) for m, k in (("one", one), ("two", two)) if k in INTEGERS]
        made = [Value(v.name, v.type, v.leaf, True, frozenset([name])) for v in values]
        lines[0].shows = tuple(made)
        self.scope += made
        for i in self.random.sample(range(8), 3):
            text = self.of("u8")
            lines.append(Line(text.of(f"{name}.bytes[{i}] = {{}};").text, text.uses | {name}, text.needs))
        return lines

    def pointer(self):
        """A pointer to something in scope: its target is shown, and itself as a difference."""
        name = self.name("p")
        what = self.random.choice(["global", "local", "constant", "array", "scalar", "record"])
        if what == "global":
            text = f"GLOBAL i32 *{name} = in + (id & 7);"
            shows, uses, needs = [Value(f"*{name}", "i32", True), Value(f"{name}[2]", "i32", True), Value(f"{name} - in", "i64")], {"in"}, set()
        elif what == "local":
            tiles = [v for v in self.scope if v.name.startswith("tile") and v.leaf]
            if not tiles:
                return self.scalar()
            tile = self.random.choice(tiles)
            text = f"LOCAL {tile.type} *{name} = &{tile.name};"
            shows, uses, needs = [Value(f"*{name}", tile.type, True)], tile.uses, {"local"}
        elif what == "constant":
            text = f"CONSTANT i32 *{name} = table + (id & 1);"
            shows, uses, needs = [Value(f"*{name}", "i32", True), Value(f"{name}[1]", "i32", True), Value(f"{name} - table", "i64")], {"table"}, {"constant"}
        elif what == "record":
            records = [v for v in self.scope if v.type in self.structures and "->" not in v.name and "*" not in v.name and v.name.isalnum()]
            if not records:
                return self.scalar()
            v = self.random.choice(records)
            text = f"{v.type} *{name} = &{v.name};"
            shows = [Value(f"*{name}", v.type), *self.members(name, v.type, True)]
            uses, needs = v.uses, set(v.needs)
        else:
            found = [v for v in self.leaves() if ("[" in v.name) == (what == "array") and v.name.replace("[", "").replace("]", "").isalnum()
                     and v.name[0] in "ra"]
            if not found:
                return self.scalar()
            v = self.random.choice(found)
            text = f"{v.type} *{name} = &{v.name};"
            shows, uses, needs = [Value(f"*{name}", v.type, True)], v.uses, set(v.needs)
        return self.line(Text(text, frozenset(uses), frozenset(needs)), name, [*shows, Value(name, "pointer", pointer=True)])

    def vector(self):
        kind, length, name = self.random.choice(["u32", "f32", "i16", "u8", "f64"]), self.random.choice([2, 3, 4]), self.name("v")
        parts = [self.of(kind) for _ in range(length)]
        form = "/d " if kind == "u8" else ""
        text = parts[0].of(f"v{length}{kind} {name} = VECTOR(v{length}{kind}, " + ", ".join(["{}"] * length) + ");", *parts[1:])
        return self.line(text, name, [Value(name, "vector", form=form), *(Value(f"{name}.s{i}", kind, True, form=form) for i in range(length))],
                         {"vectors", *(["swizzles"] if length == 3 else []), *(["wide vectors"] if kind == "f64" and length > 2 else [])})

    def swizzle(self):
        """Some elements of a vector of one from another."""
        vectors = [v for v in self.scope if v.type == "vector" and v.name.isalnum()]
        if not vectors:
            return self.vector()
        v = self.random.choice(vectors)
        return Line(f"{v.name}.xy = {v.name}.yx;", v.uses, frozenset(["swizzles"]))

    # ---- statements ----

    def change(self):
        """An assignment to a scalar or an element."""
        leaves = [v for v in self.leaves() if v.name not in ("id", "n") and "*" not in v.name and not v.name.startswith(("p", "c", "in", "out", "tile", "table"))
                  and v.type not in self.fixed and v.name not in self.fixed]
        if not leaves:
            return self.scalar()
        v = self.random.choice(leaves)
        text = self.of(v.type)
        own = frozenset(["own structures"]) if v.uses & self.given else frozenset()
        return Line(text.of(f"{v.name} = {{}};").text, text.uses | v.uses, text.needs | v.needs | own)

    def inner(self, size):
        """Statements in a block of their own: what they define ends with it."""
        mark, self.depth = len(self.scope), self.depth + 1
        made = self.statements(size)
        del self.scope[mark:]
        self.depth -= 1
        return made

    def branch(self):
        condition = self.condition()
        heads, bodies = [condition.of("IF ({})").text], [self.inner(2)]
        if self.chance(0.6):
            heads.append("ELSE")
            bodies.append(self.inner(2))
        return Block(heads, bodies, "END", condition.uses, condition.needs)

    def loop(self):
        name, lane = self.name("j"), self.chance(0.4)
        v = Value(name, "i32", True, uses=frozenset([name]))
        if lane:
            head, end, needs = f"LANE_LOOP ({name}, (id & 3) + 1)", "LANE_END", frozenset(["lane loops"])
        else:
            head, end, needs = f"for (i32 {name} = 0; {name} < {self.random.randrange(1, 4)}; {name}++) {{", "}", frozenset()
        self.scope.append(v)
        self.fixed.add(name)
        body = self.inner(2)
        self.scope.remove(v)
        return Block([head], [body], end, frozenset(["id"]), needs, (v,))

    def shadow(self):
        """A block with a variable that has an outer one's name."""
        outer = [v for v in self.scope if v.leaf and v.name.isalnum() and v.name[0] == "a"]
        if not outer:
            return self.branch()
        v = self.random.choice(outer)
        kind = self.kind()
        text = self.of(kind)
        inner = Value(v.name, kind, True, True, v.uses, needs_of(kind) | v.needs)
        # Its initial value uses no variable of that name.
        while v.uses & text.uses:
            text = Text("1u") if kind in INTEGERS else Text("2")
        if kind in FLOATS:
            text = Text("3")
        line = Line(f"{kind} {v.name} = {text.text};", text.uses | v.uses, text.needs | needs_of(kind) | v.needs, None, (inner,))
        mark, self.depth = list(self.scope), self.depth + 1
        self.scope = [w for w in self.scope if not w.uses & v.uses] + [inner]
        body = [line, *self.statements(2)]
        self.scope, self.depth = mark, self.depth - 1
        return Block(["{"], [body], "}", v.uses, frozenset(), (), v.name)

    def call(self):
        if not self.callable:
            return self.scalar()
        function, parameters, result, needs = self.random.choice(self.callable)
        arguments, uses, more = ["id"], {"fn:" + function.split("<")[0], "id"}, set(needs)
        for kind in parameters:
            if kind in SCALARS:
                text = self.of(kind)
            elif kind == "depth":
                text = Text(str(self.random.randrange(1, 4)))
            else:
                base = kind.rstrip("*&")
                found = [v for v in self.scope if v.type == base and v.name.isalnum()]
                if not found:
                    return self.scalar()
                v = self.random.choice(found)
                text = Text(("&" if kind[-1] == "*" else "") + v.name, v.uses, v.needs)
            arguments.append(text.text)
            uses |= text.uses
            more |= text.needs
        name = self.name("a")
        return self.line(Text(f"{result} {name} = {function}({', '.join(arguments)});", frozenset(uses), frozenset(more)), name,
                         [Value(name, result, True)], needs_of(result))

    def copies(self):
        """Two more calls of a function that is inlined: a line has several places then."""
        known, scope, self.scope = self.callable, self.scope, list(self.scope)
        rng, self.random = self.random, random.Random(self.count)
        self.callable = [c for c in known if any(f.name == c[0].split("<")[0] and "INLINE" in f.head for f in self.functions)][-1:]
        made = [self.call(), self.call()] if self.callable else []
        self.callable, self.scope, self.random = known, scope, rng
        return made

    def crowd(self):
        """Declarations of more variables than there are registers, all alive until the end; each eighth is shown. The choices do not depend on it."""
        made = []
        for first in range(0, len(CROWD), 8):
            some = CROWD[first:first + 8]
            declared = [f"{kind} {name} = ({kind})(in[(id * {2 * i + 1} + {i}) & {ITEMS - 1}] * {i + 3})" for i, (name, kind) in enumerate(some, first)]
            made += [Line(f"{text};", frozenset(["in", "id"]), CROWDED, "crowd",
                          (Value(some[0][0], some[0][1], True, uses=frozenset(["crowd"]), needs=CROWDED),) if i == 0 else (), True)
                     for i, text in enumerate(declared)]
        return made

    def neighbours(self):
        """Bit-fields beside each other, in a member, in an array's element and in a base class, and what is written to one of them after the other. The
        choices do not depend on it."""
        rng, made = random.Random(self.count), []
        self.types += [Line("typedef struct FA { u32 a : 5; i32 b : 11; u32 c : 16; i32 d : 30; i16 e; } FA;", frozenset(), frozenset(["bits"]), "FA"),
                       Line("typedef struct FB { u8 pad; FA in; FA two[2]; } FB;", frozenset(["FA"]), frozenset(["bits"]), "FB"),
                       Line("struct FC : FA { u8 f : 3; u8 g : 5; FA inner; };", frozenset(["FA"]), frozenset(["bits", "cxx"]), "FC")]
        for name, kind, fields in (("s901", "FB", ("in.a", "in.b", "two[1].a", "two[1].c", "two[1].b", "in.d")), ("s902", "FC", ("a", "b", "f", "g", "inner.b", "inner.c"))):
            needs = frozenset(["bits", "cxx"] if kind == "FC" else ["bits"])
            values = tuple(Value(f"{name}.{f}", "u8" if f in "fg" else "i32" if f[-1] in "bd" else "u32", True, True, frozenset([name]), needs, field=True) for f in fields)
            made.append(Line(f"ZEROED({kind}, {name});", frozenset([kind]), needs, name, (*values, Value(name, kind, uses=frozenset([name]), needs=needs))))
            made += [Line(f"{name}.{rng.choice(fields)} = {'-' if rng.random() < 0.5 else ''}(i32)((u32)id * {rng.randrange(99)}u + {rng.randrange(1, 5000)}u);",
                          frozenset([name, "id"]), needs) for _ in range(6)]
        return made

    def statements(self, size):
        made = []
        while len(made) < size:
            ways = [self.scalar] * 4 + [self.change] * 5 + [self.array, self.table, self.record, self.mixed, self.pointer, self.pointer, self.vector,
                                                            self.swizzle, self.call, self.call, self.call]
            if self.depth < 2:
                ways += [self.branch, self.branch, self.loop, self.shadow]
            one = self.random.choice(ways)()
            made += one if isinstance(one, list) else [one]
        return made

    # ---- functions ----

    def function(self):
        kind = self.random.choice(["plain", "plain", "inline", "inline", "recursive", "pointer", "value", "template", "reference"])
        name = self.name("g")
        outer, self.scope = self.scope, []
        fixed, self.fixed = self.fixed, set()
        needs, uses, parameters = set(), set(), []
        result = self.random.choice(["i32", "u32", "i16", "u64", "f32"])
        self.scope.append(Value("id", "i32", True, uses=frozenset(["id"])))
        written = ["i32 id"]

        def parameter(kind, text=None):
            p = self.name("b")
            parameters.append(kind)
            written.append(f"{text or kind} {p}")
            return p

        prefix = {"inline": "INLINE", "recursive": "RECURSIVE"}.get(kind, "CALLED")
        if kind == "template":
            needs.add("cxx")
            types = self.random.sample(["u32", "i16", "f32", "u64"], 2)
            prefix = f"template <typename T> {prefix}"
            p = parameter("T")
            self.scope.append(Value(p, "opaque", uses=frozenset([p])))
        elif kind == "recursive":
            needs.add("recursion")
            p = parameter("depth", "i32")
            self.scope.append(Value(p, "i32", True, uses=frozenset([p])))
            self.fixed.add(p)
        elif kind in ("pointer", "value", "reference"):
            base = self.random.choice(list(self.structures))
            needs |= self.type_needs[base] | ({"cxx"} if kind == "reference" else set())
            uses.add(base)
            mark = {"pointer": "*", "reference": "&", "value": ""}[kind]
            p = parameter(base + mark, f"{base} {mark}" if mark else None)
            if kind == "pointer":
                values = [Value(p, "pointer", pointer=True), Value(f"*{p}", base), *self.members(p, base, True)]
            else:
                values = [Value(p, base), *self.members(p, base)]
                self.given |= {p} if kind == "value" else set()
            for v in values:
                v.uses, v.needs = frozenset([p]), v.needs | needs_of(v.type) | self.type_needs[base]
            self.scope += values
        for _ in range(self.random.randrange(3)):
            more = self.kind()
            needs |= needs_of(more)
            p = parameter(more)
            self.scope.append(Value(p, more, True, uses=frozenset([p]), needs=needs_of(more)))
        if prefix == "CALLED" or "CALLED" in prefix:
            needs.add("calls")
        args = tuple(self.scope)
        first = self.of(result)
        self.scope.append(Value("r", result, True, uses=frozenset(["r"])))
        # Its result has no need of its own: it stays in each dialect.
        body = [Line(f"{result} r = ({result})id;", frozenset(["id"]), frozenset(), "r", (Value("r", result, True, uses=frozenset(["r"])),), True)]
        body += self.statements(self.random.randrange(2, 6))
        last = self.of(result)
        body.append(Line(f"r = {last.text};", last.uses | {"r"}, last.needs))
        if self.keep and result != "f32":
            body += self.used("r", result)
        if kind == "recursive":
            depth = parameters.index("depth") + 1
            others = ", ".join([w.split()[-1] for w in written[:depth]] + [f"{written[depth].split()[-1]} - 1"] + [w.split()[-1] for w in written[depth + 1:]])
            again = f"r = r + {name}({others});" if result == "f32" else f"r = ({result})((u64)r + (u64){name}({others}));"
            body.append(Block([f"if ({written[depth].split()[-1]} > 0) {{"], [[Line(again, frozenset(["r"]), frozenset())]], "}"))
        body.append(Line("return r;", frozenset(["r"]), frozenset(), None, (), True))
        head = f"{prefix} {result} {name}({', '.join(written)})"
        self.functions.append(Function(name, head, args, body, frozenset(needs), frozenset(uses)))
        self.scope, self.fixed = outer, fixed
        if kind == "template":
            for t in types:
                self.callable.append((f"{name}<{t}>", [t if p == "T" else p for p in parameters], result, frozenset(needs)))
        else:
            self.callable.append((name, parameters, result, frozenset(needs)))

    def used(self, target, kind):
        """Statements that use each variable of the outermost block at its end, so that an optimiser keeps it."""
        seen, made = set(), []
        for v in reversed(self.scope):
            if v.leaf and v.type not in ("f64",) and v.uses and not v.uses & seen and len(made) < 8:
                seen |= v.uses
                value = f"(u32)(i32){v.name}" if v.type in FLOATS else f"(u32){v.name}"
                made.append(Line(f"{target} = ({kind})((u32){target} + {value});", v.uses | {"id"}, v.needs))
        return made

    def kernel(self):
        self.scope = [Value("in", "pointer", pointer=True, uses=frozenset(["in"])), Value("out", "pointer", pointer=True, uses=frozenset(["out"])),
                      Value("n", "i32", True, uses=frozenset(["n"])), Value("*in", "i32", True, uses=frozenset(["in"])),
                      Value("in[n]", "i32", True, uses=frozenset(["in"])), Value("table", "i32[]", uses=frozenset(["table"]), needs=frozenset(["constant"])),
                      Value("table[2]", "i32", True, uses=frozenset(["table"]), needs=frozenset(["constant"]))]
        args = tuple(self.scope)
        identity = Value("id", "i32", True, uses=frozenset(["id"]))
        body = []
        tiles = []
        for i in range(self.random.choice([1, 1, 2])):
            tile = f"tile{i}"
            kind = self.random.choice(["i32", "i32", "u64", "u8"])
            body.append(Line(f"LOCAL_ARRAY({kind}, {tile}, {self.block});", frozenset(), frozenset(["local"] if i == 0 else ["local", "locals"]), tile, (), False))
            tiles.append((tile, kind))
        body.append(Line("i32 id = ITEM;", frozenset(), frozenset(), "id", (identity,), True))
        body += self.crowd()
        self.scope.append(identity)
        for tile, kind in tiles:
            text, own = self.of(kind), f"{tile}[id & {self.block - 1}]"
            v = Value(own, kind, True, uses=frozenset([tile]), needs=frozenset(["local"]))
            body.append(Line(f"{own} = {text.text};", text.uses | {tile, "id"}, text.needs | {"local"}, None, (v,)))
            self.scope.append(v)
        body += self.statements(self.random.randrange(10, 18))
        if not self.keep:
            body += self.copies()
            body += self.neighbours()
        text = self.of("i32")
        body.append(Line(f"out[id] = {text.text};", text.uses | {"out", "id"}, text.needs, None, (Value("out[id]", "i32", True, uses=frozenset(["out"])),)))
        if self.keep:
            body += self.used("out[id]", "i32")
        body.append(Line(f"out[id] = (i32)((u32)out[id] + {' + '.join(f'(u32)(i32)({name} * ({kind})3)' for name, kind in CROWD)});",
                         frozenset(["out", "id", "crowd"]), CROWDED, None, (), True))
        body.append(Line("out[id] = out[id] + table[1];", frozenset(["out", "id", "table"]), frozenset(["constant"]), None, (), True))
        body.append(Line("out[id] = out[id] + 1;", frozenset(["out", "id"]), frozenset(), None, (), True))
        self.functions.append(Function("k", "KERNEL", args, body))

    def make(self):
        self.type_needs, self.unions, self.fixed = {}, {}, set()
        self.types.append(Line("CONSTANT_TABLE i32 table[4] = {17, -5, 70000, 3};", frozenset(), frozenset(["constant"]), "table"))
        for _ in range(self.random.randrange(1, 4)):
            self.structure()
        self.union()
        for _ in range(self.random.randrange(2, 5)):
            self.function()
        self.kernel()
        return Program(self.types, self.functions)


def make(seed, keep=False, block=BLOCK):
    """keep: the program's result depends on each variable. block: the work-items of a group."""
    return Maker(seed, keep, block).make()


# ---- what a dialect takes of it ----

def kept(body, scope, features, gone):
    """The statements of a body that have what they use."""
    scope, made = set(scope), []
    for one in body:
        if id(one) in gone or not one.needs <= features or not one.uses <= scope:
            continue
        if isinstance(one, Block):
            inner = scope | {v.name for v in one.shows}
            bodies = [kept(b, inner, features, gone) for b in one.bodies]
            if any(bodies) and not (one.hides and not any(line.text == one.bodies[0][0].text for line in bodies[0][:1] if isinstance(line, Line))):
                made.append(dataclasses.replace(one, bodies=bodies))
            continue
        if one.defines:
            scope.add(one.defines)
        made.append(dataclasses.replace(one))
    return made


def called(body):
    for one in body:
        yield from (u for u in one.uses if u.startswith("fn:"))
        for inner in getattr(one, "bodies", ()):
            yield from called(inner)


def take(program, features, gone=frozenset()):
    """The program without what needs other features, without the statements `gone` (by id()), and without functions that nobody calls."""
    features = frozenset(features)
    known, types, functions = set(), [], []
    for one in program.types:
        if one.needs <= features and one.uses <= known:
            known.add(one.defines)
            types.append(one)
    for f in program.functions:
        if f.needs <= features and f.uses <= known:
            scope = known | ({"id"} if f.name != "k" else {"in", "out", "n"})
            body = kept(f.body, scope | {u for v in f.args for u in v.uses if u not in ("table",)}, features, gone)
            functions.append(dataclasses.replace(f, body=body))
            known.add("fn:" + f.name)
    used, live = {"fn:k"}, []
    for f in reversed(functions):
        if "fn:" + f.name in used:
            live.insert(0, f)
            used |= set(called(f.body))
    return Program(types, live)


def statements(program):
    """All statements that the reducer may drop."""
    def inside(body):
        for one in body:
            if not getattr(one, "stays", False):
                yield one
            for inner in getattr(one, "bodies", ()):
                yield from inside(inner)
    return [one for f in program.functions for one in inside(f.body)]


# ---- its text ----

@dataclasses.dataclass
class Place:
    """What a line of the text shows, before it has run, in its function."""
    function: str
    shows: list
    exact: bool = True      # each work-item stops here on each machine as often; not at closing braces
    returns: bool = False   # `return r;` of a function that is called
    inlined: bool = False


def text(program, first, features):
    """(lines, {line: Place}, {function: its last line}): the program's text from line `first` on."""
    lines, places, ends = [], {}, {}
    features = frozenset(features)

    def add(line, indent=0):
        lines.append("    " * indent + line)
        return first + len(lines) - 1

    def print_body(f, body, scope, indent):
        scope = list(scope)
        for one in body:
            if isinstance(one, Block):
                for head, inner in zip(one.heads, one.bodies):
                    add(head, indent)
                    print_body(f, inner, [v for v in scope if not one.hides or not hides(one.hides, v.name)] + list(one.shows), indent + 1)
                add(one.end, indent)
                continue
            number = add(one.text, indent)
            if not one.text.startswith("LOCAL_ARRAY"):
                places[number] = Place(f.name, [v for v in scope if v.needs <= features],
                                       returns=one.text == "return r;" and "INLINE" not in f.head, inlined="INLINE" in f.head)
            scope = [v for v in scope if not any(w.name == v.name for w in one.shows)]
            if one.text.split(" = ")[0].count(" ") == 1 and not one.text.startswith("ZEROED"):    # a declaration: an outer variable of that name is hidden
                name = one.text.split(" = ")[0].split()[1].lstrip("*")
                scope = [v for v in scope if not hides(name, v.name)]
            scope += one.shows
        return scope

    for one in program.types:
        add(one.text)
    add("")
    for f in program.functions:
        add(f.head)
        add("{")
        scope = print_body(f, f.body, [v for v in f.args], 1)
        ends[f.name] = add("}")
        if not f.head.startswith("INLINE"):
            places[ends[f.name]] = Place(f.name, [v for v in scope if v.needs <= features], exact=False, returns=f.name != "k")
        add("")
    return lines, places, ends


def hides(name, shown):
    """Is a shown expression one of the variable of this name?"""
    return name in re.findall(r"[a-z]\w*", shown)
