/* The options of all who join one session: what one of them says decides what becomes of the files of all. */
#pragma once

#include "options.h"

/*
 * Whether the I/O process behind a socket was started with the same options as these; a line says which is another one. One that
 * no sluice run has started, as sluice serve by hand, has its own.
 *
 * strict: an option that is not given here, and was there, is another one as well. Of the ranks of a job any may be the one
 * that starts the I/O process.
 */
bool sluice_launch_agreement_holds(int socket, const struct sluice_launch_options *options,
                                   bool strict);
