"""`trace --events`: what orders accesses is what the program's instructions do.

Random kernels with barriers, fences and waves that end early are compiled for gfx900, the SM and Gen9. A model executes the trace: which
group a wave is of follows from what it stores, and barriers, fences, waits and ends from the instructions. On Vortex, whose barriers name
their count in a register, the model follows the registers that the trace shows."""
import os
import random
import re
import subprocess

import pytest

from conftest import EXAMPLES
from test_accesses import ISSUE as VORTEX_ISSUE
from test_accesses import build, lanes_of, read_record, trace, written

ISSUE = re.compile(r" *(\d+) \S+ (\d+) \S+ (\d+) 0x([0-9a-f]+) [0-9a-f]+: ((?:[0-9a-f]{8,} )*)(.*?)(?:  # .*)?$")
EVENT = re.compile(r" +(?:group (?P<group>\d+) of )?(?:dispatch (?P<dispatch>\d+) |\S+ (?P<core>\d+) \S+ (?P<slot>\d+): )(?P<what>.*)$")
LANES = r"\w+ ([\d,-]+)"
GROUP, GROUPS = 256, 3
TEXTS = [("barrier", r"s_barrier|(bar|barrier)(\.cta)?\.sync"), ("end", r"s_endpgm|(ret|exit);?$"), ("wait", "s_waitcnt"),
         ("fence", "buffer_wbinvl1|membar|fence")]


def kind_of(insn):
    """What an instruction is, by its text; of Gen9's messages by their descriptors (Skylake PRM, "Send Message")."""
    send = re.search(r"send\S* .* 0x([0-9A-F]+) +0x([0-9A-F]+)", insn)
    if send:
        more, message = int(send[1], 16), int(send[2], 16)
        target = more & 15
        return ("end" if more & 32 or "EOT" in insn else "barrier" if target == 3 and message & 7 == 4
                else "fence" if target == 10 and message >> 14 & 31 == 7 else None)
    return next((kind for kind, text in TEXTS if re.match(text, insn)), None)


# ---- random kernels ----

def source(rng):
    """Statements that all work-items of a group execute, but for waves that end early: those whose work-items are the last ones."""
    lines, left = [], GROUP
    for n in range(rng.randrange(5, 12)):
        kind = rng.choice(["barrier", "barrier", "fence", "store", "end", "branch"])
        if kind == "barrier":
            lines.append(f"    barrier({rng.choice(['CLK_LOCAL_MEM_FENCE', 'CLK_GLOBAL_MEM_FENCE'])});\n")
        elif kind == "fence":
            lines.append("    mem_fence(CLK_GLOBAL_MEM_FENCE);\n")
        elif kind == "store":
            lines.append(f"    box[(item + {n}) % {GROUP}] = item; out[id] += {n};\n")
        elif kind == "branch":
            lines.append(f"    if (item % {rng.randrange(2, 9)} == 1) out[id] ^= {n};\n")
        elif left > 128:
            left -= 64
            lines.append(f"    if (item >= {left}) return;\n")
    return ("kernel void k(volatile global int *out, volatile global int *mark)\n{\n"
            f"    volatile local int box[{GROUP}];\n    int id = get_global_id(0), item = get_local_id(0);\n    mark[id] = id;\n    box[item] = id;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    out[id] = box[item ^ 1];\n"
            + "".join(lines) + "}\n")


def read(lines):
    """[(issue, [events])]: an issue is (core, slot, mask, text, [records]); the first one, None, has the events before it."""
    made = [(None, [])]
    for line in lines:
        record, event = read_record(line), EVENT.fullmatch(line)
        if record:
            made[-1][0][4].append(record)
        elif event:
            made[-1][1].append(event.groupdict())
        else:
            found = ISSUE.fullmatch(line)
            made.append(((int(found[2]), int(found[3]), int(found[4], 16), found[6].strip(), []), []))
    return made


def place(event):
    return int(event["core"]), int(event["slot"])


# ---- the model ----

class Model:
    """Barriers of groups, in waves or (`by_lane`) in work-items."""

    def __init__(self, waves, by_lane):
        self.group = dict(waves)        # (core, slot): group
        self.live = {}                  # group: {wave: lanes}
        self.waits = {}                 # group: {wave: lanes that have arrived}
        self.by_lane = by_lane

    def begins(self, wave, lanes):
        self.live.setdefault(self.group[wave], {})[wave] = set(lanes)

    def opens(self, group):
        """{wave: lanes} that go on, if all have arrived."""
        waits, live = self.waits.get(group, {}), self.live[group]
        full = {wave: lanes if self.by_lane else True for wave, lanes in live.items()}
        here = {wave: lanes if self.by_lane else True for wave, lanes in waits.items()}
        if not waits or here != full:
            return {}
        self.waits[group] = {}
        return waits

    def arrives(self, wave, lanes):
        group = self.group[wave]
        self.waits.setdefault(group, {}).setdefault(wave, set()).update(lanes)
        return self.opens(group)

    def ends(self, wave, lanes):
        """(whether the wave has ended, whether its group has, who goes on from a barrier)"""
        group = self.group[wave]
        live = self.live[group][wave]
        live -= set(lanes)
        if live and self.by_lane:
            return False, False, self.opens(group)
        del self.live[group][wave]
        return True, not self.live[group], self.opens(group) if self.live[group] else {}


def groups_of(issues):
    """{(core, slot): group} from the first store of each wave."""
    first = {}
    for issue, _ in issues[1:]:
        for kind, size, space, _, at in issue[4]:
            if kind == "store" and space == "global":
                first.setdefault(issue[:2], at[0])
    base = min(first.values())
    return {wave: (at - base) // 4 // GROUP for wave, at in first.items()}


def summary(events):
    """Events as sets that can be compared: which lanes of which wave arrive, go on; who begins and ends."""
    made = []
    for e in events:
        what = re.fullmatch(rf"(?:begins with )?{LANES}(?: (arrive at|leave) barrier (\d+) of the group)?", e["what"])
        if what and what[2]:
            made.append(("arrives" if what[2] == "arrive at" else "goes on", place(e), tuple(lanes_of(what[1]))))
        elif what:
            made.append(("begins", place(e), tuple(lanes_of(what[1]))))
        elif e["what"] in ("begins", "ends"):
            made.append((e["what"], place(e) if e["core"] else ("group", int(e["group"])) if e["group"] else "dispatch"))
        else:
            made.append((e["what"].split(" of ")[0].split(" for ")[0], place(e)))
    return made


def tuple_of(lanes):
    return tuple(sorted(lanes))


@pytest.mark.parametrize("gpu", ["gfx900", "sm", "gen9"])
@pytest.mark.parametrize("seed", range(3 if not os.environ.get("WAVETRAP_FULL") else 60))
def test_events_are_those_of_the_instructions(gpu, seed, tmp_path):
    rng = random.Random(seed)
    text = source(rng)
    file = build(gpu, text, tmp_path)
    issues = read(trace("--events", "-g", gpu, "--kernel=k", f"--grid={GROUPS * GROUP}", f"--block={GROUP}", f"--arg=zeros:{4 * GROUPS * GROUP}",
                        f"--arg=zeros:{4 * GROUPS * GROUP}", file))
    groups, by_lane = groups_of(issues), gpu == "sm"
    model, began, ended, opened = Model(groups, by_lane), set(), 0, 0
    for issue, events in issues:
        got = summary(events)
        if issue is None:
            # All groups have room at once, so they are there before the first instruction.
            assert got[:1 + GROUPS] == [("begins", "dispatch"), *(("begins", ("group", n)) for n in range(GROUPS))], got
            for what, who, lanes in got[1 + GROUPS:]:
                assert what == "begins"
                model.begins(who, lanes)
                began.add(who)
            assert began == set(groups)
            continue
        core, slot, mask, insn, _ = issue
        wave, lanes = (core, slot), [n for n in range(64) if mask >> n & 1]
        wanted = []
        kind = kind_of(insn)
        if kind == "barrier":
            goes = model.arrives(wave, lanes)
            wanted = [("arrives", wave, tuple_of(lanes)), *(("goes on", who, tuple_of(of)) for who, of in goes.items())]
            opened += bool(goes)
        elif kind == "end":
            wave_ends, group_ends, goes = model.ends(wave, lanes)
            wanted = [("goes on", who, tuple_of(of)) for who, of in goes.items()]
            wanted += [("ends", wave)] if wave_ends else []
            if group_ends:
                ended += 1
                wanted += [("ends", ("group", groups[wave]))] + ([("ends", "dispatch")] if ended == GROUPS else [])
        elif kind:
            wanted = [("waits" if kind == "wait" else kind, wave)]
        assert sorted(map(repr, got)) == sorted(map(repr, wanted)), f"{issue[:4]}\n{got}\nfor\n{wanted}\n{text}"
    # Compilers leave out a barrier behind which nothing is done, and one of two without anything between them.
    assert ended == GROUPS and opened and opened % GROUPS == 0 and opened <= GROUPS * text.count("barrier("), (ended, opened, text)


def test_what_fences_and_waits_say(tmp_path):
    """Orders and scopes of PTX's fences and accesses; the counts of gfx900's waits."""
    (tmp_path / "k.ptx").write_text(""".version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %a;
    .reg .b32 %v;
    ld.param.u64 %a, [p];
    fence.acq_rel.gpu;
    fence.sc.cta;
    membar.sys;
    bar.warp.sync -1;
    barrier.sync 3;
    ret;
}
""")
    events = [e["what"] for _, made in read(trace("--events", "-g", "sm", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:4", tmp_path / "k.ptx")) for e in made]
    assert events == ["begins", "begins", "begins with lanes 0-31",
                      *[e for e in events if e.startswith("fence")], "lanes 0-31 are to execute it with lanes 0-31",
                      *[e for e in events if "barrier" in e], "ends", "ends", "ends"], events
    assert [e.split(", ", 1)[1] for e in events if e.startswith("fence")] == ["acquire and release, device", "sequential, group", "sequential, system"]
    assert [e.split(" ", 2)[2] for e in events if "barrier" in e] == ["arrive at a barrier of their own", "leave a barrier of their own",
                                                                       "arrive at barrier 3 of the group", "leave barrier 3 of the group"]


def orders(lines):
    """What the lines of accesses say of their order: (kind, order, scope)."""
    return [found.groups() for found in (re.match(r" +(load|store|atomic)(?: \(([\w ]+), (\w+)\))? of \d+ bytes?, (?:global|shared)", line) for line in lines)
            if found]


def test_orders_and_scopes_of_accesses(tmp_path):
    """PTX's words (PTX ISA, "Memory Consistency Model"); GLC and atomics of gfx900; aq and rl of Vortex (unprivileged ISA, "A")."""
    words = [("ld.global", "load", None, None), ("ld.acquire.gpu.global", "load", "acquire", "device"), ("ld.relaxed.sys.global", "load", "relaxed", "system"),
             ("ld.volatile.global", "load", "relaxed", "system"), ("ld.weak.global", "load", None, None), ("st.release.cta.global", "store", "release", "group"),
             ("st.global", "store", None, None), ("atom.global.add", "atomic", "relaxed", "device"),
             ("atom.acq_rel.cta.global.add", "atomic", "acquire and release", "group"), ("red.release.gpu.global.add", "atomic", "release", "device")]
    body = "".join(f"    {word}.u32 {'%v, ' if word.startswith(('ld', 'atom')) else ''}[%a]"
                   f"{', %v' if not word.startswith('ld') else ''};\n" for word, *_ in words)
    (tmp_path / "k.ptx").write_text(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n    .reg .b64 %a;\n    .reg .b32 %v;\n"
                                    "    ld.param.u64 %a, [p];\n    mov.u32 %v, 1;\n" + body + "    ret;\n}\n")
    made = orders(trace("-g", "sm", "--kernel=k", "--grid=32", "--block=32", "--arg=zeros:4", tmp_path / "k.ptx"))
    assert made == [tuple(one[1:]) for one in words]

    file = build("gfx900", "kernel void k(global int *p, global atomic_int *a)\n{\n    int v = p[0];\n    v += atomic_load_explicit(a, memory_order_relaxed);\n"
                           "    atomic_fetch_add_explicit(a, 3, memory_order_relaxed);\n    p[1] = v;\n}\n", tmp_path)
    made = orders(trace("-g", "gfx900", "--kernel=k", "--grid=1", "--block=64", "--arg=zeros:64", "--arg=zeros:64", file))
    made = [one for one in made if one[0] != "load" or one[1]]          # what is loaded by scalar loads, arguments among them, is plain
    assert made == [("load", "relaxed", "device"), ("atomic", "relaxed", "device"), ("store", None, None)], made

    (tmp_path / "k.s").write_text(".globl _start\n_start:\n    la a0, cell\n    amoadd.w a1, a2, (a0)\n    amoadd.w.aq a1, a2, (a0)\n    amoadd.w.rl a1, a2, (a0)\n"
                                  "    amoadd.w.aqrl a1, a2, (a0)\n    lr.w.aq a1, (a0)\n    sc.w.rl a1, a2, (a0)\n    lw a1, 0(a0)\n    sw a1, 0(a0)\n    ecall\n"
                                  ".data\n.balign 4\ncell: .word 0\n")
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32ima", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000", "k.s", "-o", "k.elf"], cwd=tmp_path, check=True)
    made = orders(trace(tmp_path / "k.elf"))
    assert made == [("atomic", "relaxed", "device"), ("atomic", "acquire", "device"), ("atomic", "release", "device"), ("atomic", "sequential", "device"),
                    ("load", "acquire", "device"), ("store", "release", "device"), ("load", None, None), ("store", None, None)], made


# ---- Vortex ----

@pytest.mark.parametrize("name", ["histogram", "reduce"])
@pytest.mark.parametrize("xlen", [32, 64])
def test_vortex_barriers_open_when_as_many_have_arrived(name, xlen, tmp_path):
    done = subprocess.run(["make", "-s", "-C", EXAMPLES, f"OUT={tmp_path}", f"{tmp_path}/{name}.rv{xlen}.elf"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    registers, waits, active, opened, wanted = {}, {}, {}, 0, []
    mine = []
    for line in [*trace("--events", tmp_path / f"{name}.rv{xlen}.elf"), "0 core 0 warp 0 0x0 0: 0 end"]:
        event = EVENT.fullmatch(line)
        if read_record(line):
            continue
        if event:
            e = event.groupdict()
            mine.append(e)
            if e["what"].startswith("begins with"):
                active[place(e)] = True
            elif e["what"] == "ends" and e["core"]:
                del active[place(e)]
            continue
        got = [(place(e), e["what"]) for e in mine if "barrier" in e["what"] or "fence" in e["what"]]
        assert sorted(got) == sorted(wanted), (line, got, wanted)
        mine, wanted = [], []
        core, warp, mask, op, operands, effect = VORTEX_ISSUE.fullmatch(line).groups()
        wave, mask = (int(core), int(warp)), int(mask, 16)
        if op != "end":
            assert wave in active, line
        lanes = [n for n in range(64) if mask >> n & 1]
        own = registers.setdefault(wave, {"zero": [0] * 64})
        words = f"thread{'s' * (len(lanes) > 1)} {lanes[0]}{f'-{lanes[-1]}' * (len(lanes) > 1)}" if lanes else ""
        if op == "vx_bar":
            number, count = (own[r][lanes[-1]] for r in operands.split(", "))
            if count > 1:
                scope = "several cores" if number >> 31 & 1 else "the core"
                key, number = (scope, None if number >> 31 & 1 else wave[0], number & 0x7fffffff), number & 0x7fffffff
                wanted = [(wave, f"{words} arrive at barrier {number} of {scope}")]
                waits.setdefault(key, []).append((wave, words))
                assert scope == "the core", "no kernel here has a barrier of several cores"
                if len(waits[key]) == count:
                    wanted += [(who, f"{of} leave barrier {number} of {scope}") for who, of in waits.pop(key)]
                    opened += 1
        elif op == "fence":
            wanted = [(wave, f"fence of {words}, sequential, device")]
        for register, values in written(effect).items():
            row = own.setdefault(register, [None] * 64)
            for n in lanes:
                row[n] = values[0] if len(values) == 1 else values[n] if n < len(values) else None
        if op.startswith("vx_wspawn"):
            for other in [other for other in registers if other[0] == wave[0] and other != wave]:
                del registers[other]
    assert opened and not waits and not active
