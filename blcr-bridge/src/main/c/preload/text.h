/* Running a program that is an image. */
#pragma once

#include <stdbool.h>

/*
 * The kernel runs no file that is open for writing, as every image is in the I/O process.
 * After a call failed with `error`: if that was the reason, a copy that is no image takes the name
 * of `path`. True when the call should be repeated.
 */
bool sluice_text_free(const char *path, int error);
