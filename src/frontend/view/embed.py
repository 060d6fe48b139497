"""Makes the page of its parts, as C: embed.py OUT PAGE STYLE SCRIPT..."""
import pathlib
import sys

out, page, style, *scripts = map(pathlib.Path, sys.argv[1:])
text = page.read_text().replace("@STYLE@", style.read_text()).replace("@SCRIPT@", "\n".join(script.read_text() for script in scripts))
parts = dict(zip(("before", "behind"), text.split("@RECORDING@"), strict=True))
with open(out, "w") as file:
    file.write('#include "frontend/view/view.h"\n')
    for name, part in parts.items():
        data = part.encode()
        file.write(f"const size_t wt_view_{name}_size = {len(data)};\nconst char wt_view_{name}[] = {{{','.join(map(str, (b - 256 if b > 127 else b for b in data)))},0}};\n")
