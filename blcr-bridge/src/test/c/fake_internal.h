/* What the parts of the fake I/O process know of each other. The lock is held in all of it. */
#pragma once

#include "fake_io_process.h"

#define FAKE_IMAGES 64
#define FAKE_RING_CAPACITY 1024

#define MUST(condition) fake_must(condition, #condition)

void fake_must(bool holds, const char *what);

/* Applies the chunks that are on the rings, and releases them. */
void fake_drain_rings(struct fake_io_process *iop);

/* Puts everything that is logged of an image, published or not, into its file. */
void fake_settle(struct fake_io_process *iop, struct fake_image *image);

/* Carries out a request of a slot's process and replies. */
void fake_answer(struct fake_io_process *iop, int slot, int type, const char *body, size_t length);
