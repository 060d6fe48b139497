"""Names for addresses."""
import os
import re

import gdb


class Names:
    """Functions and lines, each address looked up once."""

    def __init__(self):
        self.known = {}

    def of(self, pc):
        """(function, "file:line"), as much of it as is known."""
        if pc not in self.known:
            self.known[pc] = (_function(pc), _line(pc))
        return self.known[pc]

    def describe(self, device, pc):
        """ "0x80000010 in main at kernel.c:12" """
        function, line = self.of(pc)
        return (device.address(pc) + (f" in {function}" if function else "")
                + (f" at {line}" if line else ""))


def _function(pc):
    try:
        block = gdb.block_for_pc(pc)
        while block is not None and block.function is None:
            block = block.superblock
        if block is not None and block.function is not None:
            return block.function.name
    except (RuntimeError, gdb.error):
        pass
    found = re.match(r"(\S+)(?: \+ \d+)? in section", gdb.execute(f"info symbol {pc:#x}", to_string=True))
    return found[1] if found else ""


def _line(pc):
    sal = gdb.find_pc_line(pc)
    if sal is None or sal.symtab is None or not sal.line:
        return ""
    return f"{os.path.basename(sal.symtab.filename)}:{sal.line}"
