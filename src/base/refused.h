/*
 * What a library of ours refuses by name, for `wavetrap info --support`: a section of the library
 * holds the name of each function and the reason, texts that end in zeros. Nothing is loaded to
 * read it.
 */
#ifndef WT_BASE_REFUSED_H
#define WT_BASE_REFUSED_H

#define WT_REFUSED_SECTION ".wavetrap.refused"

/** Stands before `static const char NAME[] = "FUNCTION" "\0" "REASON" "\0" …;` */
#define WT_REFUSED_FUNCTIONS __attribute__((section(WT_REFUSED_SECTION), used))

#endif
