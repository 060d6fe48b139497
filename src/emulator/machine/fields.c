/* Tables of members. See fields.h. */
#include "emulator/machine/fields.h"

#include <assert.h>
#include <string.h>

#include "emulator/machine/hash.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"

static void element(struct wt_archive *a, const struct wt_field *f, void *at)
{
    if (f->flag)
        wt_archive_bool(a, at);
    else if (f->size == 1)
        wt_archive_u8(a, at, (uint8_t)f->most, f->what);
    else if (f->size == 2)
        wt_archive_u16(a, at, (uint16_t)f->most, f->what);
    else if (f->size == 4)
        wt_archive_u32(a, at, (uint32_t)f->most, f->what);
    else
        wt_archive_u64(a, at, f->most, f->what);
}

void wt_archive_fields(struct wt_archive *a, void *object, const struct wt_field *table)
{
    for (const struct wt_field *f = table; f->what; f++)
        for (unsigned i = 0; i < f->count; i++)
            if (!wt_archive_reads(a) || a->version >= f->since)
                element(a, f, (char *)object + f->offset + (size_t)i * f->size);
}

void wt_hash_fields(void *numbers, const void *object, const struct wt_field *table)
{
    for (const struct wt_field *f = table; f->what; f++)
        for (unsigned i = 0; i < f->count && f->hash != WT_UNHASHED; i++)
            memcpy((char *)numbers + f->hash + (size_t)i * 8,
                   (const char *)object + f->offset + (size_t)i * f->size, f->size);
}

void wt_check_fields(const void *object, const struct wt_field *table)
{
    for (const struct wt_field *f = table; f->what; f++)
        for (unsigned i = 0; i < f->count; i++) {
            uint64_t value = 0;
            memcpy(&value, (const char *)object + f->offset + (size_t)i * f->size, f->size);
            assert(value <= f->most);
        }
}

void wt_hash_machine(uint64_t numbers[8], const struct wt_machine *m)
{
    const struct wt_schedule *s = &m->turns.policy;
    const uint64_t all[8] = {m->time, m->fault.kind, m->turns.current, m->turns.left,
                             s->kind, s->turn,       s->seed,          s->state};
    memcpy(numbers, all, sizeof all);
}
