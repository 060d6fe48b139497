/*
 * Idioms whose machine code looks as if an access left its variable: compilers add constants to
 * addresses, and make arithmetic of choices of variables. Each is correct, with arrays that lie
 * beside each other in some memory.
 *
 *     IDIOMS(name, storage)   defines NAME_chosen(), …, whose arrays have that storage
 *     IDIOM_NAMES(name, each)   each(NAME_chosen) …
 *
 * `me` is below 8, `flag` 0 or 1, `zero` 0; no compiler knows them. Each returns a number.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SMALL = 8 };

/* What the arrays hold: all lanes store the same. */
#define FILL(a, b, c)                                                                              \
    for (int k = 0; k < SMALL; k++) {                                                              \
        a[k] = k;                                                                                  \
        b[k] = 10 + k;                                                                             \
        c[k] = 20 + k;                                                                             \
    }

/* clang-format off */
#define IDIOM_NAMES(name, EACH) \
    EACH(name##_chosen) EACH(name##_by_bool) EACH(name##_by_parity) EACH(name##_swapped) \
    EACH(name##_rotated) EACH(name##_before) EACH(name##_reversed) EACH(name##_to_the_end) \
    EACH(name##_ring) EACH(name##_members) EACH(name##_table) EACH(name##_switched) \
    EACH(name##_clamped) EACH(name##_copied) EACH(name##_together) EACH(name##_moved) \
    EACH(name##_xored) EACH(name##_masked) EACH(name##_multiplied) EACH(name##_rows) \
    EACH(name##_from_the_middle) EACH(name##_far_before) EACH(name##_one) EACH(name##_bytes) \
    EACH(name##_by_half) EACH(name##_stepped)
/* clang-format on */

#define IDIOMS(name, STORAGE)                                                                      \
    IDIOM_FUNCTION int name##_chosen(int me, int flag, int zero)                                   \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        FILL(a, b, c)                                                                              \
        return (flag ? a : b)[me] + (me & 1 ? b : c)[me + zero] +                                  \
               (me == 3 ? c : a)[SMALL - 1 - me];                                                  \
    }                                                                                              \
    IDIOM_FUNCTION int name##_by_bool(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        volatile bool given = flag, other = zero;                                                  \
        FILL(a, b, c)                                                                              \
        const bool one = given, two = other;                                                       \
        int sum = 0;                                                                               \
        for (int k = 0; k < 2; k++)                                                                \
            sum += ((k ? one : two) ? b : a)[me];                                                  \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_by_parity(int me, int flag, int zero)                                \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 4 + flag; k++)                                                         \
            sum += (k & 1 ? a : b)[me] + (k % 3 == 1 ? c : a)[(me + k) % SMALL];                   \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_swapped(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int *from = a, *to = b, sum = zero;                                                        \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 3 + flag; k++) {                                                       \
            int *const was = from;                                                                 \
            sum += from[me] - to[SMALL - 1 - me];                                                  \
            from = to;                                                                             \
            to = was;                                                                              \
        }                                                                                          \
        return sum + c[me];                                                                        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_rotated(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int *x = a, *y = b, *z = c, sum = zero;                                                    \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 4 + flag; k++) {                                                       \
            int *const was = x;                                                                    \
            sum += x[me] + 2 * y[me] - z[me];                                                      \
            x = y, y = z, z = was;                                                                 \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_before(int me, int flag, int zero)                                   \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int i = 1; i <= SMALL; i++)                                                           \
            sum += b[i - 1] * i + c[SMALL - i] - a[i - 1];                                         \
        for (int i = 5; i < 5 + me; i++)                                                           \
            sum += c[i - 5] + b[i - 5 + flag];                                                     \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_reversed(int me, int flag, int zero)                                 \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int *p = b + SMALL; p != b + flag;)                                                   \
            sum = 3 * sum + *--p;                                                                  \
        for (int k = SMALL - 1; k >= me; k--)                                                      \
            sum += c[k] - a[k];                                                                    \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_to_the_end(int me, int flag, int zero)                               \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int *p = a + me, *end = a + SMALL; p < end; p++)                                      \
            sum += *p;                                                                             \
        for (int *p = b, *end = b + SMALL - flag; p != end; ++p)                                   \
            sum = sum * 2 + *p;                                                                    \
        return sum + c[me];                                                                        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_ring(int me, int flag, int zero)                                     \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = 0;                                                                               \
        unsigned head = (unsigned)zero;                                                            \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 20; k++, head = (head + 1) % SMALL)                                    \
            sum += b[head] + c[(me + k) & (SMALL - 1)] + a[(head + (unsigned)flag) % SMALL];       \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_members(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE struct {                                                                           \
            int x[4], y[4];                                                                        \
        } s, t;                                                                                    \
        int sum = zero, *const all = (int *)&t;                                                    \
        for (int k = 0; k < 8; k++)                                                                \
            all[k] = k, ((int *)&s)[k] = 3 * k;                                                    \
        for (int k = 4; k < 8; k++)                                                                \
            sum += t.y[k - 4] - s.x[k - 4];                                                        \
        return sum + all[me] + (flag ? s.y : t.x)[me & 3];                                         \
    }                                                                                              \
    IDIOM_FUNCTION int name##_table(int me, int flag, int zero)                                    \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int *of[3];                                                                                \
        of[0] = a, of[1] = b, of[2] = c;                                                           \
        int sum = 0;                                                                               \
        FILL(a, b, c)                                                                              \
        for (int k = flag; k < 7; k++)                                                             \
            sum += of[(k + zero) % 3][me];                                                         \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_switched(int me, int flag, int zero)                                 \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 6 + flag; k++) {                                                       \
            int *p;                                                                                \
            if (k % 3 == 0)                                                                        \
                p = c;                                                                             \
            else if (k % 3 == 1)                                                                   \
                p = a;                                                                             \
            else                                                                                   \
                p = b;                                                                             \
            sum = 2 * sum + p[me];                                                                 \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_clamped(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        FILL(a, b, c)                                                                              \
        const int right = me + 1 < SMALL ? me + 1 : SMALL - 1, left = me > 0 ? me - 1 : zero;      \
        return a[left] + b[right] + c[flag ? SMALL - 1 : zero] + b[me == SMALL - 1 ? 0 : me + 1];  \
    }                                                                                              \
    IDIOM_FUNCTION int name##_copied(int me, int flag, int zero)                                   \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        FILL(a, b, c)                                                                              \
        memcpy(b, a, sizeof a);                                                                    \
        memset(c, flag &zero, sizeof c);                                                           \
        memset(a, flag &zero, sizeof a);                                                           \
        return a[me] + b[me] + c[me];                                                              \
    }                                                                                              \
    IDIOM_FUNCTION int name##_together(int me, int flag, int zero)                                 \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int i = flag; i < SMALL; i++)                                                         \
            sum += a[i] * b[i] - c[i];                                                             \
        for (int i = 0; i < SMALL; i++)                                                            \
            a[i] = b[i] = c[i] = i;                                                                \
        return sum + a[me] + b[me] + c[me];                                                        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_moved(int me, int flag, int zero)                                    \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int *const p = a + me;                                                                     \
        FILL(a, b, c)                                                                              \
        const uintptr_t apart = (uintptr_t)b - (uintptr_t)a;                                       \
        return *p + *(int *)((uintptr_t)p + apart) + c[flag + zero];                               \
    }                                                                                              \
    IDIOM_FUNCTION int name##_xored(int me, int flag, int zero)                                    \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        const uintptr_t both = (uintptr_t)a ^ (uintptr_t)c;                                        \
        uintptr_t now = (uintptr_t)a;                                                              \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 4 + flag; k++, now ^= both)                                            \
            sum += ((int *)now)[me];                                                               \
        return sum + b[me];                                                                        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_masked(int me, int flag, int zero)                                   \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 3 + flag; k++) {                                                       \
            const uintptr_t mask = -(uintptr_t)(k & 1);                                            \
            sum += ((int *)((uintptr_t)b + (((uintptr_t)c - (uintptr_t)b) & mask)))[me];           \
            sum += ((int *)(((uintptr_t)a & mask) | ((uintptr_t)c & ~mask)))[me];                  \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_multiplied(int me, int flag, int zero)                               \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        volatile int which[2];                                                                     \
        int sum = 0;                                                                               \
        which[0] = zero, which[1] = 1;                                                             \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 3 + flag; k++) {                                                       \
            const uintptr_t n = (uintptr_t)which[k & 1];                                           \
            sum += ((int *)((uintptr_t)a + ((uintptr_t)b - (uintptr_t)a) * n))[me];                \
        }                                                                                          \
        return sum + c[me];                                                                        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_rows(int me, int flag, int zero)                                     \
    {                                                                                              \
        STORAGE int a[4][SMALL], b[4][SMALL];                                                      \
        int sum = zero;                                                                            \
        for (int k = 0; k < 4 * SMALL; k++)                                                        \
            a[k / SMALL][k % SMALL] = k, b[k / SMALL][k % SMALL] = -k;                             \
        for (int r = flag; r < 4; r++)                                                             \
            sum += a[r][me] + b[3 - r][me];                                                        \
        for (int(*r)[SMALL] = a; r < a + 4; r++)                                                   \
            sum -= (*r)[me];                                                                       \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_from_the_middle(int me, int flag, int zero)                          \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int *const middle = b + SMALL / 2;                                                         \
        FILL(a, b, c)                                                                              \
        return middle[me - SMALL / 2] + middle[flag - 1] + a[me] + c[zero];                        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_far_before(int me, int flag, int zero)                               \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int i = 100; i < 100 + SMALL; i++)                                                    \
            sum += c[i - 100] + b[i - 100] - a[107 - i];                                           \
        return sum + c[me + 1000 * zero] + flag;                                                   \
    }                                                                                              \
    IDIOM_FUNCTION int name##_one(int me, int flag, int zero)                                      \
    {                                                                                              \
        STORAGE int a[1], b[SMALL], c[1];                                                          \
        for (int k = 0; k < SMALL; k++)                                                            \
            b[k] = k;                                                                              \
        a[0] = 5, c[0] = 6;                                                                        \
        return (flag ? b : a)[zero] + (me ? b : c)[me] + (me < 4 ? a : b)[me < 4 ? 0 : me];        \
    }                                                                                              \
    IDIOM_FUNCTION int name##_bytes(int me, int flag, int zero)                                    \
    {                                                                                              \
        STORAGE unsigned char a[5], b[SMALL], c[3];                                                \
        int sum = zero;                                                                            \
        for (int k = 0; k < SMALL; k++)                                                            \
            b[k] = (unsigned char)k;                                                               \
        for (int k = 0; k < 5; k++)                                                                \
            a[k] = (unsigned char)(2 * k);                                                         \
        for (int k = 0; k < 3; k++)                                                                \
            c[k] = (unsigned char)(7 + k);                                                         \
        for (int k = 1; k <= 5; k++)                                                               \
            sum += a[k - 1] + b[k - 1 + flag];                                                     \
        return sum + (me < 3 ? c : b)[me] + (flag ? a : c)[me % 3];                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_by_half(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int half = SMALL / 2; half > 0; half /= 2)                                            \
            sum += a[(me & (half - 1)) + half] - b[me & (half - 1)] + c[half - 1 + flag];          \
        return sum;                                                                                \
    }                                                                                              \
    IDIOM_FUNCTION int name##_stepped(int me, int flag, int zero)                                  \
    {                                                                                              \
        STORAGE int a[SMALL], b[SMALL], c[SMALL];                                                  \
        int sum = zero;                                                                            \
        FILL(a, b, c)                                                                              \
        for (int k = 0; k < 2; k++)                                                                \
            sum += (k ? b : a)[me] + (k ? a : c)[me] * (1 + flag);                                 \
        for (int k = 0; k < 3; k++)                                                                \
            sum += 3 * (k == 2 ? c : k == 1 ? b : a)[me];                                          \
        return sum;                                                                                \
    }
#endif
