/* The way to the registers of a Debug Module, which bridge.c serves. */
#include <stdbool.h>
#include <stdint.h>

bool open_window(const char *name); /* false: errno says why not */
uint32_t read_register(uint32_t address);
void write_register(uint32_t address, uint32_t value);
