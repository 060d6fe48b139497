"""A console at a terminal: wavetrap debug of a host program, driven by pexpect."""
PROMPT = r"\(wavetrap\) "


def stop_in_kernel(child, name):
    """Presses Ctrl-C and continues until the program stands in a kernel whose frame names `name`."""
    for _ in range(100):
        child.sendintr()
        child.expect("Program stopped[.;]")
        child.expect(PROMPT)
        if name in child.before:
            break
        child.sendline("continue")
        child.expect("Continuing")
    assert name in child.before
