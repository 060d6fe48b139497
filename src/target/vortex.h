/* Vortex as a family of targets. */
#ifndef WT_TARGET_VORTEX_H
#define WT_TARGET_VORTEX_H

#include "target/family.h"

struct vx_device;
struct wt_host_driver;

/** Its configuration is a struct vx_config. */
extern const struct wt_family wt_family_vortex;

/** The device of a target of this family. */
struct vx_device *wt_vortex_device(const struct wt_emulated *e);

/** Of host programs. */
extern const struct wt_host_driver wt_vortex_host_driver;

/* Of the family, in vortex_tables.c. */
extern const struct wt_family_task wt_vortex_tasks[];
/** The instructions. */
void wt_vortex_list_isa(FILE *out);
/** The table of platform profiles. */
void wt_vortex_list_profiles(FILE *out);
/** Prints the operands of an instruction of RV32 and RV64; @p text is its number. */
enum wt_status wt_vortex_explain_word(FILE *out, const char *text, struct wt_error *err);

#endif
