/* What the kernel says of a file whose writes are still in the log. */
#pragma once

#include <sys/stat.h>

/* Corrects the size and blocks in the status that a call has filled in; its `result`. */
int sluice_status_correct(int result, struct stat *status);
