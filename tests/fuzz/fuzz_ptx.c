/*
 * Fuzz target: PTX text. What parses is linked; what links runs its first kernel for some issues,
 * over one mapped page, with and without an interruption by saving and putting back the state; with
 * blocks translated from the first visit on, and without.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/ptx/ptx.h"
#include "emulator/machine/state.h"
#include "object/ptx_section.h"
#include "object/ptx_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE UINT64_C(0x100000000)
#define DATA UINT64_C(0x180000000)
#define BUFFER UINT64_C(0x200000000)
#define BANK UINT64_C(0x300000000)
#define LOCAL UINT64_C(0x400000000)
#define HEAP UINT64_C(0x500000000)
#define HEAP_SIZE 0x1000

/* Sizes that a text may ask for, but not here. */
static bool is_small(const struct ptx_module *m)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->variable_count; i++)
        if ((bytes += m->variable[i].bytes) > 1 << 16 || m->variable[i].bytes > 1 << 16 ||
            m->variable[i].range > 4096)
            return false;
    return true;
}

/* Sections of debug information. */
static bool any_name(void *context, struct ptx_name name, unsigned size, struct wt_buffer *out)
{
    (void)context;
    if (!name.length || size > 8)
        abort();
    wt_buffer_append_number(out, name.length, size);
    return true;
}

static void read_sections(const struct ptx_module *m)
{
    for (size_t i = 0; i < m->section_count; i++) {
        struct wt_buffer out = {0};
        struct wt_error err;
        ptx_section_bytes(&m->section[i], any_name, NULL, &out, &err);
        free(out.bytes);
    }
}

/* The module as the cache on disk gives it back; bytes with one bit flipped are refused. */
static struct ptx_module stored_and_restored(struct ptx_module *m, const char *text, size_t size)
{
    struct ptx_module again;
    uint8_t *bytes;
    size_t length;
    if (!ptx_store(m, &bytes, &length) ||
        !ptx_restore(bytes, length, text, strlen(m->text), &again))
        abort();
    bytes[size * 7919 % length] ^= 4;
    struct ptx_module damaged;
    if (ptx_restore(bytes, length, text, strlen(m->text), &damaged))
        abort();
    free(bytes);
    ptx_free(m);
    return again;
}

static void copy(struct sm_device *d, uint64_t at, const uint8_t *bytes, size_t size, bool writable)
{
    struct wt_error err;
    if (size && (sm_device_map(d, at, size, writable, &err) != WT_OK ||
                 !sm_device_write(d, at, bytes, size)))
        abort();
}

static void run(struct sm_device *d)
{
    struct wt_machine *m = sm_machine(d);
    for (unsigned i = 0; i < 8; i++) {
        m->ops->run(m, 50);
        sm_check(m);
        struct wt_state *saved = wt_state_save(m);
        if (!saved)
            abort();
        m->ops->run(m, 70);
        const uint64_t once = m->ops->hash(m);
        wt_state_restore(m, saved);
        m->ops->run(m, 70);
        if (m->ops->hash(m) != once)
            abort();
        wt_state_free(saved);
    }
}

/* The state at the end of a run; `jit` as in struct sm_config. */
static uint64_t launch(struct sm_ptx *image, const struct sm_ptx_kernel *kernel, unsigned jit)
{
    struct sm_config config;
    struct sm_device *d;
    struct wt_error err;
    uint8_t bank[0x1000] = {0};
    size_t code_size, data_size;
    const uint8_t *code = sm_ptx_code(image, &code_size), *data = sm_ptx_data(image, &data_size);
    sm_config_default(&config);
    config.jit = jit;
    if (sm_device_new(&config, &d, &err) != WT_OK)
        abort();
    copy(d, CODE, code, code_size, false);
    copy(d, DATA, data, data_size, true);
    if (sm_device_map(d, BUFFER, 0x1000, true, &err) != WT_OK ||
        sm_device_map(d, HEAP, HEAP_SIZE, true, &err) != WT_OK)
        abort();
    for (unsigned i = 0x140; i + 8 <= sizeof bank; i += 8)
        wt_store_le(bank + i, BUFFER, 8);
    copy(d, BANK, bank, sizeof bank, false);
    struct sm_launch l = {.entry = kernel->entry,
                          .grid = {2, 1, 1},
                          .block = {40, 1, 1},
                          .shared = kernel->shared + 64,
                          .local = kernel->local,
                          .bank = {BANK},
                          .bank_size = {sizeof bank},
                          .local_base = LOCAL,
                          .heap = HEAP,
                          .heap_size = HEAP_SIZE};
    sm_ptx_launch(image, kernel, &l);
    if (sm_device_attach_ptx(d, image, &err) != WT_OK)
        abort();
    if (kernel->local &&
        sm_device_map(d, LOCAL, sm_device_local_size(d, kernel->local), true, &err) != WT_OK)
        abort();
    if (sm_device_launch(d, &l, &err) == WT_OK)
        run(d);
    const uint64_t hash = sm_machine(d)->ops->hash(sm_machine(d));
    sm_device_free(d);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_module text;
    struct wt_error err;
    struct sm_ptx *image;
    if (ptx_parse("fuzz", (const char *)data, size, &text, &err) != WT_OK)
        return 0;
    text = stored_and_restored(&text, (const char *)data, size);
    const struct sm_ptx_module module = {"fuzz", &text};
    read_sections(&text);
    if (is_small(&text) && sm_ptx_link(&module, 1, CODE, DATA, &image, &err) == WT_OK) {
        size_t count;
        const struct sm_ptx_kernel *list = sm_ptx_kernels(image, &count);
        for (size_t i = 0; i < count; i++) {
            if (!list[i].is_kernel || list[i].rows > 4096 || list[i].shared > 4096)
                continue;
            if (launch(image, &list[i], 0) != launch(image, &list[i], 1))
                abort();
            break;
        }
        sm_ptx_free(image);
    }
    ptx_free(&text);
    return 0;
}
