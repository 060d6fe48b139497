/*
 * Functions of HIP's for arrays. Memory of an array is an object, by the name of the function that
 * has made it; how its texels lie there HIP alone knows, whose kernels copy them.
 */
#include "runtime/hip/calls.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- arrays ---- */

static int made_array(int result, const char *by)
{
    const struct wt_host_checks *c = calls_checks();
    const struct wt_host_order *o = hip_order();
    const struct wt_block is = c ? c->allocated() : (struct wt_block){.size = 0};
    if (result || !is.size)
        return result;
    c->made(NULL, is.addr, is.size, by);
    if (o)
        o->memory_made(is.addr, is.size, false);
    return result;
}

#define MAKES(name, parameters, ...)                                                               \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        const struct wt_host_checks *c = calls_checks();                                           \
        if (c)                                                                                     \
            (void)c->allocated();                                                                  \
        return made_array(CALL(name, __VA_ARGS__), #name);                                         \
    }
struct hip_array_extent { /* hipExtent */
    size_t width, height, depth;
};
MAKES(hipMallocArray,
      (void **array, const void *format, size_t width, size_t height, unsigned flags), array,
      format, width, height, flags)
MAKES(hipMalloc3DArray,
      (void **array, const void *format, struct hip_array_extent extent, unsigned flags), array,
      format, extent, flags)
MAKES(hipArrayCreate, (void **array, const void *what), array, what)
MAKES(hipArray3DCreate, (void **array, const void *what), array, what)

/* The driver sees the end of the memory. */
#define ENDS(name)                                                                                 \
    FUNCTION(name, void *array)                                                                    \
    {                                                                                              \
        const struct wt_host_order *o = hip_order();                                               \
        if (o)                                                                                     \
            o->host_waits_for_all();                                                               \
        return CALL(name, array);                                                                  \
    }
ENDS(hipFreeArray)
ENDS(hipArrayDestroy)

/* ---- copies ---- */

/* Whether a copy that is not to wait does: as hipMemcpyAsync does. */
static bool is_pageable(const void *p)
{
    const struct wt_host_checks *c = p ? calls_checks() : NULL;
    return c && c->is_of_host(calls_address(p));
}

/* Defines one that waits if @p waits. */
#define COPIES(name, stream, waits, parameters, ...)                                               \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        hip_give_array(stream, #name);                                                             \
        return hip_given(CALL(name, __VA_ARGS__), stream, waits);                                  \
    }
COPIES(hipMemcpyToArray, NULL, true,
       (void *to, size_t x, size_t y, const void *from, size_t size, int kind), to, x, y, from,
       size, kind)
COPIES(hipMemcpyFromArray, NULL, true,
       (void *to, const void *from, size_t x, size_t y, size_t size, int kind), to, from, x, y,
       size, kind)
COPIES(hipMemcpy2DToArray, NULL, true,
       (void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
        int kind),
       to, x, y, from, pitch, width, height, kind)
COPIES(hipMemcpy2DFromArray, NULL, true,
       (void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width, size_t height,
        int kind),
       to, pitch, from, x, y, width, height, kind)
COPIES(hipMemcpy2DToArrayAsync, stream, is_pageable(from),
       (void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
        int kind, void *stream),
       to, x, y, from, pitch, width, height, kind, stream)
COPIES(hipMemcpy2DFromArrayAsync, stream, is_pageable(to),
       (void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width, size_t height,
        int kind, void *stream),
       to, pitch, from, x, y, width, height, kind, stream)
COPIES(hipMemcpyAtoH, NULL, true, (void *to, void *from, size_t offset, size_t size), to, from,
       offset, size)
COPIES(hipMemcpyHtoA, NULL, true, (void *to, size_t offset, const void *from, size_t size), to,
       offset, from, size)

struct copy_3d { /* hipMemcpy3DParms */
    struct {
        void *array;
        size_t at[3];
        void *memory;
        size_t pitch, width, height;
    } from, to;
};

static bool waits_3d(const struct copy_3d *p)
{
    return p && ((!p->from.array && is_pageable(p->from.memory)) ||
                 (!p->to.array && is_pageable(p->to.memory)));
}
COPIES(hipMemcpy3D, NULL, true, (const struct copy_3d *p), p)
COPIES(hipMemcpy3DAsync, stream, waits_3d(p), (const struct copy_3d *p, void *stream), p, stream)

struct copy_box { /* hip_Memcpy2D, HIP_MEMCPY3D */
    struct {
        size_t at[2];
        int type; /* hipMemoryType; 0: hipMemoryTypeHost */
        const void *host, *device, *array;
        size_t pitch;
    } from, to;
};

static bool waits_box(const struct copy_box *p)
{
    return p && ((!p->from.type && is_pageable(p->from.host)) ||
                 (!p->to.type && is_pageable(p->to.host)));
}
COPIES(hipMemcpyParam2D, NULL, true, (const struct copy_box *p), p)
COPIES(hipMemcpyParam2DAsync, stream, waits_box(p), (const struct copy_box *p, void *stream), p,
       stream)
COPIES(hipDrvMemcpy3D, NULL, true, (const struct copy_box *p), p)
COPIES(hipDrvMemcpy3DAsync, stream, waits_box(p), (const struct copy_box *p, void *stream), p,
       stream)
