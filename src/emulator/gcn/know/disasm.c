/*
 * Disassembly by LLVM's C API. The library is loaded when it is first needed, so that commands that
 * do not disassemble start without it, and work where it is not installed: then only the mnemonic
 * is printed.
 */
#include "emulator/gcn/gcn.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/llvm.h"
#include "emulator/gcn/isa.h"

/* The parts of llvm-c/Disassembler.h and Target.h that are used. */
struct gcn_disassembler {
    const struct gcn_model *model;
    unsigned lanes; /* lanes of the waves that the code is for */
    void *library;
    void *context;
    size_t (*instruction)(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,
                          size_t room);
    void (*dispose)(void *context);
};

static bool call(void *library, const char *name)
{
    void (*function)(void);
    *(void **)&function = dlsym(library, name);
    if (function)
        function();
    return function != NULL;
}

/* The library of the version whose text the tests compare with; else the newest one. */
static void open_library(struct gcn_disassembler *d)
{
    char name[40];
    for (unsigned version = WT_LLVM_LAST + 1; version >= WT_LLVM_OLDEST && !d->library; version--) {
        /* The name until version 17 had another form. */
        wt_llvm_text(name, sizeof name, version < 18 ? "libLLVM-#.so.1" : "libLLVM.so.#.1",
                     version > WT_LLVM_LAST ? WT_LLVM_USUAL : version);
        d->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
}

/* Leaves d->context NULL if there is no LLVM. */
static void load(struct gcn_disassembler *d)
{
    void *(*create)(const char *triple, const char *cpu, const char *features, void *info, int type,
                    void *op, void *symbol);
    open_library(d);
    if (!d->library)
        return;
    *(void **)&create = dlsym(d->library, "LLVMCreateDisasmCPUFeatures");
    *(void **)&d->instruction = dlsym(d->library, "LLVMDisasmInstruction");
    *(void **)&d->dispose = dlsym(d->library, "LLVMDisasmDispose");
    if (!create || !d->instruction || !d->dispose ||
        !call(d->library, "LLVMInitializeAMDGPUTargetInfo") ||
        !call(d->library, "LLVMInitializeAMDGPUTarget") ||
        !call(d->library, "LLVMInitializeAMDGPUTargetMC") ||
        !call(d->library, "LLVMInitializeAMDGPUDisassembler"))
        return;
    d->context = create("amdgcn-amd-amdhsa", d->model->target.name,
                        d->model->target.lanes == 64 ? ""
                        : d->lanes == 64             ? "-wavefrontsize32,+wavefrontsize64"
                                                     : "+wavefrontsize32,-wavefrontsize64",
                        NULL, 0, NULL, NULL);
}

struct gcn_disassembler *gcn_disassembler_new(const struct gcn_model *model, unsigned lanes)
{
    assert(model);
    struct gcn_disassembler *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->model = model;
    d->lanes = lanes;
    load(d);
    return d;
}

void gcn_disassembler_free(struct gcn_disassembler *d)
{
    if (!d)
        return;
    if (d->context)
        d->dispose(d->context);
    /* The library stays: LLVM does not take well to being unloaded. */
    free(d);
}

unsigned gcn_disassemble(struct gcn_disassembler *d, const uint8_t *bytes, size_t available,
                         uint64_t pc, char *text, size_t size)
{
    assert(d && bytes && text && size > 0);
    uint32_t word[GCN_MOST_DWORDS] = {0};
    const unsigned words = available >= sizeof word ? GCN_MOST_DWORDS : (unsigned)(available / 4);
    struct gcn_uop u = {0};
    const char *why;
    for (unsigned i = 0; i < words; i++)
        word[i] = (uint32_t)wt_load_le(bytes + 4 * i, 4);
    text[0] = 0;
    /* LLVM 19 ends the program at some words that are no instructions: it is asked of ours alone.
     */
    if (words && !gcn_decode(d->model, d->lanes, word, words, &u, &why)) {
        u.row = NULL;
    } else if (words && d->context) {
        uint8_t copy[sizeof word];
        char line[512];
        memcpy(copy, bytes, 4 * words);
        if (d->instruction(d->context, copy, 4 * u.length, pc, line, sizeof line)) {
            const char *from = line + strspn(line, " \t");
            snprintf(text, size, "%s", from);
            for (char *tab = text; (tab = strchr(tab, '\t'));)
                *tab = ' ';
        }
    }
    if (!text[0])
        gcn_mnemonic(&u, text, size);
    return u.length ? 4u * u.length : 4;
}
