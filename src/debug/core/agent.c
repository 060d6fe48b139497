/* Agent expressions: checking, translating and running them. */
#include "debug/core/agent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* Opcodes, by their names in the manual ("Bytecode Descriptions"). */
enum {
    AX_ADD = 0x02,
    AX_SUB,
    AX_MUL,
    AX_DIV_SIGNED,
    AX_DIV_UNSIGNED,
    AX_REM_SIGNED,
    AX_REM_UNSIGNED,
    AX_LSH,
    AX_RSH_SIGNED,
    AX_RSH_UNSIGNED,
    AX_TRACE,
    AX_TRACE_QUICK,
    AX_LOG_NOT,
    AX_BIT_AND,
    AX_BIT_OR,
    AX_BIT_XOR,
    AX_BIT_NOT,
    AX_EQUAL,
    AX_LESS_SIGNED,
    AX_LESS_UNSIGNED,
    AX_EXT,
    AX_REF8,
    AX_REF16,
    AX_REF32,
    AX_REF64,
    AX_IF_GOTO = 0x20,
    AX_GOTO,
    AX_CONST8,
    AX_CONST16,
    AX_CONST32,
    AX_CONST64,
    AX_REG,
    AX_END,
    AX_DUP,
    AX_POP,
    AX_ZERO_EXT,
    AX_SWAP,
    AX_TRACE16 = 0x30,
    AX_PICK = 0x32,
    AX_ROT,
    AX_PRINTF,
    /* ours */
    AX_CONST = 0x40,
    AX_FAIL,
};

enum {
    MAX_LENGTH = 65535,
    MAX_STACK = 128,
    MAX_STEPS = 10000,
    PRINTF_STEPS = 200,
    MAX_ARGUMENTS = 64,
};

/* operand bytes, values taken from the stack, values left there; -1: refused, -2: always fails */
struct shape {
    int8_t operand, takes, leaves;
};

static const struct shape shapes[] = {
    [0x00] = {-1, 0, 0},           [0x01] = {-2, 0, 0},
    [AX_ADD] = {0, 2, 1},          [AX_SUB] = {0, 2, 1},
    [AX_MUL] = {0, 2, 1},          [AX_DIV_SIGNED] = {0, 2, 1},
    [AX_DIV_UNSIGNED] = {0, 2, 1}, [AX_REM_SIGNED] = {0, 2, 1},
    [AX_REM_UNSIGNED] = {0, 2, 1}, [AX_LSH] = {0, 2, 1},
    [AX_RSH_SIGNED] = {0, 2, 1},   [AX_RSH_UNSIGNED] = {0, 2, 1},
    [AX_TRACE] = {-1, 0, 0},       [AX_TRACE_QUICK] = {-1, 0, 0},
    [AX_LOG_NOT] = {0, 1, 1},      [AX_BIT_AND] = {0, 2, 1},
    [AX_BIT_OR] = {0, 2, 1},       [AX_BIT_XOR] = {0, 2, 1},
    [AX_BIT_NOT] = {0, 1, 1},      [AX_EQUAL] = {0, 2, 1},
    [AX_LESS_SIGNED] = {0, 2, 1},  [AX_LESS_UNSIGNED] = {0, 2, 1},
    [AX_EXT] = {1, 1, 1},          [AX_REF8] = {0, 1, 1},
    [AX_REF16] = {0, 1, 1},        [AX_REF32] = {0, 1, 1},
    [AX_REF64] = {0, 1, 1},        [0x1b] = {-2, 0, 0},
    [0x1c] = {-2, 0, 0},           [0x1d] = {-2, 0, 0},
    [0x1e] = {-2, 0, 0},           [0x1f] = {-2, 0, 0},
    [AX_IF_GOTO] = {2, 1, 0},      [AX_GOTO] = {2, 0, 0},
    [AX_CONST8] = {1, 0, 1},       [AX_CONST16] = {2, 0, 1},
    [AX_CONST32] = {4, 0, 1},      [AX_CONST64] = {8, 0, 1},
    [AX_REG] = {2, 0, 1},          [AX_END] = {0, 0, 0},
    [AX_DUP] = {0, 1, 2},          [AX_POP] = {0, 1, 0},
    [AX_ZERO_EXT] = {1, 1, 1},     [AX_SWAP] = {0, 2, 2},
    [0x2c] = {-2, 0, 0},           [0x2d] = {-2, 0, 0},
    [0x2e] = {-1, 0, 0},           [0x2f] = {-1, 0, 0},
    [AX_TRACE16] = {-1, 0, 0},     [0x31] = {-1, 0, 0},
    [AX_PICK] = {1, 0, 1},         [AX_ROT] = {0, 3, 3},
    [AX_PRINTF] = {3, 0, 0},       [0x35 ... 0x3f] = {-1, 0, 0},
    [AX_CONST] = {0, 0, 1},        [AX_FAIL] = {0, 0, 0},
};

struct op {
    uint8_t code, takes, leaves;
    uint8_t count;   /* printf: arguments */
    uint32_t target; /* jumps: index; reg: slot; printf: offset of its format */
    uint64_t value;
};

struct wt_agent {
    struct op *op;
    size_t ops;
    unsigned *reg;
    size_t regs;
    char *text; /* printf formats, each ended by NUL */
    bool reads_memory;
};

void wt_agent_free(struct wt_agent *agent)
{
    if (!agent)
        return;
    free(agent->op);
    free(agent->reg);
    free(agent->text);
    free(agent);
}

const unsigned *wt_agent_registers(const struct wt_agent *agent, size_t *count)
{
    *count = agent->regs;
    return agent->reg;
}

bool wt_agent_reads_memory(const struct wt_agent *agent)
{
    return agent->reads_memory;
}

static uint64_t load_be(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t slot_of(struct wt_agent *agent, unsigned number)
{
    for (size_t i = 0; i < agent->regs; i++)
        if (agent->reg[i] == number)
            return (uint32_t)i;
    agent->reg[agent->regs] = number;
    return (uint32_t)agent->regs++;
}

/* Bytes of operand: skips of opcodes that always fail have to be known too. */
static size_t operand_size(unsigned code)
{
    if (code == 0x01)
        return 1;
    if (code == 0x2c || code == 0x2d)
        return 2;
    return shapes[code].operand > 0 ? (size_t)shapes[code].operand : 0;
}

static enum wt_status translate(struct wt_agent *agent, const uint8_t *bytes, size_t length,
                                uint32_t *index_at, struct wt_error *err)
{
    size_t text = 0;
    for (size_t pc = 0; pc < length;) {
        unsigned code = bytes[pc];
        size_t start = pc++;
        if (code >= AX_CONST || shapes[code].operand == -1)
            return wt_fail(err, WT_INVALID,
                           "agent expression: opcode 0x%02x at byte %zu is not allowed here", code,
                           start);
        size_t size = operand_size(code);
        if (size > length - pc)
            return wt_fail(err, WT_INVALID,
                           "agent expression: opcode 0x%02x at byte %zu lacks its operand", code,
                           start);
        index_at[start] = (uint32_t)agent->ops;
        struct op *op = &agent->op[agent->ops++];
        uint64_t operand = load_be(bytes + pc, size);
        pc += size;
        *op = (struct op){.code = (uint8_t)code,
                          .takes = (uint8_t)shapes[code].takes,
                          .leaves = (uint8_t)shapes[code].leaves,
                          .value = operand};
        if (shapes[code].operand == -2)
            op->code = AX_FAIL;
        switch (code) {
        case AX_CONST8:
        case AX_CONST16:
        case AX_CONST32:
        case AX_CONST64:
            op->code = AX_CONST;
            break;
        case AX_REG:
            op->target = slot_of(agent, (unsigned)operand);
            break;
        case AX_REF8:
        case AX_REF16:
        case AX_REF32:
        case AX_REF64:
            agent->reads_memory = true;
            break;
        case AX_EXT:
        case AX_ZERO_EXT:
            if (operand == 0)
                op->code = AX_FAIL;
            break;
        case AX_PRINTF: {
            size_t bytes_of_text = operand & 0xffff;
            op->count = (uint8_t)(operand >> 16);
            if (bytes_of_text == 0 || bytes_of_text > length - pc ||
                bytes[pc + bytes_of_text - 1] != 0)
                return wt_fail(err, WT_INVALID,
                               "agent expression: printf at byte %zu has no complete format",
                               start);
            if (op->count > MAX_ARGUMENTS)
                return wt_fail(err, WT_INVALID,
                               "agent expression: printf at byte %zu has %u arguments, more than "
                               "%d",
                               start, op->count, MAX_ARGUMENTS);
            memcpy(agent->text + text, bytes + pc, bytes_of_text);
            op->target = (uint32_t)text;
            op->takes = (uint8_t)(op->count + 2); /* function and channel too */
            text += bytes_of_text;
            pc += bytes_of_text;
            agent->reads_memory = true; /* strings */
            break;
        }
        }
    }
    return WT_OK;
}

/* Operations that follow a constant take it along: "ext" of a constant is one. */
static void fold(struct wt_agent *agent, const bool *entered)
{
    for (size_t i = 1; i < agent->ops; i++) {
        struct op *a = &agent->op[i - 1], *b = &agent->op[i];
        if (a->code != AX_CONST || entered[i])
            continue;
        if (b->code == AX_EXT && b->value < 64)
            b->value = (uint64_t)wt_sign_extend(a->value, (unsigned)b->value);
        else if (b->code == AX_ZERO_EXT && b->value < 64)
            b->value = a->value & (((uint64_t)1 << b->value) - 1);
        else
            continue;
        *b = (struct op){.code = AX_CONST, .leaves = 1, .value = b->value};
        a->code = AX_GOTO;
        a->takes = a->leaves = 0;
        a->target = (uint32_t)i;
    }
}

static enum wt_status link_jumps(struct wt_agent *agent, const uint32_t *index_at, size_t length,
                                 struct wt_error *err)
{
    bool *entered = calloc(agent->ops + 1, 1);
    if (!entered)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an agent expression");
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < agent->ops && !status; i++) {
        struct op *op = &agent->op[i];
        if (op->code != AX_GOTO && op->code != AX_IF_GOTO)
            continue;
        if (op->value >= length || index_at[op->value] == UINT32_MAX) {
            status = wt_fail(err, WT_INVALID,
                             "agent expression: a jump leads to byte %u, where no instruction "
                             "begins",
                             (unsigned)op->value);
        } else {
            op->target = index_at[op->value];
            entered[op->target] = true;
        }
    }
    if (!status)
        fold(agent, entered);
    free(entered);
    return status;
}

enum wt_status wt_agent_compile(const uint8_t *bytes, size_t length, struct wt_agent **agent,
                                struct wt_error *err)
{
    *agent = NULL;
    if (length > MAX_LENGTH)
        return wt_fail(err, WT_INVALID, "agent expression: %zu bytes; at most %d are taken", length,
                       MAX_LENGTH);
    struct wt_agent *a = calloc(1, sizeof *a);
    uint32_t *index_at = malloc((length + 1) * sizeof *index_at);
    if (a) {
        a->op = calloc(length + 1, sizeof *a->op);
        a->reg = calloc(length + 1, sizeof *a->reg);
        a->text = calloc(length + 1, 1);
    }
    enum wt_status status = WT_OK;
    if (!a || !index_at || !a->op || !a->reg || !a->text)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for an agent expression");
    if (!status) {
        memset(index_at, 0xff, (length + 1) * sizeof *index_at);
        status = translate(a, bytes, length, index_at, err);
    }
    if (!status)
        status = link_jumps(a, index_at, length, err);
    if (!status)
        a->op[a->ops++] = (struct op){.code = AX_END};
    free(index_at);
    if (status) {
        wt_agent_free(a);
        return status;
    }
    *agent = a;
    return WT_OK;
}

/* ---- printf ---- */

struct printer {
    const struct wt_agent_world *world;
    char buffer[1024];
    size_t used;
};

static void flush(struct printer *out)
{
    if (out->used && out->world->print)
        out->world->print(out->world->context, out->buffer, out->used);
    out->used = 0;
}

static void put(struct printer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (out->used == sizeof out->buffer)
            flush(out);
        out->buffer[out->used++] = text[i];
    }
}

/* A string of the program: at most 1,000 bytes of it, fewer where it cannot be read. */
static void put_string(struct printer *out, uint64_t addr, int precision)
{
    int limit = precision >= 0 && precision < 1000 ? precision : 1000;
    for (int i = 0; i < limit; i++) {
        char c;
        if (!out->world->read_memory ||
            !out->world->read_memory(out->world->context, addr + (unsigned)i, &c, 1)) {
            put(out, "<unreadable>", 12);
            return;
        }
        if (!c)
            return;
        put(out, &c, 1);
    }
}

/* One conversion, rebuilt from checked parts so that the host's printf sees nothing else. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    char length;          /* 'h', 'H' for hh, 'l', or 0 */
    char what;
};

static const char *parse_conversion(const char *s, struct conversion *c)
{
    size_t flags = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; *s && strchr("-+ #0", *s); s++)
        if (flags < sizeof c->flags - 1 && !memchr(c->flags, *s, flags))
            c->flags[flags++] = *s;
    for (; *s >= '0' && *s <= '9'; s++)
        c->width = (c->width < 0 ? 0 : c->width > 100 ? 100 : c->width) * 10 + (*s - '0');
    if (*s == '.') {
        c->precision = 0;
        for (s++; *s >= '0' && *s <= '9'; s++)
            c->precision = (c->precision > 100 ? 100 : c->precision) * 10 + (*s - '0');
    }
    for (; *s && strchr("hlLqjzt", *s); s++)
        c->length = *s == 'h' ? (c->length == 'h' ? 'H' : 'h') : 'l';
    c->what = *s;
    return *s ? s + 1 : s;
}

static void put_number(struct printer *out, const struct conversion *c, uint64_t value)
{
    char format[32], text[320];
    snprintf(format, sizeof format, "%%%s*.*%s", c->flags,
             c->what == 'd' || c->what == 'i' ? PRId64
             : c->what == 'u'                 ? PRIu64
             : c->what == 'o'                 ? PRIo64
             : c->what == 'X'                 ? PRIX64
                                              : PRIx64);
    unsigned bits = c->length == 'l' ? 64 : c->length == 'h' ? 16 : c->length == 'H' ? 8 : 32;
    if (c->what == 'd' || c->what == 'i')
        value = (uint64_t)wt_sign_extend(value, bits);
    else if (bits < 64)
        value &= ((uint64_t)1 << bits) - 1;
    int width = c->width < 0 ? 0 : c->width > 255 ? 255 : c->width;
    int precision = c->precision > 40 ? 40 : c->precision;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = snprintf(text, sizeof text, format, width, precision, value);
#pragma GCC diagnostic pop
    if (n > 0)
        put(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/*
 * GDB sends a format as it was typed, with the escape sequences of C still in it. Takes the one
 * whose backslash @p s points at; an unknown one stands for itself.
 */
static const char *put_escape(struct printer *out, const char *s)
{
    static const char letter[] = "abefnrtv", meaning[] = "\a\b\033\f\n\r\t\v";
    const char *known = s[1] ? strchr(letter, s[1]) : NULL;
    if (known) {
        put(out, &meaning[known - letter], 1);
        return s + 2;
    }
    if (s[1] >= '0' && s[1] <= '7') {
        unsigned value = 0;
        for (s++; *s >= '0' && *s <= '7' && value < 32; s++)
            value = value * 8 + (unsigned)(*s - '0');
        char c = (char)value;
        put(out, &c, 1);
        return s;
    }
    put(out, s[1] ? s + 1 : s, 1);
    return s + (s[1] ? 2 : 1);
}

static bool run_printf(const struct wt_agent_world *world, const char *format,
                       const uint64_t *argument, unsigned count)
{
    struct printer out = {.world = world};
    unsigned used = 0;
    for (const char *s = format; *s;) {
        if (*s == '\\') {
            s = put_escape(&out, s);
            continue;
        }
        if (*s != '%') {
            put(&out, s++, 1);
            continue;
        }
        if (s[1] == '%') {
            put(&out, "%", 1);
            s += 2;
            continue;
        }
        struct conversion c;
        s = parse_conversion(s + 1, &c);
        if (used == count)
            return flush(&out), false;
        uint64_t value = argument[used++];
        switch (c.what) {
        case 's':
            put_string(&out, value, c.precision);
            break;
        case 'c': {
            char ch = (char)value;
            put(&out, &ch, 1);
            break;
        }
        case 'p':
            c = (struct conversion){
                .flags = "#", .width = -1, .precision = -1, .length = 'l', .what = 'x'};
            put_number(&out, &c, value);
            break;
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            put_number(&out, &c, value);
            break;
        default:
            return flush(&out), false;
        }
    }
    flush(&out);
    return true;
}

/* ---- running ---- */

bool wt_agent_run(const struct wt_agent *agent, const uint64_t *registers,
                  const struct wt_agent_world *world, uint64_t *value)
{
    uint64_t cells[MAX_STACK + 1], *stack = cells + 1; /* one below, so that top can point there */
    unsigned depth = 0;
    cells[0] = 0;
    const struct op *op = agent->op;
    for (unsigned steps = 0; steps < MAX_STEPS; steps++, op++) {
        if (depth < op->takes || depth - op->takes + op->leaves > MAX_STACK)
            return false;
        uint64_t *top = stack + depth - 1; /* used only where something is there */
        depth = depth - op->takes + op->leaves;
        uint8_t bytes[8];
        switch (op->code) {
        case AX_ADD:
            top[-1] += top[0];
            break;
        case AX_SUB:
            top[-1] -= top[0];
            break;
        case AX_MUL:
            top[-1] *= top[0];
            break;
        case AX_DIV_SIGNED:
        case AX_REM_SIGNED: {
            int64_t a = (int64_t)top[-1], b = (int64_t)top[0];
            if (b == 0)
                return false;
            bool divide = op->code == AX_DIV_SIGNED;
            if (b == -1) /* the least number has no opposite */
                top[-1] = divide ? -(uint64_t)a : 0;
            else
                top[-1] = (uint64_t)(divide ? a / b : a % b);
            break;
        }
        case AX_DIV_UNSIGNED:
            if (top[0] == 0)
                return false;
            top[-1] /= top[0];
            break;
        case AX_REM_UNSIGNED:
            if (top[0] == 0)
                return false;
            top[-1] %= top[0];
            break;
        case AX_LSH:
            top[-1] = top[0] < 64 ? top[-1] << top[0] : 0;
            break;
        case AX_RSH_SIGNED:
            top[-1] = (uint64_t)((int64_t)top[-1] >> (top[0] < 64 ? top[0] : 63));
            break;
        case AX_RSH_UNSIGNED:
            top[-1] = top[0] < 64 ? top[-1] >> top[0] : 0;
            break;
        case AX_LOG_NOT:
            top[0] = !top[0];
            break;
        case AX_BIT_AND:
            top[-1] &= top[0];
            break;
        case AX_BIT_OR:
            top[-1] |= top[0];
            break;
        case AX_BIT_XOR:
            top[-1] ^= top[0];
            break;
        case AX_BIT_NOT:
            top[0] = ~top[0];
            break;
        case AX_EQUAL:
            top[-1] = top[-1] == top[0];
            break;
        case AX_LESS_SIGNED:
            top[-1] = (int64_t)top[-1] < (int64_t)top[0];
            break;
        case AX_LESS_UNSIGNED:
            top[-1] = top[-1] < top[0];
            break;
        case AX_EXT:
            if (op->value < 64)
                top[0] = (uint64_t)wt_sign_extend(top[0], (unsigned)op->value);
            break;
        case AX_ZERO_EXT:
            if (op->value < 64)
                top[0] &= ((uint64_t)1 << op->value) - 1;
            break;
        case AX_REF8:
        case AX_REF16:
        case AX_REF32:
        case AX_REF64: {
            size_t size = (size_t)1 << (op->code - AX_REF8);
            if (!world->read_memory || !world->read_memory(world->context, top[0], bytes, size))
                return false;
            top[0] = wt_load_le(bytes, size);
            break;
        }
        case AX_IF_GOTO:
            if (top[0])
                op = agent->op + op->target - 1;
            break;
        case AX_GOTO:
            op = agent->op + op->target - 1;
            break;
        case AX_CONST:
            top[1] = op->value;
            break;
        case AX_REG:
            top[1] = registers[op->target];
            break;
        case AX_DUP:
            top[1] = top[0];
            break;
        case AX_POP:
            break;
        case AX_SWAP: {
            uint64_t a = top[0];
            top[0] = top[-1];
            top[-1] = a;
            break;
        }
        case AX_PICK:
            if (op->value >= depth - 1)
                return false;
            top[1] = *(top - op->value);
            break;
        case AX_ROT: {
            /* a b c, c on top, becomes c a b */
            uint64_t c = top[0];
            top[0] = top[-1];
            top[-1] = top[-2];
            top[-2] = c;
            break;
        }
        case AX_PRINTF: {
            /* On top the function and the channel, then the arguments, the first uppermost. */
            uint64_t argument[MAX_ARGUMENTS];
            for (unsigned i = 0; i < op->count; i++)
                argument[i] = *(top - 2 - i);
            if (!run_printf(world, agent->text + op->target, argument, op->count))
                return false;
            steps += PRINTF_STEPS; /* it may print much: count it as that many steps */
            break;
        }
        case AX_END:
            if (value)
                *value = depth ? stack[depth - 1] : 0;
            return true;
        default:
            return false;
        }
    }
    return false;
}
