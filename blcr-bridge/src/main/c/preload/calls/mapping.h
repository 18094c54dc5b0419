/*
 * What mmap(), munmap() and mremap() do, for programs that call them, or the kernel by number. Open MPI
 * writes a jump over the beginning of the C library's functions, to code that makes those calls. So what
 * came by number goes on by number, and never back to the function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

void *sluice_mapping_make(bool by_number, void *address, size_t length, int protection, int flags,
                          int fd, off_t offset);
int sluice_mapping_end(bool by_number, void *address, size_t length);
void *sluice_mapping_move(bool by_number, void *address, size_t old_length, size_t length,
                          int flags, void *wanted);

/* In a forked child the mappings are nobody's openings. */
void sluice_mappings_in_child(void);
