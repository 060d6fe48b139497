/* Memory for the registers of warps. */
#include <sys/mman.h>

#include "emulator/sm/internal.h"

static size_t bytes_of_rows(uint32_t rows)
{
    return (size_t)rows * SM_LANES * sizeof(uint32_t) + WT_PAGE_SIZE;
}

/* Pages come as they are touched: a warp of PTX hardly ever touches the registers of machine code.
 * Rows of one number begin at different places of a page, so that the host's caches have room for
 * those of many warps. */
uint32_t (*sm_rows_new(uint32_t warp, uint32_t rows))[SM_LANES]
{
    const size_t row = SM_LANES * sizeof(uint32_t);
    uint8_t *at =
        mmap(NULL, bytes_of_rows(rows), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : (uint32_t(*)[SM_LANES])(at + warp * row % WT_PAGE_SIZE);
}

void sm_rows_free(uint32_t (*r)[SM_LANES], uint32_t rows)
{
    if (r)
        munmap((uint8_t *)r - ((uintptr_t)r & WT_PAGE_MASK), bytes_of_rows(rows));
}
