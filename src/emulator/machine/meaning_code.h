/*
 * Meanings as bytes (meaning.h): with these macros the last arguments of a row become the elements
 * of an array. Arguments are expanded before they are substituted, so that expressions nest. Files
 * that have tables include it after all other headers: its names are short.
 */
#include "emulator/machine/meaning.h"

/* Statements */
#define OUT(to, ...) WT_M_OUT, WT_RESULT_##to, __VA_ARGS__,
#define LOAD(address) WT_M_LOAD, address,
#define STORE(address) WT_M_STORE, address,
#define ATOMIC(address, value) WT_M_ATOMIC, address, value,
#define JUMP(condition, address) WT_M_JUMP, condition, address,
#define LANES(decides) WT_M_LANES, decides,
#define NOTHING
#define UNSAID(why) WT_M_UNSAID, WT_UNSAID_##why,
/* The result, and whether it is 0, in SCC */
#define OUT_SCC(x) OUT(D, x) OUT(SCC, NONZERO(RESULT))
#define LESS WT_M_LESS
#define EQUAL WT_M_EQUAL
#define GREATER WT_M_GREATER
#define UNORDERED WT_M_UNORDERED
/* Nodes: made of meaning.def (meaning_nodes.py) */
#include "emulator/machine/meaning_nodes.h"
