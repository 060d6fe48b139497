"""GPU-aware commands for GDB, on top of the documents that wavetrap's server has for them.

link     the connection: packets, the device as it is now, which lane is selected
text     bars, ranges of numbers, tables
symbols  names for addresses
agent    one expression for all lanes, evaluated beside the device
tables   info warps, info lanes, info divergence, info barriers
choose   warp, lane, warp-apply, lane-apply
travel   time, goto-time, who-wrote, who-read
registers info registers, with room for long names
about    help wavetrap, and the memory of a program that has ended
"""


def load():
    """Adds the commands to GDB."""
    from . import about, choose, registers, tables, travel
    for module in (tables, choose, travel, registers, about):
        for command in module.COMMANDS:
            command()
