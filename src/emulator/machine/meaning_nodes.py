"""Makes the macros of meaning_code.h for nodes: of each row OP(NAME, operands, bytes, …) of meaning.def one that gives its bytes."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as table, open(sys.argv[2], "w", encoding="utf-8") as out:
    for name, operands, constants in re.findall(r"^OP\((\w+), (\d), (\d),", table.read(), re.M):
        numbers, nodes = "nm"[:int(constants)], "xyz"[:int(operands)]
        names = f"({', '.join(numbers + nodes)})" if numbers or nodes else ""
        values = [f"WT_M_{name}", *(f"({n}) & 255" for n in numbers), *nodes]
        out.write(f"#define {name}{names} {', '.join(values)}\n")
