/*
 * The agreement of all who join one session on options: an option of one of them decides about the
 * files of all.
 */
#pragma once

#include "options.h"

/*
 * Returns whether the I/O process behind a socket was started with the same options as these; a
 * line names the first difference. An I/O process that sluice run has not started, as sluice serve
 * by hand, has options of its own: true.
 *
 * strict: an option of the I/O process that is missing here differs as well. Among the ranks of a
 * job, any may be the one that starts the I/O process.
 */
bool sluice_launch_agreement_holds(int socket, const struct sluice_launch_options *options,
                                   bool strict);
