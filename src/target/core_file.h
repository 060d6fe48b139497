/*
 * Core files: the state of an emulated device, its modules, and what was recorded before, in one
 * file (docs/post-mortem.md has the format).
 */
#ifndef WT_TARGET_CORE_FILE_H
#define WT_TARGET_CORE_FILE_H

#include "emulator/machine/archive.h"
#include "target/emulated.h"

struct wt_core_file;

/** Writes the state of a device, as it is now, to a core file; the run goes on as before. */
enum wt_status wt_core_file_write(struct wt_emulated *e, const struct wt_core_file_request *request,
                                  struct wt_error *err);

/**
 * Reads a core file's parts but for the state. A file that is none, is damaged or of another
 * version gives WT_INVALID.
 */
enum wt_status wt_core_file_open(const char *path, struct wt_core_file **file,
                                 struct wt_error *err);

/** Likewise of bytes, which must outlive it; @p name is for messages. @p sealed: the hash at its
 * end is looked at. */
enum wt_status wt_core_file_parse(const char *name, const uint8_t *bytes, size_t length,
                                  bool sealed, struct wt_core_file **file, struct wt_error *err);

/** Frees what wt_core_file_open or wt_core_file_parse gave. NULL is ignored. */
void wt_core_file_free(struct wt_core_file *file);

/** Code of a section. */
struct wt_core_code {
    bool any;      /**< it has code; else it is a text of source code */
    uint64_t base; /**< where it is loaded */
    uint64_t id;   /**< the same for the same code, wherever it is loaded, and no other's */
};

/**
 * Adds the names and lines of a section of loaded code (MODL, PTXT, TEXT), with its header, to a
 * list. *code is set in any case. WT_INVALID: it is damaged, or of another kind.
 */
enum wt_status wt_core_section_read(const struct wt_family *family, const uint8_t *bytes,
                                    size_t length, struct wt_modules *modules,
                                    struct wt_core_code *code, struct wt_error *err);

/** Writes the text of the instruction at @p pc, where a section PTXT has it and @p word is the
 * code; else it stays "". *kept: as the family's code_text has it (family.h). */
void wt_core_section_text(const struct wt_family *family, void **kept, const uint8_t *bytes,
                          size_t length, uint64_t pc, uint64_t word, char *text, size_t size);

/** The path of the program, as it was when the file was written; "" if there was none. */
const char *wt_core_file_program(const struct wt_core_file *file);

/** Why the program had stopped, for people; "" if it is not known. */
const char *wt_core_file_reason(const struct wt_core_file *file);

/**
 * Makes a device in the state of a core file, as wt_emulated_open does; @p options choose only what
 * is not the program's (limits, threads, history_memory, which must not be 0). The file must
 * outlive the device.
 */
enum wt_status wt_core_file_load(struct wt_emulated *e, const struct wt_emulated_options *options,
                                 const struct wt_core_file *file, struct wt_error *err);

/** After wt_debugger_open: lets the debugger take over the state. */
enum wt_status wt_core_file_debug(struct wt_emulated *e, struct wt_error *err);

/** The findings of checks in the process, if the file has some (runtime/common/checked.h). */
bool wt_core_file_findings(const struct wt_core_file *file, struct wt_archive *findings);
/** The program's memory objects, if the file has some (runtime/common/checked.h). */
bool wt_core_file_objects(const struct wt_core_file *file, struct wt_archive *objects);

#endif
