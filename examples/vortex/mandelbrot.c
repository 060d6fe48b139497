/*
 * The Mandelbrot set: for each pixel a loop that ends when it ends, so the lanes of a warp leave it
 * at different times (vx_while), and then an if that divides them (VX_IF).
 */
#include "check.h"
#include "vortex.h"

#define WIDTH 64
#define HEIGHT 24
#define LIMIT 60

struct point {
    float x0, y0; /**< the point of the plane */
    float x, y;
    unsigned count; /**< steps done */
};

static uint8_t picture[HEIGHT][WIDTH], expected[HEIGHT][WIDTH];

static struct point begin(unsigned pixel)
{
    struct point point = {0};
    point.x0 = (float)(pixel % WIDTH) * (3.0f / WIDTH) - 2.2f;
    point.y0 = (float)(pixel / WIDTH) * (2.4f / HEIGHT) - 1.15f;
    return point;
}

/** One step of the iteration; 0 when the point has escaped or the limit is reached. */
static int iterate(void *p)
{
    struct point *point = p;
    float xx = point->x * point->x;
    float yy = point->y * point->y;
    point->y = 2.0f * point->x * point->y + point->y0;
    point->x = xx - yy + point->x0;
    point->count++;
    return (xx + yy < 4.0f) & (point->count < LIMIT);
}

static void draw(void *p, size_t pixel)
{
    uint8_t *out = p;
    struct point point = begin(pixel);
    vx_while(iterate, &point);
    VX_IF (point.count == LIMIT)
        out[pixel] = '#';
    VX_ELSE
        out[pixel] = (uint8_t)" .,:;-=+"[point.count % 8];
    VX_END
}

/** The same, by one thread and without the library. */
static void draw_serially(uint8_t *out, unsigned pixel)
{
    struct point point = begin(pixel);
    while (iterate(&point))
        ;
    if (point.count == LIMIT)
        out[pixel] = '#';
    else
        out[pixel] = (uint8_t)" .,:;-=+"[point.count % 8];
}

int main(void)
{
    vx_parallel(WIDTH * HEIGHT, draw, picture);
    for (unsigned y = 0; y < HEIGHT; y++)
        printf("%.*s\n", WIDTH, (const char *)picture[y]);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        draw_serially(&expected[0][0], i);
    return judge("mandelbrot", picture, expected, WIDTH * HEIGHT, 1);
}
