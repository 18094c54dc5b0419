#include "habit.h"

#include <ctype.h>
#include <stdatomic.h>

#include "image.h"

/* What a settling costs is about what logging so many bytes gains. */
#define PRICE (1 << 20)

/* A checkpoint is synchronised once, or read once, before it is closed. */
#define MOST 2

/* Kinds of which one was found to be harmed. Two with one place only share what they have learnt. */
static atomic_bool harmed[1024];

static atomic_bool *place_of(uint32_t habit)
{
    return &harmed[habit % (sizeof harmed / sizeof *harmed)];
}

/* FNV-1a, with each row of digits as one. */
uint32_t sluice_habit_of(const char *path)
{
    uint32_t hash = 2166136261;
    for (const char *each = path; *each != '\0'; each++) {
        const bool digit = isdigit((unsigned char)*each);
        if (!digit || each == path || !isdigit((unsigned char)each[-1]))
            hash = (hash ^ (digit ? '#' : (unsigned char)*each)) * 16777619;
    }
    return hash ^ hash >> 16;
}

bool sluice_habit_is_direct(uint32_t habit)
{
    return atomic_load_explicit(place_of(habit), memory_order_relaxed);
}

bool sluice_habit_harms(struct image *image)
{
    image->harms = image->gained < PRICE ? image->harms + 1 : 1;
    image->gained = 0;
    if (image->harms <= MOST)
        return false;
    atomic_store_explicit(place_of(image->habit), true, memory_order_relaxed);
    return true;
}
