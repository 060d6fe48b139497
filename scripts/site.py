#!/usr/bin/env python3
"""site.py FOLDER: the documents as a web site (`make site`), by Debian's mkdocs-material: README.md, docs/ and the pages that they link to. The site
asks nobody else for anything: fonts, scripts and styles are its own."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<=\]\()[^)#:\s]+(?=[)#])")

# The page of what works: a box filters the names of its tables. A row whose state or note has the text keeps all its names.
STYLE = """.md-grid { max-width: 88rem; } /* lines of code of 160 columns are seen whole on a wide screen */
.filter { position: sticky; top: 5.2rem; z-index: 2; width: 100%; padding: .4rem .6rem; font: inherit; border: 1px solid; border-radius: .2rem;
    background: var(--md-default-bg-color); color: var(--md-default-fg-color); }
.filter-out { display: none !important; }
[data-md-color-scheme="slate"] { --md-typeset-a-color: #8c9eff; }
"""
FILTER = """'use strict';
addEventListener('DOMContentLoaded', () => {
    if (!/\\/support\\.html$/.test(location.pathname))
        return;
    const rows = [...document.querySelectorAll('.md-content tbody tr')].filter((row) => row.cells[1].querySelector('code')).map((row) => {
        const names = [];
        for (const node of [...row.cells[1].childNodes]) {
            if (node.nodeName === 'CODE')
                names.push(row.cells[1].insertBefore(document.createElement('span'), node));
            names[names.length - 1].append(node);
        }
        return { row, names, about: (row.cells[0].textContent + ' ' + row.cells[2].textContent).toLowerCase() };
    });
    const box = document.createElement('input'), said = document.createElement('p'), out = (one, isOut) => one.classList.toggle('filter-out', isOut);
    box.className = 'filter';
    box.type = 'search';
    box.placeholder = box.ariaLabel = 'A name, or a part of one: v_mfma, cuGraph, refused';
    said.setAttribute('aria-live', 'polite');
    document.querySelector('.md-content h2').before(box, said);
    box.addEventListener('input', () => {
        const wanted = box.value.trim().toLowerCase();
        let count = 0;
        for (const { row, names, about } of rows) {
            names.forEach((name) => out(name, !about.includes(wanted) && !name.textContent.toLowerCase().includes(wanted)));
            const here = names.filter((name) => !name.classList.contains('filter-out')).length;
            out(row, !here);
            count += here;
        }
        document.querySelectorAll('.md-content h2').forEach((head) => {
            const table = head.nextElementSibling, isOut = !table.querySelector('tbody tr:not(.filter-out)');
            out(head, isOut);
            out(table, isOut);
        });
        said.textContent = wanted ? `${count} name${count === 1 ? '' : 's'}` : '';
    });
});
"""


def linked(page, there):
    """The files that a page, and those that it links to, show or lead to."""
    page = page / "README.md" if page.is_dir() else page
    if page in there or not page.is_file():
        return there
    there.add(page)
    if page.suffix == ".md":
        for link in LINK.findall(page.read_text()):
            linked((page.parent / link).resolve(), there)
    return there


def title_of(page):
    """The page's own title."""
    return re.search(r"^# (.*)$", page.read_text(), re.M)[1].replace("`", "")


def shelves(text):
    """The navigation: the shelves of docs/README.md, each page of which is there once, by its title."""
    there = set()
    nav = [{"wavetrap": "README.md"}]
    for title, shelf in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        pages = re.findall(r"\[([^\]]+)\]\(([^)#:]+\.md)\)", shelf)
        files = dict.fromkeys((ROOT / "docs" / page).resolve() for _, page in pages)
        nav.append({title: [{title_of(file): str(file.relative_to(ROOT))} for file in files if file not in there]})
        there.update(files)
    return nav


def main(folder):
    folder = pathlib.Path(folder).resolve()
    source = folder.parent / f"{folder.name}-source"
    for old in (folder, source):
        shutil.rmtree(old, ignore_errors=True)
    for page in linked(ROOT / "README.md", set()) | linked(ROOT / "docs" / "README.md", set()):
        to = source / page.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        # A folder is not a page: its README is, or what the link says stays as text.
        text = page.read_text() if page.suffix == ".md" else None
        if text is None:
            shutil.copy(page, to)
            continue
        for link in set(LINK.findall(text)):
            if (page.parent / link).is_dir():
                readme = f"{link.rstrip('/')}/README.md"
                text = (text.replace(f"]({link})", f"]({readme})") if (page.parent / readme).is_file()
                        else re.sub(rf"\[([^\]]+)\]\({re.escape(link)}\)", r"\1", text))
        to.write_text(text)
    version = re.search(r"^  version: '(.*)',", (ROOT / "meson.build").read_text(), re.M)[1]
    light, dark = ({"media": f"(prefers-color-scheme: {name})", "scheme": scheme, "toggle": {"icon": f"material/weather-{icon}", "name": f"Switch to {other}"}}
                   for name, scheme, icon, other in (("light", "default", "night", "dark"), ("dark", "slate", "sunny", "light")))
    shutil.copy(ROOT / "docs" / "pictures" / "logo.svg", source / "docs" / "pictures")
    (source / "own.css").write_text(STYLE)
    (source / "filter.js").write_text(FILTER)
    configuration = {
        "site_name": f"wavetrap {version}", "docs_dir": str(source), "site_dir": str(folder), "use_directory_urls": False, "nav": shelves((ROOT / "docs" / "README.md").read_text()),
        "theme": {"name": "material", "font": False, "features": ["navigation.tabs", "navigation.top", "search.highlight"],
                  "palette": [light, dark], "logo": "docs/pictures/logo.svg", "favicon": "docs/pictures/logo.svg"},
        "markdown_extensions": ["admonition", "tables", "toc", "fenced_code", {"pymdownx.highlight": {"use_pygments": True}}], "plugins": ["search"], "extra_css": ["own.css"], "extra_javascript": ["filter.js"], "extra": {"generator": False}}
    file = source.parent / f"{folder.name}.yml"
    file.write_text(json.dumps(configuration))
    subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", file], check=True)
    (folder / "404.html").unlink()  # for servers alone, with links from their root


main(sys.argv[1])
