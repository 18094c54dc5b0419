/*
 * What tests of the client begin with: one that is attached to a fake I/O process, with one image
 * that is diverted.
 */
#pragma once

#include "attachment.h"
#include "fake_io_process.h"

#define CONTAINER SLUICE_HEADER_LAYOUT_CONTAINER
#define FILES SLUICE_HEADER_LAYOUT_FILES
#define FIXED SLUICE_HEADER_POLICY_FIXED
#define AUTO SLUICE_HEADER_POLICY_AUTO

extern struct fake_io_process iop;
extern struct sluice_client *client;
extern struct sluice_log_image image;
extern int image_fd;

static const struct fake_geometry container = {CONTAINER, 16, 4096, 3000, FIXED};
static const struct fake_geometry files = {FILES, 16, 4096, 3000, FIXED};

void start(struct fake_geometry geometry);
void shut_down(void);

/* Another image of the same client. */
void open_image(struct sluice_log_image *opened, int *fd, const char *name);

/* To the image. */
void write_all(const void *data, size_t length, int64_t offset);

/* What a restart would make of the image. */
void assert_rebuilt(const void *expected, int64_t length);

/* Bytes of a model of the image in memory, zero beyond its size. */
#define MODEL_LENGTH (256 << 10)

/* Does the same to the image and to its model. */
void random_operation(unsigned *seed, uint8_t *model, int64_t *size);

/* A whole test of many, from start to stop. `when_full` is SLUICE_HEADER_WHEN_FULL_*. */
void random_operations(struct fake_geometry geometry, int when_full, unsigned seed);
