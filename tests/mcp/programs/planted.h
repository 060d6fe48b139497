/* Ten planted bugs, in C of Vortex and in OpenCL C; from[i] is i. A program that notices a wrong
 * value stops by FAIL. The arrays are parameters (MEMORY, GIVEN), or variables of the program. */
#define EXPECT(VALUE, WANTED)                                                                      \
    if ((VALUE) != (WANTED))                                                                       \
    FAIL

struct pair {
    int low, high;
};

static void put(MEMORY int at, int value)
{
    to[at] = value;
}

static void plant_0(MEMORY int i, int n)
{
    int at = i << 8; /* culprit 0 */
    to[at] = from[i];
}

static void plant_1(MEMORY int i, int n)
{
    GLOBAL int *here = to;
    if (i == 3)
        here = 0; /* culprit 1 */
    here[i] = from[i];
}

static void plant_2(MEMORY int i, int n)
{
    to[i] = from[i] + 1;
    if (i == 5)
        to[i] -= 7; /* culprit 2 */
    EXPECT(to[i], from[i] + 1);
}

static void plant_3(MEMORY int i, int n)
{
    signed char scaled = (signed char)(from[i] * 40); /* culprit 3 */
    to[i] = scaled;
    EXPECT(scaled, from[i] * 40);
}

static void plant_4(MEMORY int i, int n)
{
    int state = 1;
    state = state + from[i];
    if (i == 2)
        state = 0; /* culprit 4 */
    to[i] = n;
    EXPECT(state, 1 + from[i]);
}

static void plant_5(MEMORY int i, int n)
{
    put(GIVEN i << 8, from[i]); /* culprit 5 */
}

static void plant_6(MEMORY int i, int n)
{
    to[i + 1] = from[i]; /* culprit 6 */
}

static void plant_7(MEMORY int i, int n)
{
    int known;
    if (i != 3)
        known = from[i];
    if (known > 2) /* culprit 7 */
        to[i] = 1;
}

static void plant_8(MEMORY int i, int n)
{
    int table[9];
    table[8] = 42;
    for (int k = 0; k <= 8; k++)
        table[k] = k; /* culprit 8 */
    to[i] = table[from[i] & 7];
    EXPECT(table[8], 42);
}

static void plant_9(MEMORY int i, int n)
{
    struct pair pair = {i, from[i]};
    int *member = &pair.low;
    member[n - 6] = 77; /* culprit 9 */
    to[i] = pair.low;
    EXPECT(pair.high, from[i]);
}
