/* The command processor of Vortex 3.0. See command.h. */
#include "runtime/vortex/command.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

enum {
    CTRL = 0x000, /* bit 0: enable, bit 1: reset */
    STATUS = 0x004,
    DEV_CAPS = 0x008,
    CYCLE = 0x010,
    GPU_DEV_CAPS = 0x018,
    GPU_ISA_CAPS = 0x020,
    SATP = 0x028,
    RING_BASE = 0x100,
    HEAD_ADDR = 0x108,
    CMPL_ADDR = 0x110,
    RING_SIZE_LOG2 = 0x118,
    CONTROL = 0x11c, /* control of the queue, as CTRL */
    TAIL = 0x120,    /* the upper half makes both count */
    SEQNUM = 0x128,
    ERROR = 0x12c,
    LAST_DCR_RSP = 0x130,
};

enum { ENABLE = 1, RESET = 2, LEAST_LOG2 = 6, MOST_LOG2 = 16, MOST_OF_LINE = 5, DCR_END = 0x1000 };

enum opcode {
    NOP,
    MEM_WRITE,
    MEM_READ,
    MEM_COPY,
    DCR_WRITE,
    DCR_READ,
    LAUNCH,
    FENCE,
    EVENT_SIG,
    EVENT_WAIT,
    CACHE_FLUSH,
    LAUNCH_QMD,
    DRAW,
    OPCODES
};

static const struct {
    const char *name;
    unsigned size;      /* bytes, with the header of 4 */
    unsigned arguments; /* that it uses */
} commands[OPCODES] = {[NOP] = {"NOP", 4, 0},
                       [MEM_WRITE] = {"MEM_WRITE", 28, 3},
                       [MEM_READ] = {"MEM_READ", 28, 3},
                       [MEM_COPY] = {"MEM_COPY", 28, 3},
                       [DCR_WRITE] = {"DCR_WRITE", 20, 2},
                       [DCR_READ] = {"DCR_READ", 20, 2},
                       [LAUNCH] = {"LAUNCH", 12, 0},
                       [FENCE] = {"FENCE", 8, 0},
                       [EVENT_SIG] = {"EVENT_SIG", 20, 2},
                       [EVENT_WAIT] = {"EVENT_WAIT", 28, 3},
                       [CACHE_FLUSH] = {"CACHE_FLUSH", 12, 1},
                       [LAUNCH_QMD] = {"LAUNCH_QMD", 12, 1},
                       [DRAW] = {"DRAW", 12, 1}};

static enum command_result refuse(struct wt_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum command_result refuse(struct wt_error *err, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(err->text, sizeof err->text, format, list);
    va_end(list);
    return COMMAND_REFUSED;
}

static void queue_reset(struct command_processor *p)
{
    if (p->launched)
        p->target->abandon(p->context);
    p->tail = p->head = p->sequence = 0;
    p->tail_low = p->error = p->dcr = 0;
    p->loaded = p->launched = p->noted = false;
}

void command_reset(struct command_processor *p)
{
    queue_reset(p);
    p->control = p->queue_control = 0;
    p->ring = p->head_place = p->sequence_place = 0;
    p->ring_log2 = MOST_LOG2;
}

/* ---- commands ---- */

struct vx_command {
    enum opcode opcode;
    uint64_t argument[3];
};

/* The units whose registers Vortex 3.0 has from these numbers on, and this one does not. */
static const char *unit_of(uint32_t dcr)
{
    static const struct {
        uint32_t first, end;
        const char *unit;
    } units[] = {{0x40, 0x60, "TEX"},
                 {0x60, 0x6a, "RASTER"},
                 {0x80, 0x93, "OM"},
                 {0xa0, 0xa7, "RTU"},
                 {0x100, 0x280, "DXA"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (dcr >= units[i].first && dcr < units[i].end)
            return units[i].unit;
    return NULL;
}

static enum command_result no_dcr(uint64_t addr, struct wt_error *err)
{
    const char *unit = addr < DCR_END ? unit_of((uint32_t)addr) : NULL;
    return unit ? refuse(err,
                         "device configuration register 0x%" PRIx64 " is one of the %s unit, which "
                         "this Vortex has not",
                         addr, unit)
                : refuse(err, "there is no device configuration register 0x%" PRIx64, addr);
}

static enum command_result write_dcr(const struct command_processor *p, uint64_t addr,
                                     uint64_t value, struct wt_error *err)
{
    return addr < DCR_END && p->target->write_dcr(p->context, (uint32_t)addr, (uint32_t)value)
               ? COMMAND_DONE
               : no_dcr(addr, err);
}

static enum command_result read_dcr(struct command_processor *p, uint64_t addr, uint64_t tag,
                                    struct wt_error *err)
{
    return addr < DCR_END && p->target->read_dcr(p->context, (uint32_t)addr, (uint32_t)tag, &p->dcr)
               ? COMMAND_DONE
               : no_dcr(addr, err);
}

/* Writes the registers of a descriptor: a count, and pairs of number and value. */
static enum command_result apply(const struct command_processor *p, uint64_t at,
                                 struct wt_error *err)
{
    enum { MOST_PAIRS = 64, PAIR = 8 };
    uint8_t count[4], pair[MOST_PAIRS * PAIR];
    if (!p->target->read(p->context, at, count, sizeof count, err))
        return COMMAND_REFUSED;
    const uint64_t pairs = wt_load_le(count, 4);
    if (pairs > MOST_PAIRS)
        return refuse(err, "a descriptor at 0x%" PRIx64 " of %" PRIu64 " registers: at most %d", at,
                      pairs, MOST_PAIRS);
    if (!p->target->read(p->context, at + sizeof count, pair, pairs * PAIR, err))
        return COMMAND_REFUSED;
    enum command_result result = COMMAND_DONE;
    for (size_t i = 0; i < pairs && !result; i++)
        result =
            write_dcr(p, wt_load_le(pair + i * PAIR, 4), wt_load_le(pair + i * PAIR + 4, 4), err);
    return result;
}

static enum command_result launch(struct command_processor *p, const struct vx_command *c,
                                  struct wt_error *err)
{
    if (!p->launched) {
        const enum command_result result =
            c->opcode == LAUNCH_QMD ? apply(p, c->argument[0], err) : COMMAND_DONE;
        if (result)
            return result;
        p->target->begin(p->context);
    }
    const enum command_result result = p->target->run(p->context, err);
    p->launched = result == COMMAND_WAITS;
    return result;
}

static enum command_result event_wait(const struct command_processor *p, const struct vx_command *c,
                                      struct wt_error *err)
{
    enum { EQUAL, AT_LEAST, GREATER, OTHER };
    uint8_t bytes[8];
    if (!p->target->read(p->context, c->argument[0], bytes, sizeof bytes, err))
        return COMMAND_REFUSED;
    const uint64_t is = wt_load_le(bytes, sizeof bytes), wanted = c->argument[1];
    const unsigned operation = (unsigned)c->argument[2] & 3;
    const bool holds = operation == EQUAL      ? is == wanted
                       : operation == AT_LEAST ? is >= wanted
                       : operation == GREATER  ? is > wanted
                                               : is != wanted;
    return holds ? COMMAND_DONE : COMMAND_WAITS;
}

static enum command_result execute(struct command_processor *p, const struct vx_command *c,
                                   struct wt_error *err)
{
    const uint64_t *argument = c->argument;
    uint8_t bytes[8];
    switch (c->opcode) {
    case MEM_WRITE:
    case MEM_READ:
    case MEM_COPY:
        return !argument[2] ||
                       p->target->copy(p->context, argument[0], argument[1], argument[2], err)
                   ? COMMAND_DONE
                   : COMMAND_REFUSED;
    case DCR_WRITE:
        return write_dcr(p, argument[0], argument[1], err);
    case DCR_READ:
        return read_dcr(p, argument[0], argument[1], err);
    case LAUNCH:
    case LAUNCH_QMD:
        return launch(p, c, err);
    case EVENT_SIG:
        wt_store_le(bytes, argument[1], sizeof bytes);
        return p->target->write(p->context, argument[0], bytes, sizeof bytes, err)
                   ? COMMAND_DONE
                   : COMMAND_REFUSED;
    case EVENT_WAIT:
        return event_wait(p, c, err);
    case CACHE_FLUSH: /* there is no cache */
        return argument[0] <= p->cores
                   ? COMMAND_DONE
                   : refuse(err, "%" PRIu64 " cores: there are %" PRIu32, argument[0], p->cores);
    case DRAW:
        return refuse(err, "a draw needs the RASTER, TEX and OM units, which this Vortex has not: "
                           "DEV_CAPS bit 25 is 0");
    case NOP:
    case FENCE:
    case OPCODES:
        return COMMAND_DONE;
    }
    return COMMAND_DONE;
}

static void command_text(const struct command_processor *p, const struct vx_command *c, char *text,
                         size_t size)
{
    int used =
        snprintf(text, size, "command %" PRIu64 ": %s", p->sequence + 1, commands[c->opcode].name);
    for (unsigned i = 0; i < commands[c->opcode].arguments; i++)
        used += snprintf(text + used, size - (size_t)used, "%s0x%" PRIx64, i ? ", " : " ",
                         c->argument[i]);
}

static void note(const struct command_processor *p, const struct vx_command *c)
{
    char text[160];
    command_text(p, c, text, sizeof text);
    p->target->note(p->context, commands[c->opcode].name, text);
}

/* ---- the ring ---- */

/* Writes to a place of the host; 0: there is none. */
static enum command_result publish(const struct command_processor *p, uint64_t place,
                                   uint64_t value, struct wt_error *err)
{
    uint8_t bytes[8];
    wt_store_le(bytes, value, sizeof bytes);
    return !place || p->target->write(p->context, place, bytes, sizeof bytes, err)
               ? COMMAND_DONE
               : COMMAND_REFUSED;
}

static enum command_result load_line(struct command_processor *p, struct wt_error *err)
{
    const uint64_t in_ring = p->head & ((UINT64_C(1) << p->ring_log2) - 1);
    if (!p->target->read(p->context, p->ring + in_ring, p->line, COMMAND_LINE, err))
        return COMMAND_REFUSED;
    p->loaded = true;
    p->offset = 0;
    return COMMAND_DONE;
}

/* The next command of the line. *end: it has none. */
static enum command_result decode(const struct command_processor *p, struct vx_command *c,
                                  bool *end, struct wt_error *err)
{
    enum { HEADER = 4 };
    const unsigned left = COMMAND_LINE - p->offset;
    const uint8_t *at = p->line + p->offset;
    *end = left < HEADER || (!at[0] && !at[1]); /* a header of zeros fills a line */
    if (*end)
        return COMMAND_DONE;
    if (at[0] >= OPCODES)
        return refuse(err, "there is no command 0x%02x (at byte %u of the line)", at[0], p->offset);
    c->opcode = at[0];
    const unsigned size = commands[c->opcode].size;
    if (size > left)
        return refuse(err, "%s at byte %u of the line: its %u bytes reach beyond the line's 64",
                      commands[c->opcode].name, p->offset, size);
    for (unsigned i = 0; i < 3; i++)
        c->argument[i] = HEADER + 8 * (i + 1) <= size ? wt_load_le(at + HEADER + 8 * i, 8) : 0;
    return COMMAND_DONE;
}

static enum command_result next_line(struct command_processor *p, struct wt_error *err)
{
    p->loaded = false;
    p->head += COMMAND_LINE;
    return publish(p, p->head_place, p->head, err);
}

static enum command_result step(struct command_processor *p, struct wt_error *err)
{
    struct vx_command c = {.opcode = NOP};
    bool end;
    enum command_result result;
    if (!p->loaded && (result = load_line(p, err)))
        return result;
    if ((result = decode(p, &c, &end, err)))
        return result;
    if (end)
        return next_line(p, err);
    if (!p->noted)
        note(p, &c);
    p->noted = true;
    if ((result = execute(p, &c, err)))
        return result;
    p->noted = false;
    p->offset += commands[c.opcode].size;
    return publish(p, p->sequence_place, ++p->sequence, err);
}

static bool is_enabled(const struct command_processor *p)
{
    return p->control & p->queue_control & ENABLE;
}

/* Carries out what the ring has. What fails stops the queue. */
static enum command_result advance(struct command_processor *p, struct wt_error *err)
{
    enum command_result result = COMMAND_DONE;
    while (is_enabled(p) && !p->error && p->head < p->tail && !result)
        result = step(p, err);
    if (result == COMMAND_REFUSED || result == COMMAND_FAULT) {
        char why[sizeof err->text];
        snprintf(why, sizeof why, "%s", err->text);
        p->error = result;
        snprintf(err->text, sizeof err->text,
                 "command %" PRIu64 " (line %" PRIu64 " of the ring): %.300s; the queue stops",
                 p->sequence + 1, p->head / COMMAND_LINE, why);
        return result;
    }
    return COMMAND_DONE;
}

static enum command_result set_tail(struct command_processor *p, uint64_t tail,
                                    struct wt_error *err)
{
    const uint64_t room = UINT64_C(1) << p->ring_log2;
    if (tail % COMMAND_LINE || tail < p->head || tail - p->head > room)
        return refuse(err,
                      "TAIL 0x%" PRIx64 ": it is a multiple of 64, at most the ring's 0x%" PRIx64
                      " bytes after the head 0x%" PRIx64,
                      tail, room, p->head);
    p->tail = tail;
    return COMMAND_DONE;
}

/* ---- what debuggers are told ---- */

static bool is_launch(const struct vx_command *c)
{
    return c->opcode == LAUNCH || c->opcode == LAUNCH_QMD;
}

/* A command of the ring, in a copy of the processor that has come to it. */
static void tell_command(const struct command_processor *p, const struct vx_command *c, bool first,
                         FILE *out)
{
    uint8_t word[8];
    char text[160];
    command_text(p, c, text, sizeof text);
    fprintf(out, "  %s: %s", !first ? "then" : is_launch(c) ? "runs" : "next", text);
    if (first && c->opcode == EVENT_WAIT &&
        p->target->read(p->context, c->argument[0], word, sizeof word, WT_IGNORED))
        fprintf(out, ", waits: the word is 0x%" PRIx64, wt_load_le(word, sizeof word));
    fputc('\n', out);
}

void command_tell(const struct command_processor *processor, bool launches, FILE *out)
{
    enum { MOST = 32 };
    struct command_processor ahead = *processor, *p = &ahead;
    struct vx_command c = {.opcode = NOP};
    unsigned told = 0;
    if (!launches)
        fprintf(out,
                "queue 0: a ring of 0x%" PRIx64 " bytes at 0x%" PRIx64 ", %" PRIu64
                " commands carried out%s\n",
                UINT64_C(1) << p->ring_log2, p->ring, p->sequence,
                p->error        ? "; the next one has stopped it"
                : is_enabled(p) ? ""
                                : "; it is not enabled");
    while (p->head < p->tail && told < MOST) {
        bool end;
        if ((!p->loaded && load_line(p, WT_IGNORED)) || decode(p, &c, &end, WT_IGNORED)) {
            fprintf(out, "  line %" PRIu64 " cannot be read\n", p->head / COMMAND_LINE);
            return;
        }
        if (end) {
            p->loaded = false;
            p->head += COMMAND_LINE;
            continue;
        }
        const bool first = told++ == 0;
        if (!launches)
            tell_command(p, &c, first, out);
        else if (!first && is_launch(&c))
            fprintf(out, "  not begun: %s of command %" PRIu64 "\n", commands[c.opcode].name,
                    p->sequence + 1);
        p->offset += commands[c.opcode].size;
        p->sequence++;
    }
    if (p->head < p->tail && !launches)
        fprintf(out, "  and others, up to line %" PRIu64 "\n", p->tail / COMMAND_LINE - 1);
}

/* ---- registers ---- */

static uint64_t *place_of(struct command_processor *p, uint32_t offset)
{
    switch (offset & ~4u) {
    case RING_BASE:
        return &p->ring;
    case HEAD_ADDR:
        return &p->head_place;
    case CMPL_ADDR:
        return &p->sequence_place;
    default:
        return NULL;
    }
}

static enum command_result get(struct command_processor *p, uint32_t offset, uint32_t *value,
                               struct wt_error *err)
{
    enum { QUEUES = 1, TAG_WIDTH = 6, LAUNCHES_QMD = 1 << 26 };
    const unsigned shift = offset & 4 ? 32 : 0;
    const uint64_t *place = offset % 4 ? NULL : place_of(p, offset);
    *value = 0;
    if (place) {
        *value = (uint32_t)(*place >> shift);
        return COMMAND_DONE;
    }
    switch (offset) {
    case CTRL:
        *value = p->control;
        return COMMAND_DONE;
    case STATUS:
        *value = p->error ? 2 : is_enabled(p) && p->head < p->tail;
        return COMMAND_DONE;
    case DEV_CAPS:
        *value = LAUNCHES_QMD | TAG_WIDTH << 16 | MOST_LOG2 << 8 | QUEUES;
        return COMMAND_DONE;
    case CYCLE:
    case CYCLE + 4:
        *value = (uint32_t)(p->target->cycle(p->context) >> shift);
        return COMMAND_DONE;
    case GPU_DEV_CAPS:
    case GPU_DEV_CAPS + 4:
        *value = (uint32_t)(p->device_caps >> shift);
        return COMMAND_DONE;
    case GPU_ISA_CAPS:
    case GPU_ISA_CAPS + 4:
        *value = (uint32_t)(p->isa_caps >> shift);
        return COMMAND_DONE;
    case SATP:
    case SATP + 4:
        return COMMAND_DONE;
    case RING_SIZE_LOG2:
        *value = p->ring_log2;
        return COMMAND_DONE;
    case CONTROL:
        *value = p->queue_control;
        return COMMAND_DONE;
    case TAIL:
        *value = p->tail_low;
        return COMMAND_DONE;
    case TAIL + 4:
        *value = (uint32_t)(p->tail >> 32);
        return COMMAND_DONE;
    case SEQNUM:
    case LAST_DCR_RSP: /* what waits for a command of a queue that has stopped waits for ever */
        *value = offset == SEQNUM ? (uint32_t)p->sequence : p->dcr;
        return p->error ? COMMAND_STOPPED : COMMAND_DONE;
    case ERROR:
        *value = p->error;
        return COMMAND_DONE;
    default:
        return refuse(err, "register 0x%" PRIx32 " of the command processor: there is none",
                      offset);
    }
}

static enum command_result set(struct command_processor *p, uint32_t offset, uint32_t value,
                               struct wt_error *err)
{
    uint64_t *place = offset % 4 ? NULL : place_of(p, offset);
    if (place) {
        *place = offset & 4 ? (*place & UINT32_MAX) | (uint64_t)value << 32
                            : (*place & ~(uint64_t)UINT32_MAX) | value;
        return COMMAND_DONE;
    }
    switch (offset) {
    case CTRL:
    case CONTROL:
        *(offset == CTRL ? &p->control : &p->queue_control) = value & ~(uint32_t)RESET;
        if (value & RESET)
            queue_reset(p);
        return COMMAND_DONE;
    case SATP:
    case SATP + 4:
        return value ? refuse(err, "SATP: this Vortex has no MMU: DEV_CAPS bit 24 is 0")
                     : COMMAND_DONE;
    case RING_SIZE_LOG2:
        if (value < LEAST_LOG2 || value > MOST_LOG2)
            return refuse(err, "RING_SIZE_LOG2 %" PRIu32 ": it is %d to %d", value, LEAST_LOG2,
                          MOST_LOG2);
        p->ring_log2 = value;
        return COMMAND_DONE;
    case TAIL:
        p->tail_low = value;
        return COMMAND_DONE;
    case TAIL + 4:
        return set_tail(p, (uint64_t)value << 32 | p->tail_low, err);
    default:
        return refuse(err, "register 0x%" PRIx32 " of the command processor: %s", offset,
                      get(p, offset, &value, WT_IGNORED) == COMMAND_REFUSED
                          ? "there is none"
                          : "it can only be read");
    }
}

enum command_result command_register_write(struct command_processor *p, uint32_t offset,
                                           uint32_t value, struct wt_error *err)
{
    const bool resets = (offset == CTRL || offset == CONTROL) && value & RESET;
    if (p->error && !resets)
        return COMMAND_STOPPED;
    const enum command_result result = set(p, offset, value, err);
    return result ? result : advance(p, err);
}

enum command_result command_register_read(struct command_processor *p, uint32_t offset,
                                          uint32_t *value, struct wt_error *err)
{
    const enum command_result result = advance(p, err);
    return result ? result : get(p, offset, value, err);
}
