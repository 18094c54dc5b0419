#include "usage.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdatomic.h>

#include "image.h"
#include "launcher.h"
#include "layout.h"
#include "segment.h"

/* The bytes whose logging gains about as much as one settling costs. */
#define PRICE (1 << 20)

/* The harms that are allowed. A checkpoint is synchronised or read once before it is closed. */
#define MOST 2

/* The count of small files in a row after which the program is likely to go on with them. */
#define ROW 4

/* Facts about a kind: the log harmed a file of it, or a file of it was not small. */
enum { HARMED = 1, LARGE = 2 };

/* The facts by kind. Two kinds with one place share their facts. */
static atomic_uchar kinds[1024];

static atomic_int row; /* count of small files in a row */

static atomic_uchar *place_of(uint32_t kind)
{
    return &kinds[kind % (sizeof kinds / sizeof *kinds)];
}

static void learn(uint32_t kind, int what)
{
    atomic_fetch_or_explicit(place_of(kind), (unsigned char)what, memory_order_relaxed);
}

/*
 * Returns whether this process is a rank. Its files are parts of a checkpoint, which is durable
 * sooner from a container.
 */
static bool is_rank(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    return rank >= 0;
}

/* Returns the limit of small files in bytes; 0 where none is left to its own file. */
static int64_t most_of_small(void)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    return segment != NULL && sluice_layout_tells_of_small(segment) && !is_rank()
        ? segment->header->small
        : 0;
}

/* A rank opens no database: Fortran opens files with these flags unless told otherwise. */
bool sluice_usage_is_database(int flags)
{
    const int asked = flags & (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND);
    return asked == (O_RDWR | O_CREAT) && most_of_small() > 0;
}

/* Hashes with FNV-1a, taking each row of digits as one character. */
uint32_t sluice_usage_kind(const char *path)
{
    uint32_t hash = 2166136261;
    for (const char *each = path; *each != '\0'; each++) {
        const bool digit = isdigit((unsigned char)*each);
        if (!digit || each == path || !isdigit((unsigned char)each[-1]))
            hash = (hash ^ (digit ? '#' : (unsigned char)*each)) * 16777619;
    }
    return hash ^ hash >> 16;
}

int sluice_usage_reason(uint32_t kind, bool created)
{
    const int known = atomic_load_explicit(place_of(kind), memory_order_relaxed);
    if (known & HARMED)
        return SLUICE_REASON_READ;
    return created && (known & LARGE) == 0
            && atomic_load_explicit(&row, memory_order_relaxed) >= ROW && most_of_small() > 0
        ? SLUICE_REASON_SMALL
        : SLUICE_REASON_NONE;
}

void sluice_usage_closed(const struct image *image)
{
    const int64_t size = image->created ? sluice_log_written(&image->log) : -1;
    if (size < 0)
        return;
    if (size > most_of_small()) {
        learn(image->kind, LARGE);
        atomic_store_explicit(&row, 0, memory_order_relaxed);
    } else if (atomic_load_explicit(&row, memory_order_relaxed) < ROW) {
        atomic_fetch_add_explicit(&row, 1, memory_order_relaxed);
    }
}

bool sluice_usage_harms(struct image *image)
{
    image->harms = image->gained < PRICE ? image->harms + 1 : 1;
    image->gained = 0;
    if (image->harms <= MOST)
        return false;
    learn(image->kind, HARMED);
    return true;
}
