/* ACCESS: one outside of the address space of 48 bits. */
int far;

int main(void)
{
    int *p = (int *)0x7fff800000000000ull;
    far = 1;
    ACCESS;
    return 0;
}
