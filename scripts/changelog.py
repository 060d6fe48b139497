#!/usr/bin/python3
"""changelog.py [FOLDER]: moves the changes of changes/*.md, a line each, to CHANGELOG.md, on top of those that no release has yet (`make changelog`)."""
import pathlib
import sys

HEAD = "## Not released yet\n\n"


def main(root):
    log = root / "CHANGELOG.md"
    files = sorted(path for path in (root / "changes").glob("*.md") if path.name != "README.md")
    texts = [path.read_text() for path in files]
    before, head, after = log.read_text().partition(HEAD)
    if not head:
        sys.exit(f"changelog: {log} has no line \"{HEAD.strip()}\"")
    for path, text in zip(files, texts):
        if not text.startswith("- ") or "\n" in text.strip():
            sys.exit(f"changelog: {path}: a change is one line, \"- …\"")
    log.write_text(before + head + "".join(text.strip() + "\n" for text in texts) + ("\n" if files and not after.startswith("- ") else "") + after)
    for path in files:
        path.unlink()


main(pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[1])
