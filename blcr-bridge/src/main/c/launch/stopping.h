/* What a job that is told to stop tells its I/O process. */
#pragma once

#include "service.h"

/* A signal has come: with SIGTERM the I/O process has its grace from now on. */
void sluice_launch_stopping_begin(int signal, void *service);

/* Heeds SIGTERM, and SIGINT to wait no longer, until this process ends. Both are blocked. */
void sluice_launch_stopping_heed(struct sluice_launch_service *service);
