/*
 * A program of PTX for an emulated SM: texts in, an image and its symbols out. What loads PTX, be
 * it a file or a module that a host program hands over, does it by these.
 */
#ifndef WT_TARGET_SM_PTX_H
#define WT_TARGET_SM_PTX_H

#include "debug/source/modules.h"
#include "debug/source/source.h"
#include "emulator/sm/ptx/ptx.h"

struct wt_sm_ptx {
    struct sm_ptx_module *module; /**< the texts; names and trees are owned */
    size_t count, room;
    struct sm_ptx *image; /**< NULL until it is linked */
};

/**
 * Parses one text, which is copied; @p name is for messages and for debuggers. Errors have
 * "NAME:LINE:COLUMN:".
 */
enum wt_status wt_sm_ptx_add(struct wt_sm_ptx *program, const char *name, const char *text,
                             size_t length, struct wt_error *err);

/** Links all texts that were added, one at least; the image's code and variables go there. */
enum wt_status wt_sm_ptx_link(struct wt_sm_ptx *program, uint64_t code, uint64_t data,
                              struct wt_error *err);

/**
 * Adds the linked program to the modules, with symbols and source lines: those of .loc,
 * or, for functions that have none, the lines of the PTX text itself. @p id may be NULL.
 */
enum wt_status wt_sm_ptx_add_module(const struct wt_sm_ptx *program, struct wt_modules *modules,
                                    wt_module_id *id, struct wt_error *err);

/** The operation code_register of struct wt_family for an image (NULL: false). */
bool wt_sm_ptx_code_register(const struct sm_ptx *image, uint64_t pc, size_t n,
                             struct wt_code_register *reg);

/** Frees all; no device may execute the image any more. */
void wt_sm_ptx_free(struct wt_sm_ptx *program);

#endif
