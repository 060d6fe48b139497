"""Runs inside GDB, on the host program: what GDB shows at each line of each work-item. PLAN and OUT are files of JSON."""
import json
import os

import gdb

with open(os.environ["PLAN"], encoding="utf-8") as file:
    plan = json.load(file)
stops = []


def shown(expression):
    try:
        return gdb.execute(f"output {expression}", to_string=True)
    except gdb.error as error:
        return f"ERROR: {error}"


def look():
    """Records where the program stands."""
    frame, item = gdb.newest_frame(), int(gdb.parse_and_eval("host_item"))
    line = frame.find_sal().line
    if str(line) not in plan["lines"]:  # a line without code: GDB took the next one
        return
    stop = {"line": line, "item": item, "values": {name: shown(e) for name, e in plan["lines"][str(line)].items()}}
    if item % plan["every"] == 0:
        frames = 1
        while frame.older() and frame.name() != "k":
            frame, frames = frame.older(), frames + 1
        stop |= {"bt": gdb.execute(f"bt {frames}", to_string=True), "locals": gdb.execute("info locals", to_string=True),
                 "args": gdb.execute("info args", to_string=True)}
    stops.append(stop)


for setting in ("confirm off", "pagination off", "width 0", "style enabled off", "print elements 0", "print repeats unlimited",
                "target-charset ASCII", "host-charset ASCII", "breakpoint always-inserted on"):
    gdb.execute(f"set {setting}")
for place in plan["lines"]:
    gdb.execute(f"break {plan['file']}:{place}", to_string=True)
for point in gdb.breakpoints():
    point.silent = True
gdb.execute("disable pretty-printer", to_string=True)   # which are asked of each value; the programs have none of their types
gdb.execute("run", to_string=True)
while gdb.selected_inferior().threads():
    look()
    gdb.execute("continue", to_string=True)
with open(os.environ["OUT"], "w", encoding="utf-8") as file:
    json.dump(stops, file)
