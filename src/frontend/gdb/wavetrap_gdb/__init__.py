"""GPU-aware commands for GDB, on top of the documents that wavetrap's server has for them.

link     the connection: packets, the device as it is now, which lane is selected
text     bars, ranges of numbers, tables
symbols  names for addresses
agent    one expression for all lanes, evaluated beside the device
tables   info warps, info lanes, info divergence, info barriers
choose   warp, lane, warp-apply, lane-apply
travel   time, goto-time, who-wrote
about    help wavetrap, and a word at the program's end
"""


def load():
    """Adds the commands to GDB."""
    from . import about, choose, tables, travel
    for module in (tables, choose, travel, about):
        for command in module.COMMANDS:
            command()
