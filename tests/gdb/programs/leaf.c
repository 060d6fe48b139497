/* A leaf function, for debuggers that look for its caller: on Vortex, and as a Linux program for
 * QEMU's user mode. */
__attribute__((noinline)) int leaf(int a)
{
    int b = a + 1;
    b *= 3;
    return b;
}

__attribute__((noinline)) int middle(int a)
{
    int c = leaf(a);
    c += leaf(c);
    return c;
}

int result;

int main(void)
{
    int x = middle(2);
    x += 1;
    result = x;
    return x;
}

#ifdef VORTEX
__asm__(".globl _start\n"
        "_start: la sp, stack_top\n"
        "        call main\n"
        "        sw a0, 0x88(x0)\n"      /* the exit word */
        "        .word 0x0000000b\n"     /* tmc x0 */
        "        .bss\n"
        "        .align 4\n"
        "        .space 4096\n"
        "stack_top:\n"
        "        .text");
#else
__asm__(".globl _start\n"
        "_start: call main\n"
        "        li a7, 93\n"
        "        ecall");
#endif
