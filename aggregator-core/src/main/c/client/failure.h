/* The sentence that goes with a negative errno. */
#pragma once

/* Keeps the sentence for this thread and returns -error. */
int sluice_failure(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the text of an errno: always in English, since a translation may allocate. */
const char *sluice_failure_reason(int error);

/* Returns the last sentence of this thread; never NULL. */
const char *sluice_failure_message(void);
