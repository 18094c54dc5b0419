/* The I/O process that a stream goes through. */
#pragma once

#include "service.h"
#include "session.h"
#include "writer_options.h"

/*
 * Joins the I/O process that SLUICE_DIRECTORY names, if it has the store. Otherwise processes that
 * put one checkpoint together share one, which the first of them starts, and any other has its own.
 * Ends the process when that fails. `options` get the name of the I/O process, and are kept.
 */
void sluice_where_enter(struct sluice_launch_service *service,
                        struct sluice_writer_options *options);

/* Opens a session of the rank that the options say, whatever a launcher says. */
int sluice_where_open(const char *directory, const struct sluice_writer_options *options,
                      sluice_session **session);
