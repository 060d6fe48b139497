/* Mistakes in meanings. */
#ifndef TESTS_PLANTED_H
#define TESTS_PLANTED_H

#include "emulator/machine/meaning.h"

/* A copy of the meaning with one other node; false: it has none of these. */
static bool plant(const uint8_t *meaning, uint8_t *copy)
{
    static const uint8_t others[][2] = {
        {WT_M_ADD, WT_M_SUB},       {WT_M_SUB, WT_M_ADD},
        {WT_M_ADDC, WT_M_SUBC},     {WT_M_AND, WT_M_OR},
        {WT_M_OR, WT_M_AND},        {WT_M_XOR, WT_M_OR},
        {WT_M_SHL, WT_M_SHR},       {WT_M_SHR, WT_M_SAR},
        {WT_M_SAR, WT_M_SHR},       {WT_M_MUL, WT_M_ADD},
        {WT_M_MIN, WT_M_MAX},       {WT_M_MIN_S, WT_M_MIN},
        {WT_M_MAX, WT_M_MIN},       {WT_M_MAX_S, WT_M_MAX},
        {WT_M_LT, WT_M_LE},         {WT_M_LE, WT_M_LT},
        {WT_M_LT_S, WT_M_LT},       {WT_M_LE_S, WT_M_LE},
        {WT_M_EQ, WT_M_NE},         {WT_M_FIELD, WT_M_FIELD_S},
        {WT_M_ZEXT, WT_M_SEXT},     {WT_M_CLAMP_S, WT_M_CLAMP},
        {WT_M_FADD, WT_M_FSUB},     {WT_M_FMUL, WT_M_FADD},
        {WT_M_EQ, WT_M_NE},         {WT_M_DIV_S, WT_M_DIV},
        {WT_M_REM, WT_M_REM_S},     {WT_M_FMIN, WT_M_FMAX},
        {WT_M_FLOAT_S, WT_M_FLOAT}, {WT_M_ROUNDED_S, WT_M_ROUNDED},
        {WT_M_SEXT, WT_M_ZEXT},     {WT_M_MUL_HIGH_SU, WT_M_MUL_HIGH}};
    const uint8_t *at = meaning;
    while (*at != WT_M_END) {
        unsigned left = *at == WT_M_ATOMIC || *at == WT_M_JUMP ? 2 : 1;
        for (at += *at == WT_M_OUT ? 2 : 1; left; left--)
            wt_meaning_skip(&at);
    }
    memcpy(copy, meaning, (size_t)(at + 1 - meaning));
    for (at = meaning; *at != WT_M_END;) {
        unsigned left = *at == WT_M_ATOMIC || *at == WT_M_JUMP ? 2 : 1;
        for (at += *at == WT_M_OUT ? 2 : 1; left; left--) {
            const size_t here = (size_t)(at - meaning);
            const struct wt_meaning_node node = wt_meaning_take(&at);
            left += node.operands;
            for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                if (node.op == others[i][0]) {
                    copy[here] = others[i][1];
                    return true;
                }
        }
    }
    return false;
}

#endif
