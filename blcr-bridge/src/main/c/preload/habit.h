/*
 * Images for which the log does not pay: those that are read or synchronised again and again with little
 * written between. Each becomes direct by itself, and so are, in this process, later files of the
 * same directory whose names differ in digits only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;

/* What a file's path has in common with those of its kind. */
uint32_t sluice_habit_of(const char *path);

/* Whether a file of that kind is to be direct from the beginning. */
bool sluice_habit_is_direct(uint32_t habit);

/* A logged image is about to be settled or synchronised: true if it is to be direct from here on. Locked. */
bool sluice_habit_harms(struct image *image);
