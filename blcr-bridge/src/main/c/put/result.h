/* The answer of a native command on standard output. */
#pragma once

#include <stdint.h>

/* Has the end of this process tell a failure as JSON. */
void sluice_result_promise(void);

/* Begins an object of JSON, to which members are added. */
void sluice_result_begin(void);
void sluice_result_number(const char *name, int64_t value);
void sluice_result_text(const char *name, const char *value);
void sluice_result_end(void);

/* Prints an answer that is no JSON. */
void sluice_result_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Returns the exit status of a command that has printed its answer about a checkpoint. If standard
 * output did not take all of it a line says so, and what the checkpoint `is`. A reader that is gone
 * wants no more.
 */
int sluice_result_status(int64_t checkpoint, const char *is);
