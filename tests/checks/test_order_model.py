"""Random operations in streams of CUDA and HIP (order_script.cu) whose order a model knows: sets of operations that are done before another one. --check=race reports
something of each buffer in which the model has a race, and only pairs of operations that race.

    test_order_model.py FAMILY FIRST COUNT      as many scripts, from a number on, by hand
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

# Queues of a gfx900 have packets by which streams wait, when the program goes on and accesses memory.
WAITING = ["k020 w10 s2 o2", "e01 w10 c013 e00 v1 r1", "f12 e01 s2 r2", "e01 e20 k112 k202 c012 w20 w10 c013 e00 v1 r1", "o2 f12 c130 e01 s2 e11 r2 k100"]
LETTERS = {"launch": "k", "copy": "c", "fill": "f", "host_load": "r", "host_store": "o"}


def script_of(number):
    draw = random.Random(number)
    word = {"k": lambda: f"{draw.randrange(3)}{draw.randrange(4)}{draw.randrange(4)}",
            "c": lambda: "{}{}{}".format(draw.randrange(3), *draw.sample(range(4), 2)),
            "f": lambda: f"{draw.randrange(3)}{draw.randrange(4)}", "e": lambda: f"{draw.randrange(3)}{draw.randrange(2)}",
            "w": lambda: f"{draw.randrange(3)}{draw.randrange(2)}", "s": lambda: str(draw.randrange(3)), "v": lambda: str(draw.randrange(2)),
            "d": str, "r": lambda: str(draw.randrange(4)), "o": lambda: str(draw.randrange(4))}
    return [letter + word[letter]() for letter in draw.choices(list(word), [8, 4, 2, 5, 5, 3, 2, 1, 2, 2], k=draw.randrange(4, 14))]


def accesses_of(word):
    """{buffer: whether it is stored to} and what a report calls the operation."""
    letter, *digits = word
    numbers = [int(digit) for digit in digits]
    if letter in "kc":
        return {numbers[2]: False} | {numbers[1]: True}, (letter, numbers[1], numbers[2])
    if letter == "f":
        return {numbers[1]: True}, (letter, numbers[1], 0)
    return {numbers[0]: letter == "o"}, (letter, numbers[0], 0)


def races_of(script):
    """{buffer: pairs of operations that race in it}"""
    done = [set(), set(), set()]        # what is done before the next operation of each stream
    host, events, given, races = set(), [set(), set()], [], {}

    def of(stream):
        """The default stream, and those that wait for it, wait for each other."""
        if stream < 2:
            both = done[0] | done[1]
            done[stream] = set(both)
        return done[stream]

    for number, word in enumerate(script):
        letter, digits = word[0], [int(digit) for digit in word[1:]]
        if letter in "kcfro":
            before = of(digits[0]) | host if letter in "kcf" else host
            own, name = accesses_of(word)
            for other, (theirs, their_name) in given:
                if other not in before:
                    for buffer in own.keys() & theirs.keys():
                        if own[buffer] or theirs[buffer]:
                            races.setdefault(buffer, set()).add(frozenset((name, their_name)))
            if letter in "kcf":
                done[digits[0]] = before | {number}
            else:
                host.add(number)
            given.append((number, (own, name)))
        elif letter == "e":
            events[digits[1]] = set(of(digits[0]))
        elif letter == "w":
            done[digits[0]] = of(digits[0]) | events[digits[1]]
        elif letter == "s":
            host |= of(digits[0])
        elif letter == "v":
            host |= events[digits[0]]
        elif letter == "d":
            host |= set(range(number))
    return races


def operation(side, calls):
    """Whose access it is: by the function of the program that gives it."""
    names = [side.get("function", "")] + [call.get("function", "") for call in side.get("launched", ()) or side.get(calls, ())]
    letter, to, source = next(found.groups() for name in names if (found := re.match(r"(launch|copy|fill|host_load|host_store)<(\d), (\d)>", name)))
    return LETTERS[letter], int(to), int(source)


def program(family):
    words = ["-O1", "-g", "-w", "-fno-optimize-sibling-calls"]
    if family == "gfx900":
        return checks.built("order_script.gfx900", "hipcc", f"--offload-arch={checks.AMD}", *words, "-x", "hip", checks.HERE / "order_script.cu")
    cuda = checks.cuda_path()
    return checks.built("order_script.sm", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", *words, f"--cuda-path={cuda}", checks.HERE / "order_script.cu",
                        f"-L{cuda}/lib64", "-lcudart", "-lstdc++")


def judge(folder, family, script, number):
    report = folder / f"{number}.json"
    done = checks.run(checks.command_under_test(), "exec", "-g", checks.gpu(family), "--check=race", f"--report=json:{report}", program(family), *script)
    addresses = [int(line, 16) for line in done.stdout.split()]
    found = {}
    for one in map(json.loads, report.read_text().splitlines()):
        # On a gfx900 two stores are a warning.
        if one["kind"] == "finding" and (one["severity"] == "error" or (family == "gfx900" and one["access"] == one["other"]["access"] == "store")):
            buffer = next(i for i, at in enumerate(addresses) if 0 <= int(one["address"], 16) - at < 4096)
            found.setdefault(buffer, set()).add(frozenset((operation(one, "calls"), operation(one["other"], "calls"))))
    wanted = races_of(script)
    said = f"script {number}: {' '.join(script)}: found {found}, wanted {wanted}\n{done.stderr}"
    assert all(pairs <= wanted.get(buffer, set()) for buffer, pairs in found.items()), said
    assert found.keys() == wanted.keys(), said
    return len(wanted)


@pytest.mark.parametrize("family, scripts, least", [("sm", 40, 5), ("gfx900", 8, 1), pytest.param("gfx900", 25, 5, marks=pytest.mark.full)])
def test_random_operations(tmp_path, family, scripts, least):
    """At least so many have no race, and twice as many have one."""
    program(family)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        races = list(pool.map(lambda number: judge(tmp_path, family, script_of(number), number), range(scripts)))
    assert sum(map(bool, races)) >= 2 * least and races.count(0) >= least, races


@pytest.mark.parametrize("family", ["sm", "gfx900"])
def test_streams_that_wait(tmp_path, family):
    program(family)
    assert all(judge(tmp_path, family, script.split(), number) for number, script in enumerate(WAITING))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(sum(judge(pathlib.Path(made), sys.argv[1], script_of(number), number) for number in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]))), "buffers with races")
