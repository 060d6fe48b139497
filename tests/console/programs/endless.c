/* A program that has no end. */
volatile int turns;

int main(void)
{
    for (;;)
        turns++;
}
