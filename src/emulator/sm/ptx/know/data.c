/* Variables of PTX as data that debuggers can read. See data.h. */
#include "emulator/sm/ptx/know/data.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"

bool sm_ptx_is_guess(enum ptx_type type, bool is_compiled)
{
    const bool is_bits = type >= PTX_B8 && type <= PTX_B64;
    return is_bits || (is_compiled && type >= PTX_U8 && type <= PTX_U64);
}

bool sm_ptx_datum(const struct ptx_variable *v, struct line_elf_datum *d)
{
    static const struct {
        const char *name;
        uint8_t encoding;
    } types[PTX_TYPES] = {
        [PTX_B8] = {"b8", DW_ATE_unsigned},   [PTX_B16] = {"b16", DW_ATE_unsigned},
        [PTX_B32] = {"b32", DW_ATE_unsigned}, [PTX_B64] = {"b64", DW_ATE_unsigned},
        [PTX_U8] = {"u8", DW_ATE_unsigned},   [PTX_U16] = {"u16", DW_ATE_unsigned},
        [PTX_U32] = {"u32", DW_ATE_unsigned}, [PTX_U64] = {"u64", DW_ATE_unsigned},
        [PTX_S8] = {"s8", DW_ATE_signed},     [PTX_S16] = {"s16", DW_ATE_signed},
        [PTX_S32] = {"s32", DW_ATE_signed},   [PTX_S64] = {"s64", DW_ATE_signed},
        [PTX_F16] = {"f16", DW_ATE_float},    [PTX_F32] = {"f32", DW_ATE_float},
        [PTX_F64] = {"f64", DW_ATE_float},
    };
    if (!types[v->type].name || (!v->bytes && !v->is_array))
        return false;
    d->type = types[v->type].name;
    d->encoding = types[v->type].encoding;
    d->size = (uint8_t)ptx_type_bytes(v->type);
    d->count = v->is_array || v->vector > 1 ? v->bytes / d->size : 0;
    return true;
}

void sm_ptx_name_datum(const struct line_elf_datum *list, size_t count, struct ptx_name name,
                       char *out, size_t size)
{
    char mangled[512], plain[512];
    snprintf(mangled, sizeof mangled, "%.*s", (int)name.length, name.at);
    wt_demangle(mangled, plain, sizeof plain);
    const char *own = strstr(plain, ")::") ? strrchr(plain, ':') + 1 : plain;
    bool is_free = strncmp(mangled, "_Z", 2) == 0 && !strpbrk(own, " ()[]") && strlen(own) < size;
    for (size_t i = 0; i < count && is_free; i++)
        is_free = strcmp(list[i].name, own) != 0;
    snprintf(out, size, "%s", is_free ? own : mangled);
}
