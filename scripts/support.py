#!/usr/bin/env python3
"""docs/support.md: the support matrix, from `wavetrap info --support=json` on standard input."""
import collections
import json
import re
import sys

STATES = ("works", "near", "refused")
TITLES = {"Vortex": "Instructions of Vortex", "gfx900": "Instructions of gfx900", "gfx906": "Instructions of gfx906, beside those of gfx900",
          "gfx908": "Instructions of gfx908, beside those of gfx906", "gfx942": "Instructions of gfx942, beside those of gfx90a", "gfx90a": "Instructions of gfx90a, beside those of gfx908", "gfx1030": "Instructions of gfx1030 that the others lack",
          "Gen9": "Instructions of Gen9",
          "SM": "Machine code of the SM", "PTX": "PTX on the SM", "libcuda": "CUDA's driver API", "libcudart": "CUDA's runtime API",
          "libhsakmt": "The library under HIP and HSA", "libvortex": "Vortex's host library"}


def read(lines):
    """{set: {name: (state, note, {versions of the library})}}"""
    sets = collections.defaultdict(dict)
    for line in lines:
        what = json.loads(line)
        of, version = re.fullmatch(r"([^.]+)(?:\.so\.?(.*))?", what["of"]).groups()
        names = sets[of]
        state, note, versions = names.get(what["name"], (what["state"], what["note"], set()))
        names[what["name"]] = (state, note, versions | {version})
    return sets


def page(sets):
    yield """# What works, and what does not

Made from `wavetrap info --support` by `make support`. *Works*: as the manual says; the note has what it is tested against. *Near*:
results may differ from hardware's, as the note says. *Refused*: an error by its name, never a wrong result in silence. Limits that are not
of an instruction or a function are in [limits](limits.md), and for programs in the pages of the families. On the site (`make site`) a box
above the tables filters names, states and notes.

| | works | near | refused |
|---|---|---|---|"""
    for of, names in sets.items():
        counts = collections.Counter(state for state, _, _ in names.values())
        yield f"| [{TITLES[of]}](#{re.sub(r'[^a-z0-9 ]', '', TITLES[of].lower()).replace(' ', '-')}) | " + " | ".join(str(counts[s]) for s in STATES) + " |"
    for of, names in sets.items():
        yield f"\n## {TITLES[of]}"
        versions = set().union(*(v for _, _, v in names.values()))
        by_note = collections.defaultdict(list)
        for name, (state, note, there) in names.items():
            only = f" ({', '.join(sorted(there))} only)" if there != versions else ""
            by_note[STATES.index(state), note].append(f"`{name}`{only}")
        yield "\n| | names | tested against, or how, or why |\n|---|---|---|"
        for (state, note), listed in sorted(by_note.items(), key=lambda item: item[0][0]):
            yield f"| {STATES[state]} | {', '.join(listed)} | {note} |"


if __name__ == "__main__":
    print("\n".join(page(read(sys.stdin))))
