/*
 * The calls mmap(), munmap() and mremap(), made by function or by number. Open MPI writes a jump
 * over the beginning of the C library's functions, to code that makes those calls by number. So a
 * call by number goes on by number, and never back to the function.
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

/* Forgets the mappings, in a forked child: they hold no openings there. */
void sluice_mappings_in_child(void);
