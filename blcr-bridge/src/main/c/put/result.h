/* The answer of sluice put on standard output. */
#pragma once

#include "put_options.h"

/* Has the end of the process tell a failure as JSON, if `json`. */
void sluice_put_result_promise(bool json);

/* Tells that a stream of so many bytes is committed. */
void sluice_put_result_print(const struct sluice_put_options *options, int64_t bytes);
