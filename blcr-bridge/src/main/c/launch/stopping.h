/* The message to the I/O process that the job is to stop. */
#pragma once

#include "service.h"

/* Handles a signal: from a SIGTERM on, the I/O process has its grace. */
void sluice_launch_stopping_begin(int signal, void *service);

/* Handles SIGTERM, and SIGINT to wait no longer, until this process ends. Both are blocked. */
void sluice_launch_stopping_heed(struct sluice_launch_service *service);
