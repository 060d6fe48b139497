/* Agent expressions: checking and translating them. */
#include "frontend/rsp/agent.h"

#include <assert.h>
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
    AX_OPCODES = 0x40,
};

enum {
    MAX_LENGTH = 65535,
    MAX_STACK = 128,
    MAX_ARGUMENTS = 64,
};

/* The number of operand bytes, of values taken from the stack, and of values left there; -1:
 * refused, -2: always fails. */
struct agent_shape {
    int8_t operand, takes, leaves;
};

static const struct agent_shape shapes[] = {
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
};

/* An instruction of the bytecode. */
struct op {
    uint8_t code, takes, leaves;
    bool fails;    /* reaching this makes the evaluation fail */
    bool entered;  /* a jump leads here */
    int16_t depth; /* depth of the stack before it; -1: it is unreachable */
    uint8_t arguments;
    uint64_t operand;
    const char *format;
    size_t target; /* target of a jump: index of the instruction */
    size_t start;  /* start of its translation */
};

/*
 * A value on the stack: an unchanged register or constant, or the temporary whose number is the
 * value's position on the stack.
 */
struct agent_cell {
    wt_expr_vector vector;
    unsigned bits; /* bits of the original value: distinguishes a binary32 from a binary64 */
};

struct agent_compiler {
    const struct wt_agent_registers *registers;
    struct wt_expr *expr;
    struct op *op;
    size_t count;
    uint32_t *index_at; /* by byte: index of the instruction that begins there; UINT32_MAX: none */
    size_t length;
    int missing;
    struct agent_cell cell[MAX_STACK];
    unsigned depth;
    struct { /* jumps whose targets are still to be set */
        size_t instruction, target;
    } * jump;
    size_t jumps;
};

static uint64_t load_be(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* ---- instructions ---- */

/* The number of operand bytes, which must be known even for opcodes that always fail. */
static size_t operand_size(unsigned code)
{
    if (code == 0x01)
        return 1;
    if (code == 0x2c || code == 0x2d)
        return 2;
    return shapes[code].operand > 0 ? (size_t)shapes[code].operand : 0;
}

static enum wt_status take_format(struct op *op, const uint8_t *bytes, size_t start, size_t *pc,
                                  size_t length, struct wt_error *err)
{
    const size_t size = op->operand & 0xffff;
    op->arguments = (uint8_t)(op->operand >> 16);
    if (size == 0 || size > length - *pc || bytes[*pc + size - 1] != 0)
        return wt_fail(err, WT_INVALID,
                       "agent expression: printf at byte %zu has no complete format", start);
    if (op->arguments > MAX_ARGUMENTS)
        return wt_fail(err, WT_INVALID,
                       "agent expression: printf at byte %zu has %u arguments, more than %d", start,
                       op->arguments, MAX_ARGUMENTS);
    op->format = (const char *)bytes + *pc;
    op->takes = (uint8_t)(op->arguments + 2); /* function and channel, too */
    *pc += size;
    return WT_OK;
}

static enum wt_status decode(struct agent_compiler *c, const uint8_t *bytes, size_t length,
                             struct wt_error *err)
{
    for (size_t pc = 0; pc < length;) {
        const unsigned code = bytes[pc];
        const size_t start = pc++;
        if (code >= AX_OPCODES || shapes[code].operand == -1)
            return wt_fail(err, WT_INVALID,
                           "agent expression: opcode 0x%02x at byte %zu is not allowed here", code,
                           start);
        const size_t size = operand_size(code);
        if (size > length - pc)
            return wt_fail(err, WT_INVALID,
                           "agent expression: opcode 0x%02x at byte %zu lacks its operand", code,
                           start);
        c->index_at[start] = (uint32_t)c->count;
        struct op *op = &c->op[c->count++];
        *op = (struct op){.code = (uint8_t)code,
                          .takes = (uint8_t)shapes[code].takes,
                          .leaves = (uint8_t)shapes[code].leaves,
                          .fails = shapes[code].operand == -2,
                          .depth = -1,
                          .operand = load_be(bytes + pc, size)};
        pc += size;
        op->fails |= (code == AX_EXT || code == AX_ZERO_EXT) && op->operand == 0;
        enum wt_status status;
        if (code == AX_PRINTF && (status = take_format(op, bytes, start, &pc, length, err)))
            return status;
    }
    c->op[c->count++] = (struct op){.code = AX_END, .depth = -1};
    return WT_OK;
}

static enum wt_status link_jumps(struct agent_compiler *c, struct wt_error *err)
{
    for (size_t i = 0; i < c->count; i++) {
        struct op *op = &c->op[i];
        if (op->code != AX_GOTO && op->code != AX_IF_GOTO)
            continue;
        if (op->operand >= c->length || c->index_at[op->operand] == UINT32_MAX)
            return wt_fail(err, WT_INVALID,
                           "agent expression: a jump leads to byte %u, where no instruction begins",
                           (unsigned)op->operand);
        op->target = c->index_at[op->operand];
    }
    return WT_OK;
}

/* ---- depths ---- */

/* Notes that an instruction can be reached with a stack of this depth; true if it is the first
 * time. */
static bool reach(struct op *op, int depth)
{
    if (op->depth < 0) {
        op->depth = (int16_t)depth;
        return true;
    }
    op->fails |= op->depth != depth;
    return false;
}

/* Computes the depth of the stack before each reachable instruction. */
static enum wt_status find_depths(struct agent_compiler *c, struct wt_error *err)
{
    size_t *waiting = malloc((2 * c->count + 1) * sizeof *waiting), count = 0;
    if (!waiting)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an agent expression");
    reach(&c->op[0], 0);
    waiting[count++] = 0;
    while (count) {
        const size_t i = waiting[--count];
        struct op *op = &c->op[i];
        if (op->depth < op->takes || op->depth - op->takes + op->leaves > MAX_STACK ||
            (op->code == AX_PICK && (int64_t)op->operand >= op->depth))
            op->fails = true;
        if (op->fails || op->code == AX_END)
            continue;
        const int depth = op->depth - op->takes + op->leaves;
        if (op->code == AX_GOTO || op->code == AX_IF_GOTO) {
            c->op[op->target].entered = true;
            if (reach(&c->op[op->target], depth))
                waiting[count++] = op->target;
        }
        if (op->code != AX_GOTO && reach(&c->op[i + 1], depth))
            waiting[count++] = i + 1;
    }
    free(waiting);
    return WT_OK;
}

/* ---- translation ---- */

static wt_expr_vector temporary(struct agent_compiler *c, unsigned number)
{
    return wt_expr_temporary(c->expr, number);
}

static void copy(struct agent_compiler *c, unsigned to, wt_expr_vector from)
{
    if (from != temporary(c, to))
        wt_expr_add(c->expr, WT_EXPR_COPY, 0, temporary(c, to), from, from);
}

/* Moves every value of the stack to the temporary of its position: at a point that several paths
 * reach, values are there. */
static void settle(struct agent_compiler *c)
{
    for (unsigned i = 0; i < c->depth; i++) {
        copy(c, i, c->cell[i].vector);
        c->cell[i] = (struct agent_cell){temporary(c, i), 64};
    }
}

static void push(struct agent_compiler *c, wt_expr_vector vector, unsigned bits)
{
    assert(c->depth < MAX_STACK);
    c->cell[c->depth++] = (struct agent_cell){vector, bits};
}

/* Pushes a copy of the value at a position of the stack. */
static void push_again(struct agent_compiler *c, unsigned place)
{
    struct agent_cell cell = c->cell[place];
    if (cell.vector == temporary(c, place)) { /* which will change */
        copy(c, c->depth, cell.vector);
        cell.vector = temporary(c, c->depth);
    }
    push(c, cell.vector, cell.bits);
}

static void binary(struct agent_compiler *c, enum wt_expr_op op)
{
    const unsigned to = c->depth - 2;
    wt_expr_add(c->expr, op, 0, temporary(c, to), c->cell[to].vector, c->cell[to + 1].vector);
    c->cell[to] = (struct agent_cell){temporary(c, to), 64};
    c->depth--;
}

static void unary(struct agent_compiler *c, enum wt_expr_op op, unsigned size, unsigned bits)
{
    const unsigned to = c->depth - 1;
    wt_expr_add(c->expr, op, size, temporary(c, to), c->cell[to].vector, c->cell[to].vector);
    c->cell[to] = (struct agent_cell){temporary(c, to), bits};
}

static void extend(struct agent_compiler *c, unsigned bits, bool is_signed)
{
    struct agent_cell *top = &c->cell[c->depth - 1];
    uint64_t value;
    if (bits >= 64)
        return;
    if (!wt_expr_is_constant(c->expr, top->vector, &value)) {
        unary(c, is_signed ? WT_EXPR_EXT : WT_EXPR_ZERO_EXT, bits, bits);
        return;
    }
    value = is_signed ? (uint64_t)wt_sign_extend(value, bits) : value & (((uint64_t)1 << bits) - 1);
    *top = (struct agent_cell){wt_expr_constant(c->expr, value), bits};
}

static void push_register(struct agent_compiler *c, unsigned number)
{
    int index = (int)number;
    if (c->registers)
        index = number < c->registers->count ? c->registers->index[number] : -1;
    if (index < 0) {
        c->missing = (int)number;
        wt_expr_add(c->expr, WT_EXPR_FAIL, 0, temporary(c, 0), temporary(c, 0), temporary(c, 0));
        index = 0;
    }
    push(c, wt_expr_register(c->expr, (unsigned)index), 64);
}

static void jump(struct agent_compiler *c, const struct op *op, enum wt_expr_op code,
                 wt_expr_vector a)
{
    c->jump[c->jumps].instruction = wt_expr_add(c->expr, code, 0, temporary(c, 0), a, a);
    c->jump[c->jumps++].target = op->target;
}

/*
 * GDB sends a format as the user typed it, including C's escape sequences. Converts the one whose
 * backslash @p s points at; an unknown one stands for itself.
 */
static const char *take_escape(char **to, const char *s)
{
    static const char letter[] = "abefnrtv", meaning[] = "\a\b\033\f\n\r\t\v";
    const char *known = s[1] ? strchr(letter, s[1]) : NULL;
    char character;
    if (known) {
        character = meaning[known - letter];
        s += 2;
    } else if (s[1] >= '0' && s[1] <= '7') {
        unsigned value = 0;
        for (s++; *s >= '0' && *s <= '7' && value < 32; s++)
            value = value * 8 + (unsigned)(*s - '0');
        character = (char)value;
    } else {
        character = s[1] ? s[1] : *s;
        s += s[1] ? 2 : 1;
    }
    *(*to)++ = character;
    if (character == '%') /* it begins no conversion */
        *(*to)++ = character;
    return s;
}

static enum wt_status print(struct agent_compiler *c, const struct op *op, struct wt_error *err)
{
    /* The function and the channel are on top of the stack, then the arguments, the first
     * uppermost. */
    struct wt_expr_argument argument[MAX_ARGUMENTS];
    for (unsigned i = 0; i < op->arguments; i++) {
        const struct agent_cell *cell = &c->cell[c->depth - 3 - i];
        argument[i] = (struct wt_expr_argument){cell->vector, cell->bits};
    }
    char *format = malloc(2 * strlen(op->format) + 1), *to = format;
    if (!format)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an agent expression");
    for (const char *s = op->format; *s;) {
        if (*s == '\\')
            s = take_escape(&to, s);
        else
            *to++ = *s++;
    }
    wt_expr_print(c->expr, format, (size_t)(to - format), argument, op->arguments);
    free(format);
    c->depth -= op->takes;
    return WT_OK;
}

static enum wt_status translate_one(struct agent_compiler *c, const struct op *op,
                                    struct wt_error *err)
{
    static const enum wt_expr_op of_two[] = {
        [AX_ADD] = WT_EXPR_ADD,
        [AX_SUB] = WT_EXPR_SUB,
        [AX_MUL] = WT_EXPR_MUL,
        [AX_DIV_SIGNED] = WT_EXPR_DIV_SIGNED,
        [AX_DIV_UNSIGNED] = WT_EXPR_DIV_UNSIGNED,
        [AX_REM_SIGNED] = WT_EXPR_REM_SIGNED,
        [AX_REM_UNSIGNED] = WT_EXPR_REM_UNSIGNED,
        [AX_LSH] = WT_EXPR_SHL,
        [AX_RSH_SIGNED] = WT_EXPR_SHR_SIGNED,
        [AX_RSH_UNSIGNED] = WT_EXPR_SHR_UNSIGNED,
        [AX_BIT_AND] = WT_EXPR_AND,
        [AX_BIT_OR] = WT_EXPR_OR,
        [AX_BIT_XOR] = WT_EXPR_XOR,
        [AX_EQUAL] = WT_EXPR_EQUAL,
        [AX_LESS_SIGNED] = WT_EXPR_LESS_SIGNED,
        [AX_LESS_UNSIGNED] = WT_EXPR_LESS_UNSIGNED,
    };
    struct agent_cell *top = c->cell + (c->depth ? c->depth - 1 : 0);
    const struct agent_cell a = *top;
    const unsigned spare = c->depth; /* a temporary beside those of the stack */
    switch (op->code) {
    case AX_LOG_NOT:
        unary(c, WT_EXPR_LOGIC_NOT, 0, 64);
        break;
    case AX_BIT_NOT:
        unary(c, WT_EXPR_NOT, 0, 64);
        break;
    case AX_EXT:
        extend(c, (unsigned)op->operand, true);
        break;
    case AX_ZERO_EXT:
        extend(c, (unsigned)op->operand, false);
        break;
    case AX_REF8:
    case AX_REF16:
    case AX_REF32:
    case AX_REF64: {
        const unsigned size = 1u << (op->code - AX_REF8);
        unary(c, WT_EXPR_LOAD, size, 8 * size);
        break;
    }
    case AX_IF_GOTO:
        c->depth--;
        settle(c);
        jump(c, op, WT_EXPR_BRANCH, a.vector);
        break;
    case AX_GOTO:
        settle(c);
        jump(c, op, WT_EXPR_GOTO, temporary(c, 0));
        break;
    case AX_CONST8:
    case AX_CONST16:
    case AX_CONST32:
    case AX_CONST64:
        push(c, wt_expr_constant(c->expr, op->operand), 64);
        break;
    case AX_REG:
        push_register(c, (unsigned)op->operand);
        break;
    case AX_END: {
        const wt_expr_vector value = c->depth ? a.vector : wt_expr_constant(c->expr, 0);
        wt_expr_add(c->expr, WT_EXPR_END, 0, temporary(c, 0), value, value);
        break;
    }
    case AX_DUP:
        push_again(c, c->depth - 1);
        break;
    case AX_POP:
        c->depth--;
        break;
    case AX_SWAP: {
        const struct agent_cell b = top[-1];
        const unsigned at = c->depth - 2;
        copy(c, spare, b.vector);
        copy(c, at, a.vector);
        copy(c, at + 1, temporary(c, spare));
        top[-1] = (struct agent_cell){temporary(c, at), a.bits};
        top[0] = (struct agent_cell){temporary(c, at + 1), b.bits};
        break;
    }
    case AX_PICK:
        push_again(c, c->depth - 1 - (unsigned)op->operand);
        break;
    case AX_ROT: {
        /* a b c, with c on top, becomes c a b. */
        const struct agent_cell first = top[-2], second = top[-1];
        const unsigned at = c->depth - 3;
        copy(c, spare, a.vector);
        copy(c, at + 2, second.vector);
        copy(c, at + 1, first.vector);
        copy(c, at, temporary(c, spare));
        top[-2] = (struct agent_cell){temporary(c, at), a.bits};
        top[-1] = (struct agent_cell){temporary(c, at + 1), first.bits};
        top[0] = (struct agent_cell){temporary(c, at + 2), second.bits};
        break;
    }
    case AX_PRINTF:
        return print(c, op, err);
    default:
        assert(op->code < sizeof of_two / sizeof *of_two);
        binary(c, of_two[op->code]);
        break;
    }
    return WT_OK;
}

static enum wt_status translate(struct agent_compiler *c, struct wt_error *err)
{
    bool falls = true; /* from the instruction before into this one */
    for (size_t i = 0; i < c->count; i++) {
        struct op *op = &c->op[i];
        if (op->depth < 0) {
            falls = false;
            continue;
        }
        if (falls && op->entered)
            settle(c);
        if (!falls) {
            c->depth = (unsigned)op->depth;
            for (unsigned k = 0; k < c->depth; k++)
                c->cell[k] = (struct agent_cell){temporary(c, k), 64};
        }
        op->start = wt_expr_here(c->expr);
        if (op->fails) {
            wt_expr_add(c->expr, WT_EXPR_FAIL, 0, temporary(c, 0), temporary(c, 0),
                        temporary(c, 0));
        } else {
            assert(c->depth == (unsigned)op->depth);
            const enum wt_status status = translate_one(c, op, err);
            if (status)
                return status;
        }
        falls = !op->fails && op->code != AX_GOTO && op->code != AX_END;
    }
    for (size_t i = 0; i < c->jumps; i++)
        wt_expr_set_target(c->expr, c->jump[i].instruction, c->op[c->jump[i].target].start);
    return wt_expr_finish(c->expr, err);
}

static enum wt_status compile(struct agent_compiler *c, const uint8_t *bytes, struct wt_error *err)
{
    enum wt_status status;
    c->expr = wt_expr_new();
    c->index_at = malloc((c->length + 1) * sizeof *c->index_at);
    c->op = calloc(c->length + 2, sizeof *c->op);
    c->jump = calloc(c->length + 1, sizeof *c->jump);
    if (!c->expr || !c->index_at || !c->op || !c->jump)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an agent expression");
    memset(c->index_at, 0xff, (c->length + 1) * sizeof *c->index_at);
    if ((status = decode(c, bytes, c->length, err)) || (status = link_jumps(c, err)) ||
        (status = find_depths(c, err)))
        return status;
    return translate(c, err);
}

enum wt_status wt_agent_compile(const uint8_t *bytes, size_t length,
                                const struct wt_agent_registers *registers, struct wt_expr **expr,
                                int *missing, struct wt_error *err)
{
    *expr = NULL;
    if (length > MAX_LENGTH)
        return wt_fail(err, WT_INVALID, "agent expression: %zu bytes; at most %d are taken", length,
                       MAX_LENGTH);
    struct agent_compiler c = {.registers = registers, .length = length, .missing = -1};
    const enum wt_status status = compile(&c, bytes, err);
    free(c.index_at);
    free(c.op);
    free(c.jump);
    if (status) {
        wt_expr_free(c.expr);
        return status;
    }
    *expr = c.expr;
    if (missing)
        *missing = c.missing;
    return WT_OK;
}
