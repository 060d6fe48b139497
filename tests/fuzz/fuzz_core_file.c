/*
 * Core files of any bytes behind a right hash: each is refused with a sentence, or gives a device
 * that runs, can be looked at, and whose recorded run can be gone through.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/engine.h"
#include "target/core_file.h"
#include "target/history.h"

#define FEW_ISSUES 200
/* A device with more waves only takes longer. */
#define MOST_WAVES 200
#define MEMORY ((uint64_t)16 << 20)

static void look(struct wt_machine *m)
{
    uint8_t row[WT_ROW_BYTES], bytes[64];
    char place[WT_WAVE_NAME];
    m->engine->check(m);
    for (uint32_t w = 0; w < m->waves; w++) {
        struct wt_wave_view view;
        struct wt_divergence entry;
        m->ops->view(m, w, &view);
        wt_machine_name_wave(m, w, place, sizeof place);
        for (unsigned i = 0; i < view.depth; i++)
            m->ops->divergence(m, w, i, &entry);
        for (unsigned n = 0; n < 70 && view.active; n++) {
            struct wt_register_shape shape;
            if (m->ops->describe_register(m, n, &shape))
                m->ops->read_row(m, w, n, row);
        }
        m->ops->read_memory(m, w, 0, view.pc, bytes, sizeof bytes);
    }
}

static void go_through(struct wt_emulated *e)
{
    struct wt_error err;
    struct wt_timeline *t = e->timeline;
    const uint64_t start = wt_timeline_start(t), end = wt_timeline_end(t);
    look(e->machine);
    /* A file may claim a run of any length, which then takes its time. */
    if (end - start <= FEW_ISSUES * 4) {
        wt_timeline_goto(t, start, &err);
        look(e->machine);
        wt_timeline_goto(t, start + (end - start) / 2, &err);
        look(e->machine);
        wt_timeline_goto(t, end, &err);
    }
    wt_emulated_run(e, FEW_ISSUES);
    look(e->machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct wt_emulated_options options = {.history_memory = (uint64_t)64 << 20,
                                                       .memory = MEMORY};
    struct wt_core_file *file;
    struct wt_emulated e;
    struct wt_error err = {0};
    if (wt_core_file_parse("input", data, size, false, &file, &err) != WT_OK) {
        if (!err.text[0])
            abort();
        return 0;
    }
    if (wt_core_file_load(&e, &options, file, &err) == WT_OK) {
        if (e.machine->waves <= MOST_WAVES)
            go_through(&e);
        wt_emulated_close(&e);
    } else if (!err.text[0]) {
        abort();
    }
    wt_core_file_free(file);
    return 0;
}
