/*
 * Matrix multiplication C = A * B in tiles. A core computes one TILE x TILE part of C at a time:
 * its threads copy a tile of A and one of B into local memory, meet, multiply them from there, meet
 * again, and continue with the next pair. A warp works on whole pieces of rows, so all loops are the
 * same for its lanes; only the edges of the matrix, which is not a multiple of TILE, divide them.
 */
#include "check.h"
#include "vortex.h"

#define N 40
#define TILE 16
#define TILES ((N + TILE - 1) / TILE)

struct job {
    const float (*a)[N], (*b)[N];
    float (*c)[N];
};

/** In the local memory of a core. */
struct tiles {
    float a[TILE * TILE], b[TILE * TILE], c[TILE * TILE];
};

static float a[N][N], b[N][N], c[N][N], expected[N][N];

/** Element @p e of the tile at (@p row, @p column), 0 outside of the matrix. */
static float fetch(const float (*matrix)[N], unsigned row, unsigned column, unsigned e)
{
    float value = 0.0f;
    row += e / TILE;
    column += e % TILE;
    VX_IF ((row < N) & (column < N))
        value = matrix[row][column];
    VX_END
    return value;
}

/** One tile of C, by all threads of a core. */
static void multiply_tile(const struct job *job, unsigned row, unsigned column)
{
    struct tiles *tile = vx_local_memory();
    unsigned lanes = vx_lanes();
    unsigned first = vx_warp() * lanes;
    unsigned stride = vx_warps() * lanes;

    for (unsigned e = first; e < TILE * TILE; e += stride)
        tile->c[e + vx_lane()] = 0.0f;
    for (unsigned k = 0; k < N; k += TILE) {
        for (unsigned e = first; e < TILE * TILE; e += stride) {
            unsigned mine = e + vx_lane();
            tile->a[mine] = fetch(job->a, row, k, mine);
            tile->b[mine] = fetch(job->b, k, column, mine);
        }
        vx_barrier();
        for (unsigned e = first; e < TILE * TILE; e += stride) {
            unsigned mine = e + vx_lane();
            const float *left = &tile->a[mine / TILE * TILE];
            const float *right = &tile->b[mine % TILE];
            float sum = tile->c[mine];
            for (unsigned i = 0; i < TILE; i++)
                sum = __builtin_fmaf(left[i], right[i * TILE], sum);
            tile->c[mine] = sum;
        }
        vx_barrier();
    }
    for (unsigned e = first; e < TILE * TILE; e += stride) {
        unsigned mine = e + vx_lane();
        unsigned i = row + mine / TILE;
        unsigned j = column + mine % TILE;
        VX_IF ((i < N) & (j < N))
            job->c[i][j] = tile->c[mine];
        VX_END
    }
}

static void multiply(void *p)
{
    const struct job *job = p;
    for (unsigned t = vx_core(); t < TILES * TILES; t += vx_cores())
        multiply_tile(job, t / TILES * TILE, t % TILES * TILE);
}

int main(void)
{
    struct job job = {(const float(*)[N])a, (const float(*)[N])b, c};
    for (unsigned i = 0; i < N * N; i++) {
        (&a[0][0])[i] = noise_float(i);
        (&b[0][0])[i] = noise_float(N * N + i);
    }
    vx_launch(multiply, &job);

    for (unsigned i = 0; i < N; i++) {
        for (unsigned j = 0; j < N; j++) {
            float sum = 0.0f;
            for (unsigned k = 0; k < N; k++)
                sum = __builtin_fmaf(a[i][k], b[k][j], sum);
            expected[i][j] = sum;
        }
    }
    return judge("sgemm", c, expected, N * N, sizeof c[0][0]);
}
