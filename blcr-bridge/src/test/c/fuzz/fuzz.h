/*
 * What the client reads and may be anything. Each target is one fuzz_TARGET.c; `fuzz_TARGET CORPUS
 * SECONDS [SEED]` tries the files of CORPUS and then, as long as told, what becomes of them by
 * mistakes of all kinds. Built by clang with -DSLUICE_FUZZER=ON, coverage guides it instead.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads one input; whatever is not as it should be aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
