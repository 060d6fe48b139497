/* The sections of core files. See core_format.h. */
#include "emulator/machine/core_format.h"
#include "emulator/machine/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

void wt_core_device(struct wt_archive *a, struct wt_core_device *d)
{
    wt_archive_text(a, d->family, sizeof d->family);
    wt_archive_text(a, d->config, sizeof d->config);
    wt_archive_text(a, d->program, sizeof d->program);
    wt_archive_text(a, d->reason, sizeof d->reason);
    wt_archive_u32(a, &d->wave, UINT32_MAX, "the selected wave");
    wt_archive_u32(a, &d->lane, UINT32_MAX, "the selected lane");
}

/* The rest of a section, whose length says how much there is. */
static void rest(struct wt_archive *a, const uint8_t **bytes, uint64_t *length)
{
    if (!wt_archive_reads(a)) {
        wt_archive_bytes(a, (void *)(uintptr_t)*bytes, *length);
        return;
    }
    *bytes = a->in;
    *length = a->left;
    a->in += a->left;
    a->left = 0;
}

void wt_core_module(struct wt_archive *a, struct wt_core_module *m)
{
    wt_archive_text(a, m->name, sizeof m->name);
    wt_archive_u64(a, &m->bias, UINT64_MAX, "a module's address");
    wt_archive_u32(a, &m->device, UINT32_MAX, "a module's device");
    rest(a, &m->bytes, &m->length);
}

void wt_core_text(struct wt_archive *a, struct wt_core_text *t)
{
    wt_archive_text(a, t->name, sizeof t->name);
    rest(a, &t->text, &t->length);
}

#define MOST_TEXTS 4096

void wt_core_program(struct wt_archive *a, struct wt_core_program *p)
{
    wt_archive_u64(a, &p->code, UINT64_MAX, "the address of a program");
    wt_archive_u64(a, &p->data, UINT64_MAX, "the address of a program");
    wt_archive_u32(a, &p->device, UINT32_MAX, "a program's device");
    wt_archive_u32(a, &p->count, MOST_TEXTS, "the number of a program's texts");
    if (!p->count)
        wt_archive_fail(a, "a program has no text");
}

void wt_core_program_text(struct wt_archive *a, struct wt_core_text *t)
{
    wt_archive_text(a, t->name, sizeof t->name);
    wt_archive_u64(a, &t->length, UINT64_MAX, "the length of a text");
    if (!wt_archive_reads(a)) {
        wt_archive_bytes(a, (void *)(uintptr_t)t->text, t->length);
        return;
    }
    if (t->length > a->left)
        wt_archive_fail(a, "it ends in the middle of a text");
    if (a->failed)
        return;
    t->text = a->in;
    a->in += t->length;
    a->left -= t->length;
}

/* ---- breakpoints of the recorded run ---- */

#define MOST_PLANTED 65536

static void patch(struct wt_archive *a, struct wt_core_patch *p)
{
    wt_archive_u64(a, &p->addr, UINT64_MAX, "an address");
    wt_archive_u64(a, &p->size, sizeof p->bytes, "the size of a breakpoint");
    wt_archive_bytes(a, p->bytes, sizeof p->bytes);
    wt_archive_bytes(a, p->mask, sizeof p->mask);
}

void wt_core_breakpoints(struct wt_archive *a, struct wt_core_breakpoints *b)
{
    uint32_t count = (uint32_t)b->count;
    wt_archive_u32(a, &count, MOST_PLANTED, "the number of breakpoints");
    if (wt_archive_reads(a)) {
        free(b->list);
        b->list = count ? calloc(count, sizeof *b->list) : NULL;
        b->count = 0;
        if (count && !b->list)
            wt_archive_fail(a, "the host has no memory for its breakpoints");
    }
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        struct wt_core_planted *p = &b->list[i];
        wt_archive_u64(a, &p->addr, UINT64_MAX, "an address");
        wt_archive_u64(a, &p->time, UINT64_MAX, "an issue time");
        patch(a, &p->trap);
        patch(a, &p->original);
        if (!p->trap.size || p->trap.size != p->original.size || p->trap.addr != p->original.addr)
            wt_archive_fail(a, "a breakpoint is not as long as what it covers");
    }
    b->count = a->failed ? 0 : count;
}

/* ---- writing ---- */

enum wt_status wt_core_begin(struct wt_core_writer *w, const char *path, struct wt_error *err)
{
    const uint32_t version = WT_CORE_VERSION;
    *w = (struct wt_core_writer){.path = path};
    enum wt_status status = wt_whole_file_begin(&w->file, path, err);
    if (status)
        return status;
    const int fd = fcntl(w->file.fd, F_DUPFD_CLOEXEC, 0);
    w->out = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!w->out) {
        const int why = errno;
        if (fd >= 0)
            close(fd);
        wt_whole_file_give_up(&w->file);
        return wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(why));
    }
    fwrite(WT_CORE_MAGIC, 1, WT_CORE_MAGIC_BYTES, w->out);
    fwrite(&version, 1, sizeof version, w->out);
    return WT_OK;
}

void wt_core_begin_section(struct wt_core_writer *w, const char *tag)
{
    static const uint8_t length[8];
    fwrite(tag, 1, 4, w->out);
    fwrite(length, 1, sizeof length, w->out);
    w->section = ftell(w->out);
}

/* Puts the length of what was written since into the section's header. */
void wt_core_end_section(struct wt_core_writer *w)
{
    const long end = ftell(w->out);
    const uint64_t length = (uint64_t)(end - w->section);
    fseek(w->out, w->section - 8, SEEK_SET);
    fwrite(&length, 1, sizeof length, w->out);
    fseek(w->out, end, SEEK_SET);
}

uint64_t wt_core_hash(const uint8_t *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

/* The hash of all that is there, at its end. */
static enum wt_status seal(FILE *out, const char *path, struct wt_error *err)
{
    const long length = fflush(out) || ferror(out) ? -1 : ftell(out);
    if (length < 0)
        return wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno));
    void *map = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, fileno(out), 0);
    if (map == MAP_FAILED)
        return wt_fail(err, WT_IO, "%s: cannot read back: %s", path, strerror(errno));
    const uint64_t hash = wt_core_hash(map, (size_t)length);
    munmap(map, (size_t)length);
    if (fwrite("SEAL", 1, 4, out) != 4 || fwrite(&hash, 1, sizeof hash, out) != sizeof hash ||
        fflush(out))
        return wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno));
    return WT_OK;
}

enum wt_status wt_core_finish(struct wt_core_writer *w, struct wt_error *err)
{
    enum wt_status status = seal(w->out, w->path, err);
    if (fclose(w->out) && !status)
        status = wt_fail(err, WT_IO, "%s: cannot write: %s", w->path, strerror(errno));
    if (!status)
        return wt_whole_file_finish(&w->file, err);
    wt_whole_file_give_up(&w->file);
    return status;
}

void wt_core_give_up(struct wt_core_writer *w)
{
    fclose(w->out);
    wt_whole_file_give_up(&w->file);
}

void wt_core_decisions(struct wt_core_writer *w, struct wt_archive *a, struct wt_machine *m)
{
    if (!m->judge || !m->recorded)
        return;
    wt_core_begin_section(w, "JUDG");
    m->judge->archive(m->judge->context, a);
    wt_core_end_section(w);
}
