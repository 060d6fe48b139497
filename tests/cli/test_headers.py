"""How many objects are compiled again when a header changes, by ninja's log of dependencies."""

import collections
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", SOURCE.parent / "build"))

MOST = 150  # that any header may reach but those below
# Plain types and helpers that everybody needs.
EXEMPT = {f"base/{name}.h" for name in "array bits check error fault hw_registers lanes object_view text wave_name wave_view".split()}
LIMITS = {"emulator/machine/machine.h": 408}
# What these headers reached in a build with all parts, which had OBJECTS of them: that only falls. Where the tree grows their share must not.
OBJECTS = 1362
ONLY_FALL = {
    "base/defined_view.h": 505,
    "base/slice_view.h": 501,
    "base/whole_file.h": 176,
    "check/finding.h": 273,
    "check/memory.h": 270,
    "check/names.h": 271,
    "check/objects.h": 298,
    "debug/core/address.h": 405,
    "debug/core/checks.h": 153,
    "debug/core/debugger.h": 311,
    "expr/expr.h": 315,
    "expr/world.h": 316,
    "debug/core/probe.h": 381,
    "debug/core/target.h": 405,
    "debug/core/wave_set.h": 381,
    "debug/source/modules.h": 227,
    "debug/source/types.h": 157,
    "debug/standstill/link.h": 167,
    "emulator/machine/archive.h": 555,
    "emulator/machine/code_pages.h": 401,
    "emulator/machine/config.h": 476,
    "emulator/machine/core_format.h": 175,
    "emulator/machine/engine.h": 267,
    "emulator/machine/fields.h": 230,
    "emulator/machine/groups.h": 258,
    "emulator/machine/heads.h": 402,
    "emulator/machine/mapped.h": 161,
    "emulator/machine/memory.h": 411,
    "emulator/machine/near.h": 333,
    "emulator/machine/observe.h": 535,
    "emulator/machine/profile.h": 204,
    "emulator/machine/run.h": 540,
    "emulator/machine/schedule.h": 565,
    "emulator/machine/spans.h": 276,
    "emulator/machine/timeline.h": 239,
    "emulator/machine/watch.h": 609,
    "emulator/machine/watch_set.h": 275,
    "emulator/translate/rows.h": 233,
    "object/process_wire.h": 245,
    "object/watch_wire.h": 284,
    "runtime/common/final_memory.h": 168,
    "runtime/common/planted.h": 168,
}


def reach():
    """Of each header of src the number of objects that it is part of, and the number of all objects."""
    out = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    counts, objects, name = collections.Counter(), 0, {}
    for line in out.splitlines():
        if not line.startswith(" "):
            objects += bool(re.match(r"\S+\.o: #deps", line))
        elif line.endswith(".h"):
            if line not in name:
                path = pathlib.Path(os.path.normpath(BUILD / line.strip()))
                name[line] = str(path.relative_to(SOURCE)) if path.is_relative_to(SOURCE) else None
            counts[name[line]] += 1
    del counts[None]
    return counts, objects


def too_many(counts, objects):
    """A line for each header that reaches more than it may."""
    wrong = []
    for header, count in sorted(counts.items()):
        most = LIMITS.get(header, MOST)
        if header in ONLY_FALL:
            most = ONLY_FALL[header] * max(objects, OBJECTS) // OBJECTS
        if count > most and header not in EXEMPT:
            wrong.append(f"{header} reaches {count} of {objects} objects, {most} at most")
    return wrong


def test_headers_reach_few_objects():
    counts, objects = reach()
    assert objects > 100 and counts["base/lanes.h"] > 100  # the log is there
    wrong = too_many(counts, objects)
    assert not wrong, "\n".join(wrong) + "\nA header includes what it embeds, and declares what it points to."


def test_a_header_that_reaches_too_many_is_named():
    header, count = next(iter(ONLY_FALL.items()))
    assert not too_many({"new.h": MOST, header: count, "base/bits.h": OBJECTS}, OBJECTS)
    assert not too_many({header: 2 * count}, 2 * OBJECTS)
    for name in ("new.h", *LIMITS, *ONLY_FALL):
        most = LIMITS.get(name) or ONLY_FALL.get(name, MOST)
        assert too_many({name: most + 1}, OBJECTS // 2) == [f"{name} reaches {most + 1} of {OBJECTS // 2} objects, {most} at most"]


def test_the_lists_name_headers():
    assert not [name for name in (*EXEMPT, *LIMITS, *ONLY_FALL) if not (SOURCE / name).is_file()]
    assert len(EXEMPT) <= 11
