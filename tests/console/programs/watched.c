/* Writes to globals, by the function that counts and by one that it calls. */
int total, rounds;
int cells[4];

__attribute__((noinline)) void bump(int *where, int by)
{
    int k = by + 100;
    *where += k - 100;
}

__attribute__((noinline)) int sum_up(int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        int k = i * i;
        total += k;
        if (i % 4 == 3)
            bump(&total, i);
        cells[i % 4] = i;
        rounds++;
        sum += k;
    }
    return sum;
}

int main(void)
{
    return sum_up(20) == 2470 ? 0 : 1;
}
