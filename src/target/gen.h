/* Intel Gen9 as a family of targets: a kernel of a zebin. */
#ifndef WT_TARGET_GEN_H
#define WT_TARGET_GEN_H

#include <stdio.h>

#include "target/family.h"

/** Its configuration is a struct gen_config. */
extern const struct wt_family wt_family_gen;

/** Its tables about host programs, and of tasks. */
extern const struct wt_host_driver wt_gen_host_driver;
extern const struct wt_family_task wt_gen_tasks[];

/** The operations list_registers and explain_word (family.h). */
enum wt_status gen_list_registers(FILE *out, const char *form, struct wt_error *err);
/** Explains one instruction, a word of hexadecimal digits in @p text, field by field. */
enum wt_status gen_explain_word(FILE *out, const char *text, const void *config,
                                struct wt_error *err);

/** The operation print_operand (family.h). */
enum wt_status gen_print_operand(FILE *out, const char *text, char letter,
                                 const struct wt_register_reader *reader, bool *is_operand,
                                 struct wt_error *err);
/** The operation region (family.h). */
size_t gen_read_region(const char *text, struct wt_register_region *region);

#endif
