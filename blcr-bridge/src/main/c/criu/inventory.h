/* The image that CRIU writes as its last, once the dump went well. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLUICE_INVENTORY "inventory.img"

struct sluice_inventory {
    uint32_t head[2]; /* the magic, and the length of the message behind it */
    int64_t length;
};

/* Notes the next bytes of the image. */
void sluice_inventory_add(struct sluice_inventory *inventory, const void *bytes, size_t length);

/* Returns whether the bytes up to here are a whole image. */
bool sluice_inventory_is_whole(const struct sluice_inventory *inventory);
