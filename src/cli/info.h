/* Shared by the files of `wavetrap info`. */
#ifndef WT_CLI_INFO_H
#define WT_CLI_INFO_H

#include "wavetrap/error.h"

/** Prints what an ELF file has of symbols and debug information: two lines. */
void cli_tell_debug_information(const char *path);

/** Prints what is in a code object of AMD GPUs: its kernels and what they need. */
enum wt_status cli_tell_code_object(const char *path, struct wt_error *err);

/** Prints what is in a zebin for Intel GPUs: its kernels and what they need. */
enum wt_status cli_tell_zebin(const char *path, struct wt_error *err);

/** Prints what is in a cubin: its kernels and what they need. */
enum wt_status cli_tell_cubin(const char *path, struct wt_error *err);

/** Prints what is in a text of PTX: its kernels and what they need, its variables. */
enum wt_status cli_tell_ptx(const char *path, struct wt_error *err);

/** Prints what a host program is and which code for GPUs it brings along. */
enum wt_status cli_tell_host_program(const char *path, unsigned machine, struct wt_error *err);

/** Prints what is in a bundle of code objects, as clang writes one. */
enum wt_status cli_tell_bundle_file(const char *path, struct wt_error *err);

#endif
