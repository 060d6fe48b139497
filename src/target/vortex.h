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
/** Tells of an image: its kernels, width, and which profile it needs. */
void wt_vortex_tell_image(FILE *out, const struct wt_image *image, const char *path);
/** The width of an image whose format does not tell: 64 if it has addresses above 4 GiB; 0: not
 * known. */
unsigned wt_vortex_image_width(const struct wt_image *image);
/** The instructions of the configuration's profile. */
void wt_vortex_list_isa(FILE *out, const void *config);
/** list_support() of the family. */
void wt_vortex_list_support(wt_support_fn *tell, void *context);
/** The table of platform profiles, or that of the configuration's. */
void wt_vortex_list_profiles(FILE *out, const void *config);
/** Prints the operands of an instruction of RV32 and RV64; @p text is its number. */
enum wt_status wt_vortex_explain_word(FILE *out, const char *text, const void *config,
                                      struct wt_error *err);

#endif
