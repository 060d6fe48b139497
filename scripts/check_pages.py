#!/usr/bin/env python3
"""
Parts of pages that say which checks there are, made from src/check/checks.def, src/check/kinds.def and src/report/check.h: manual pages, docs/checks.md,
the schema of --report=json, the extension for VS Code. It names the files that it changes.
"""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]


def rows(path, *macros):
    """The arguments of each call of the macros at a line's beginning, in their order; texts without quotes."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S).replace("\\\n", "\n")
    for call in re.finditer(rf"^ *(?:{'|'.join(macros)})\(", text, re.M):
        arguments, depth = [""], 1
        for token in re.findall(r'"(?:[^"\\]|\\.)*"|[^"]', text[call.end():]):
            depth += (token == "(") - (token == ")")
            if not depth:
                break
            if token == "," and depth == 1:
                arguments.append("")
            elif token[0] == '"':
                arguments[-1] += json.loads(token)
            elif not token.isspace():
                arguments[-1] += token
        yield arguments


CHECKS = [{"name": r[1], "all": r[3] == "true", "page": r[5]} for r in rows("src/check/checks.def", "CHECK_OF_CALLS", "CHECK_OF_MACHINE")]
KINDS = [{"name": r[1], "check": r[2].lower(), "severity": ", ".join(dict.fromkeys(r[3:5])).lower()} for r in rows("src/check/kinds.def", "KIND")]
OPTIONS = [{"name": r[1], "item": r[4], "page": r[5]} for r in rows("src/report/check.h", "O")]
NAMES = [c["name"] for c in CHECKS]
ALL = [c["name"] for c in CHECKS if c["all"]]
REST = [c["name"] for c in CHECKS if not c["all"]]


def manual(text):
    """The items of an mdoc page; what --check is said to do, before the names, is the page's own."""
    names = "\n".join(f".Cm {name} ," for name in NAMES[:-2]) + f"\n.Cm {NAMES[-2]}\nand\n.Cm {NAMES[-1]} ,"
    items = "".join(f".It Fl -{o['name']}{' ' + o['item'] if o['item'] else ''}\n{o['page']}\n" for o in OPTIONS[1:])
    rest = f"with commas between, or\n.Cm all ,\nwhich is all of them but\n.Cm {' , '.join(REST)} .\n"
    return re.sub(rf"(^\.It Fl -check {OPTIONS[0]['item']}\n(?:[^\n]*:|[^\n]*\n[^\n]* :)\n).*?(?=^\.It Fl -(?!check)|^\.It Fl h )",
                  lambda found: f"{found[1]}{names}\n{rest}{items}", text, flags=re.M | re.S)


def page(text):
    table = "".join(f"| `{c['name']}` | {c['page']} |\n" for c in CHECKS if c["all"]) + "| `all` | all of these |\n"
    table += "".join(f"| `{c['name']}` | {c['page']} |\n" for c in CHECKS if not c["all"])
    text = re.sub(r"(^\| `--check=` \| reports \|\n\|---\|---\|\n)(?:\|.*\n)+", lambda found: found[1] + table, text, flags=re.M)
    kinds = {kind["name"]: f"{kind['check']} | {kind['severity']}" for kind in KINDS}
    text = re.sub(r"^(\| `([a-z-]+)`[^|]*\| )\w+ \| [a-z, ]+(?= \| )", lambda found: found[1] + kinds[found[2]] if found[2] in kinds else found[0], text, flags=re.M)
    return re.sub(r"(^\| `--check=LIST` \| what is checked: ).*", lambda found: found[1] + ", ".join(f"`{n}`" for n in NAMES) + " with commas between, or `all` |", text, flags=re.M)


def schema(text):
    names = ",\n".join(f'      "{kind["name"]}"' for kind in KINDS)
    return re.sub(r'("finding": \{\n     "enum": \[\n)[^]]*\n(     \])', lambda found: f"{found[1]}{names}\n{found[2]}", text)


def extension(text):
    return re.sub(r"(Mistakes that are looked for: )[^\"]*", lambda found: found[1] + ", ".join(NAMES) + ", or all.", text)


def files():
    """(file, its text, the text that it should have) of each."""
    made = {"docs/checks.md": page, "docs/report.schema.json": schema, "editors/vscode/package.json": extension}
    item = re.compile(rf"^\.It Fl -check {OPTIONS[0]['item']}$", re.M)
    made |= {f"docs/man/{file.name}": manual for file in sorted((ROOT / "docs/man").glob("*.1")) if item.search(file.read_text())}
    for name, write in made.items():
        text = (ROOT / name).read_text()
        yield name, text, write(text)


if __name__ == "__main__":
    for changed, before, after in files():
        if after != before:
            print(changed)
            (ROOT / changed).write_text(after)
