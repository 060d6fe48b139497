"""Sessions of `wavetrap debug` by -ex, and what their answers look like."""
import re
import shlex
import subprocess

from truth import Finding, WAVETRAP

TIMEOUT = 120
MARK = "=-=-="
PLACE = re.compile(r"^\[device (\d+)(?:, dispatch (\d+), group \((\d+),(\d+),(\d+)\))?, core (\d+), \w+ (\d+), \w+ (\d+); \w+ ([\d,.-]+) enabled", re.M)
VALUES = re.compile(r"^Old value = (-?\d+)\nNew value = (-?\d+)$", re.M)
PRESENT, BEGINNING = "The present has been reached again", "No more reverse-execution history"


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def session(p, folder, name, before, commands, options=(), file=None):
    """What the console answers to each command. NAME.sh, which builds the program and repeats the session, stays beside it."""
    marked = [line for command in commands for line in (f"echo {MARK}\\n", command)] + [f"echo {MARK}\\n"]
    words = [WAVETRAP, "debug", "--nx", *(p.options if file is None or file[0] != "--core" else []), *options,
             *[word for line in [*before, *marked, "quit"] for word in ("-ex", line)], *(file or [p.file])]
    words = [str(word) for word in words]
    built = "".join(shlex.join(map(str, one)) + "\n" for one in [p.built] if one)
    (folder / f"{name}.sh").write_text(built + shlex.join(words) + "\n")
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
    (folder / f"{name}.said").write_text(done.stdout + done.stderr)
    said = [part.strip("\n") for part in done.stdout.split(MARK + "\n")[1:-1]]
    if len(said) != len(commands):
        raise Finding(f"{name}: the session has ended early (status {done.returncode}): {done.stderr[-500:]}")
    return said


def ended(text):
    return "[Program exited" in text


def number(text):
    """The number that `print` has answered; None: something else."""
    found = re.search(r" = (-?\d+)$", text)
    return int(found[1]) if found else None


def lines_of(said):
    """The line that an answer ends with."""
    return re.findall(r"^(?:0x[0-9a-f]+\t)?(\d+)\t", said, re.M)[-1:]
