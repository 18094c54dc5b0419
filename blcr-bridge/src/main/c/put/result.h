/* The answer of sluice put on standard output. */
#pragma once

#include "put_options.h"

/* Has the end of this process tell a failure as JSON. */
void sluice_put_result_promise(void);

/* Tells that a stream of so many bytes is committed. Returns the exit status. */
int sluice_put_result_print(const struct sluice_put_options *options, int64_t bytes);
