"""Random commands in queues of OpenCL (a Gen9) and of Vortex 3.0 (queue_script.c) whose order a model knows: sets of commands that are done before another one. --check=race
reports, of two commands that race, only pairs for which the model has that, and each pair of kernels, copies and fills that touch no buffer in which others race too.

    test_queue_model.py FAMILY FIRST COUNT      as many scripts, from a number on, by hand
"""
import concurrent.futures
import json
import pathlib
import random
import re
import sys
import tempfile

import pytest

import checks
from vortex3 import kernels_of

LETTERS = {"kernel": "k", "copy": "c", "fill": "f"}
NONE = 2
LOOSE = {"gen9": 2, "vortex": None}     # the queue without an order


def script_of(number, family):
    draw = random.Random(f"queues {number}")
    event = lambda: draw.choice([0, 1, NONE, NONE])     # noqa: E731
    word = {"k": lambda: f"{draw.randrange(3)}{draw.randrange(4)}{draw.randrange(4)}{event()}{event()}",
            "c": lambda: "{}{}{}{}{}".format(draw.randrange(3), *draw.sample(range(4), 2), event(), event()),
            "f": lambda: f"{draw.randrange(3)}{draw.randrange(4)}{event()}{event()}", "s": lambda: str(draw.randrange(3)), "v": lambda: str(draw.randrange(2)),
            "b": lambda: str(draw.randrange(3))}
    letters = draw.choices(list(word), [8, 4, 3, 2, 2, 2], k=draw.randrange(4, 14))
    return [letter + word[letter]() for letter in letters if letter != "b" or family == "gen9"]


def accesses_of(word):
    """{buffer: whether it is stored to} and what a report calls the command."""
    letter, digits = word[0], [int(digit) for digit in word[1:]]
    if letter == "f":
        return {digits[1]: True}, (letter, digits[1], 0)
    return {digits[2]: False} | {digits[1]: True}, (letter, digits[1], digits[2])


def races_of(script, family):
    """{buffer: pairs of commands that race in it}"""
    all_, gate = [set(), set(), set()], [set(), set(), set()]   # of each queue: its commands so far; those that end before its next one begins
    host, events, given, races = set(), [set(), set()], [], {}
    for number, word in enumerate(script):
        letter, digits = word[0], [int(digit) for digit in word[1:]]
        if letter == "s":
            host |= all_[digits[0]]
        elif letter == "v":
            host |= events[digits[0]]
        elif letter == "b":
            gate[digits[0]] |= all_[digits[0]]
        else:
            queue, (wait, done) = digits[0], digits[-2:]
            before = host | gate[queue] | (events[wait] if wait != NONE else set())
            own, name = accesses_of(word)
            for other, (theirs, their_name) in given:
                for buffer in own.keys() & theirs.keys() if other not in before else ():
                    if own[buffer] or theirs[buffer]:
                        races.setdefault(buffer, set()).add(frozenset((name, their_name)))
            given.append((number, (own, name)))
            behind = before | {number}
            all_[queue] |= behind
            if queue != LOOSE[family]:
                gate[queue] = behind
            if done != NONE:
                events[done] = behind
    return races


def command(side, calls):
    """Whose access it is: by the function of the program that gives it."""
    names = [side.get("function", "")] + [call.get("function", "") for call in [*side.get("launched", ()), *side.get(calls, ())]]
    letter, to, source = next(found.groups() for name in names if (found := re.search(r"run_(kernel|copy|fill)<(\d), (\d)>", name)))
    return LETTERS[letter], int(to), int(source)


def program(family):
    words = ["g++", "-x", "c++", "-std=c++20", "-O0", "-g", "-w"]
    source = checks.HERE / "queue_script_kernels.c"
    if family == "gen9":
        return [checks.built("queue_script.gen9", *words, "-DOPENCL_QUEUES", checks.HERE / "queue_script.c", "-lOpenCL"), source]
    elf = checks.OUT / "vortex" / "queue_script.elf"
    elf.parent.mkdir(parents=True, exist_ok=True)
    if not elf.exists() or elf.stat().st_mtime < checks.newest().stat().st_mtime:
        kernels_of(source, elf, 32, "-O1")
    return [checks.built("queue_script.vortex", *words, "-DVORTEX_QUEUES", f"-I{checks.ROOT / 'src'}", checks.HERE / "queue_script.c",
                         f"-L{checks.BUILD / 'src' / 'runtime' / 'vortex'}", "-lvortex"), elf.with_suffix(".vxbin")]


def judge(folder, family, number):
    script = script_of(number, family)
    report = folder / f"{family}{number}.json"
    done = checks.run(checks.command_under_test(), "exec", "-g", family, "--check=race", f"--report=json:{report}", *program(family), *script)
    found = [frozenset((command(one, "calls"), command(one["other"], "calls"))) for one in map(json.loads, report.read_text().splitlines())
             if one["kind"] == "finding" and one["severity"] == "error"]
    races = races_of(script, family)
    wanted = set().union(*races.values())
    said = f"script {number}: {' '.join(script)}: found {found}, wanted {races}\n{done.stderr}"
    assert set(found) <= wanted, said
    assert all(pairs & set(found) for pairs in races.values()), said
    return len(races)


@pytest.mark.parametrize("family", ["gen9", "vortex"])
def test_random_commands(tmp_path, family):
    program(family)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        races = list(pool.map(lambda number: judge(tmp_path, family, number), [4, 7, 26, *range(14, 24)]))
    assert sum(map(bool, races)) >= 5 and races.count(0) >= 1, races


def test_the_model_knows_order():
    assert races_of(["k00022", "k10022"], "gen9") and not races_of(["k00020", "k10002"], "gen9") and not races_of(["k00022", "s0", "k10022"], "vortex")
    assert races_of(["k20022", "k20022"], "gen9") and not races_of(["k20022", "k20022"], "vortex") and not races_of(["k20022", "b2", "k20022"], "gen9")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(sum(judge(pathlib.Path(made), sys.argv[1], number) for number in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]))), "buffers with races")
