/*
 * A cache on disk of parsed PTX, and of the results of AMD's compiler in the process of a HIP
 * program. Each entry is a file. The folder is $XDG_CACHE_HOME/wavetrap/code, or
 * ~/.cache/wavetrap/code. CODE_CACHE_VARIABLE names another folder, or is "off": then there is no
 * cache. Files are replaced and removed, never changed in place.
 */
#ifndef WT_RUNTIME_COMMON_CODE_CACHE_H
#define WT_RUNTIME_COMMON_CODE_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#define CODE_CACHE_VARIABLE "WAVETRAP_CODE_CACHE"
/** Says that the variable has no sense; its value is the argument. */
#define CODE_CACHE_NONSENSE                                                                        \
    CODE_CACHE_VARIABLE "=%.80s is neither 'on' nor 'off' nor a folder's absolute path"
/** Bytes that its files have at most, in all. */
#define CODE_CACHE_BYTES (INT64_C(64) << 20)

/** Whether a value of the variable has a sense. */
bool code_cache_is_value(const char *value);

/** The path of the entry with this key, in the folder, which is made if need be; false: there is
 * no cache. */
bool code_cache_path(char path[PATH_MAX], XXH128_hash_t key);
/** The bytes of an entry, to be given to munmap() with @p length; NULL: there is none. */
const uint8_t *code_cache_map(const char *path, size_t *length);
/** Marks an entry as used now (@p good), or removes it. */
void code_cache_used(const char *path, bool good);
/**
 * Writes an entry as a whole, so that whoever reads it meanwhile finds the old one, or none. Those
 * entries that were not used for the longest time make room for it. It is not written if it has
 * more than a quarter of CODE_CACHE_BYTES, or cannot be.
 */
void code_cache_write(const char *path, const uint8_t *bytes, size_t length);
/** Removes all files of the cache, if there is one. */
void code_cache_clear(void);

/** A hash of @p seed and of the notes, the build id among them, of the library that this address is
 * in: a part of the key of what that library has made. */
uint64_t code_cache_build(const void *address, uint64_t seed);

#endif
