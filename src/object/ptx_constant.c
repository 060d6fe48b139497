/* Values of constant expressions of PTX. See ptx_constant.h. */
#include "object/ptx_constant.h"

#include <stddef.h>
#include <string.h>

static const struct ptx_operator operators[] = {
    {"*", PTX_MULTIPLICATIVE},
    {"/", PTX_MULTIPLICATIVE},
    {"%", PTX_MULTIPLICATIVE},
    {"+", 9},
    {"-", 9},
    {"<<", 8},
    {">>", 8},
    {"<=", 7},
    {">=", 7},
    {"<", 7},
    {">", 7},
    {"==", 6},
    {"!=", 6},
    {"&&", 2},
    {"||", 1},
    {"&", 5},
    {"^", 4},
    {"|", 3},
};

const struct ptx_operator *ptx_operator_of(char first, char second)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].text[0] == first &&
            (!operators[i].text[1] || operators[i].text[1] == second))
            return &operators[i];
    return NULL;
}

static double number(struct ptx_constant c)
{
    double wide;
    float single;
    const uint32_t bits = (uint32_t)c.bits;
    memcpy(&wide, &c.bits, sizeof wide);
    memcpy(&single, &bits, sizeof single);
    return c.kind == PTX_CONSTANT_SINGLE ? single : wide;
}

static const char *of_numbers(const char *op, struct ptx_constant *a, double x, double y)
{
    const bool equal = op[1] == '=';
    double r = 0;
    switch (op[0]) {
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
        break;
    case '*':
        r = x * y;
        break;
    case '/':
        r = x / y;
        break;
    case '<':
    case '>':
    case '=':
    case '!': {
        const bool less = equal ? x <= y : x < y, more = equal ? x >= y : x > y;
        if (op[1] && !equal)
            return "a shift of a floating-point number";
        *a = (struct ptx_constant){PTX_CONSTANT_SIGNED, op[0] == '<'   ? less
                                                        : op[0] == '>' ? more
                                                        : op[0] == '=' ? x == y
                                                                       : x != y};
        return NULL;
    }
    default:
        return "an operator that floating-point numbers do not have";
    }
    a->kind = PTX_CONSTANT_DOUBLE;
    memcpy(&a->bits, &r, sizeof r);
    return NULL;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
    if (!is_signed)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* -1: the quotient of the least number is that number */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(uint64_t a, uint64_t by, bool is_signed, bool right)
{
    const uint64_t spread = right && is_signed && (int64_t)a < 0 ? UINT64_MAX : 0;
    if (by > 63)
        return spread;
    if (!right)
        return a << by;
    return a >> by | (by ? spread << (64 - by) : 0);
}

static bool compare(const char *op, uint64_t a, uint64_t b, bool is_signed)
{
    const bool less = is_signed ? (int64_t)a < (int64_t)b : a < b, same = a == b;
    switch (op[0]) {
    case '<':
        return less || (op[1] && same);
    case '>':
        return !less && (op[1] || !same);
    default:
        return same == (op[0] == '=');
    }
}

const char *ptx_binary(const struct ptx_operator *o, struct ptx_constant *a, struct ptx_constant b)
{
    const char *op = o->text;
    if (ptx_constant_is_integer(*a) != ptx_constant_is_integer(b))
        return "an integer and a floating-point number in one expression";
    if (!ptx_constant_is_integer(*a))
        return of_numbers(op, a, number(*a), number(b));
    const bool both_signed = a->kind == PTX_CONSTANT_SIGNED && b.kind == PTX_CONSTANT_SIGNED;
    const enum ptx_constant_kind common = both_signed ? PTX_CONSTANT_SIGNED : PTX_CONSTANT_UNSIGNED;
    const uint64_t x = a->bits, y = b.bits;
    if (op[0] == op[1] && (op[0] == '<' || op[0] == '>')) { /* of the left operand's type */
        a->bits = shift(x, y, a->kind == PTX_CONSTANT_SIGNED, op[0] == '>');
        return NULL;
    }
    if (op[0] == op[1] && op[0] != '=') {
        *a = (struct ptx_constant){PTX_CONSTANT_SIGNED, op[0] == '&' ? x && y : x || y};
        return NULL;
    }
    if (strchr("<>=!", op[0])) {
        *a = (struct ptx_constant){PTX_CONSTANT_SIGNED, compare(op, x, y, both_signed)};
        return NULL;
    }
    a->kind = common;
    switch (op[0]) {
    case '+':
        a->bits = x + y;
        return NULL;
    case '-':
        a->bits = x - y;
        return NULL;
    case '*':
        a->bits = x * y;
        return NULL;
    case '&':
        a->bits = x & y;
        return NULL;
    case '|':
        a->bits = x | y;
        return NULL;
    case '^':
        a->bits = x ^ y;
        return NULL;
    default:
        if (!y)
            return "a division by zero";
        a->bits = divide(x, y, both_signed, op[0] == '%');
        return NULL;
    }
}

const char *ptx_unary(char op, struct ptx_constant *a)
{
    if (!ptx_constant_is_integer(*a)) {
        if (op == '-')
            a->bits ^= UINT64_C(1) << (a->kind == PTX_CONSTANT_SINGLE ? 31 : 63);
        return op == '~'   ? "'~' of a floating-point number"
               : op == '!' ? "'!' of a floating-point number"
                           : NULL;
    }
    if (op == '-')
        a->bits = 0 - a->bits;
    else if (op == '~')
        a->bits = ~a->bits;
    else if (op == '!')
        *a = (struct ptx_constant){PTX_CONSTANT_SIGNED, !a->bits};
    return NULL;
}
