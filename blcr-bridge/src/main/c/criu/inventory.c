#include "inventory.h"

#include <string.h>

#define MAGIC 0x58313116u /* INVENTORY_MAGIC of CRIU's magic.h */

void sluice_inventory_add(struct sluice_inventory *inventory, const void *bytes, size_t length)
{
    const size_t have = (size_t)inventory->length;
    if (have < sizeof inventory->head) {
        const size_t lacks = sizeof inventory->head - have;
        memcpy((char *)inventory->head + have, bytes, length < lacks ? length : lacks);
    }
    inventory->length += (int64_t)length;
}

bool sluice_inventory_is_whole(const struct sluice_inventory *inventory)
{
    return inventory->head[0] == MAGIC && inventory->head[1] > 0
        && inventory->length == (int64_t)sizeof inventory->head + inventory->head[1];
}
