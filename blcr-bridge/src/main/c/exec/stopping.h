/* What a job that is told to stop tells its I/O process. */
#pragma once

#include "service.h"

/* SIGTERM has come: the I/O process has its grace from now on. A sluice_exec_stopping. */
void sluice_exec_stopping_begin(void *service);

/* Heeds SIGTERM, and SIGINT to wait no longer, until this process ends. Both are blocked. */
void sluice_exec_stopping_heed(struct sluice_exec_service *service);
