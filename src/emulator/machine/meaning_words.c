/* Meanings in words, for lists of instructions: operators of C where there is one. See meaning.h.
 */
#include "emulator/machine/meaning.h"

static const char *const words[WT_M_OPS] = {
#define OP(name, operands, bytes, width, rule, words) [WT_M_##name] = words,
#include "emulator/machine/meaning.def"
#undef OP
};

/* The constant that a letter stands for: n, m, or h, the last bit of a part. */
static void put_constant(FILE *out, const struct wt_meaning_node *node, char letter)
{
    const unsigned number = letter == 'n' ? node->n : node->m;
    if (node->op == WT_M_FCOMPARE && !number)
        fputs("compared with", out);
    else if (node->op == WT_M_FCOMPARE)
        fprintf(out, "%s%s%s%s", number & WT_M_LESS ? "<" : "", number & WT_M_GREATER ? ">" : "",
                number & WT_M_EQUAL ? "=" : "", number & WT_M_UNORDERED ? "?" : "");
    else if (node->op == WT_M_LOGIC && !number)
        fputs("of the instruction", out);
    else if (number == WT_M_WIDTH || number == WT_M_WIDTH2)
        fprintf(out, letter == 'h' && node->n != 1 ? "%sW%+d" : "%sW",
                number == WT_M_WIDTH ? "" : "2", node->n - 1);
    else
        fprintf(out, node->op == WT_M_LOGIC ? "0x%02x" : "%u",
                letter == 'h' ? node->n + number - 1 : number);
}

/* Whether the operand at `at`, of words `all`, is an argument, or all of them. */
static bool is_alone(const char *all, const char *at)
{
    const bool begins = at == all || at[-1] == '(' || (at[-1] == ' ' && at[-2] == ',');
    return begins && (!at[2] || at[2] == ')' || at[2] == ',');
}

/* Whether words need parentheses within others: they have an operand outside of their own. */
static bool is_compound(const char *all)
{
    int depth = 0;
    for (const char *at = all; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == '%' && at[1] >= 'x' && !depth && at[2] != '[')
            return true;
    }
    return false;
}

static void put_expression(FILE *out, const uint8_t *code, bool alone)
{
    const struct wt_meaning_node node = wt_meaning_take(&code);
    const char *const all = words[node.op];
    const bool parted = !alone && is_compound(all);
    const uint8_t *operand[3] = {code, code, code};
    for (unsigned i = 1; i < node.operands; i++) {
        operand[i] = operand[i - 1];
        wt_meaning_skip(&operand[i]);
    }
    if (parted)
        fputc('(', out);
    for (const char *at = all; *at; at++)
        if (*at != '%')
            fputc(*at, out);
        else if (*++at < 'x')
            put_constant(out, &node, *at);
        else
            put_expression(out, operand[*at - 'x'], is_alone(all, at - 1));
    if (parted)
        fputc(')', out);
}

static void put_next(FILE *out, const uint8_t **code)
{
    put_expression(out, *code, true);
    wt_meaning_skip(code);
}

static void put_statement(FILE *out, const uint8_t **code)
{
    static const char *const results[WT_RESULTS] = {"condition", "d",    "mask",
                                                    "scc",       "exec", "second result"};
    static const char *const unsaid[WT_UNSAID_REASONS] = {
        [WT_UNSAID_ABSENT] = "is not executed",
        [WT_UNSAID_FORK] = "takes both ways of a branch, one after the other",
        [WT_UNSAID_TRAP] = "enters or leaves the trap handler",
        [WT_UNSAID_MODE] = "changes registers of the hardware",
        [WT_UNSAID_NAMED] = "has an operand that a register or message names",
        [WT_UNSAID_SIGNAL] = "signals other waves or the host",
        [WT_UNSAID_DEBUG] = "asks the debugger's flags",
        [WT_UNSAID_TWO] = "moves from one memory to another",
        [WT_UNSAID_IMAGE] = "accesses an image",
        [WT_UNSAID_WIDE] = "has operands of more than 64 bits",
        [WT_UNSAID_PARTS] = "accesses several places in each lane",
    };
    const uint8_t op = *(*code)++;
    switch (op) {
    case WT_M_OUT:
        fprintf(out, "%s = ", results[*(*code)++]);
        put_next(out, code);
        break;
    case WT_M_LOAD:
    case WT_M_STORE:
    case WT_M_ATOMIC:
        fprintf(out, op == WT_M_LOAD    ? "load from "
                     : op == WT_M_STORE ? "store to "
                                        : "atomic at ");
        put_next(out, code);
        if (op == WT_M_ATOMIC) {
            fprintf(out, ": memory = ");
            put_next(out, code);
        }
        break;
    case WT_M_JUMP:
        if (**code == WT_M_K) {
            wt_meaning_skip(code);
        } else {
            fputs("if ", out);
            put_next(out, code);
            fputs(", ", out);
        }
        fputs("jump to ", out);
        put_next(out, code);
        break;
    case WT_M_LANES:
        fprintf(out, "lanes continue by ");
        put_next(out, code);
        break;
    default:
        fputs(unsaid[*(*code)++], out);
    }
}

bool wt_meaning_print(FILE *out, const char *before, const uint8_t *meaning)
{
    const uint8_t *code = meaning;
    for (const char *between = before; *code != WT_M_END; between = "; ") {
        fputs(between, out);
        put_statement(out, &code);
    }
    return code != meaning;
}

void wt_meaning_print_types(FILE *out, const uint8_t *const meaning[2])
{
    static const uint8_t absent[] = {WT_M_UNSAID, WT_UNSAID_ABSENT};
    if (!wt_meaning_begins(meaning[0], absent, sizeof absent))
        wt_meaning_print(out, ": ", meaning[0]);
    if (meaning[1][0] == WT_M_OUT)
        wt_meaning_print(out, "; of floats: ", meaning[1]);
}
