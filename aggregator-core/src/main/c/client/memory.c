#include "memory.h"

#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

#include "kernel.h"

#define SMALLEST 64
#define LARGEST 2048 /* bytes of the largest block that is kept; larger ones are mappings */
#define KINDS 6
#define SLAB 16384

/* The head of each piece of memory. */
struct block {
    alignas(max_align_t) size_t length; /* bytes of head and piece */
    struct block *next;
};

static _Atomic(struct block *) spare[KINDS];

static int kind_of(size_t length)
{
    int kind = 0;
    while ((size_t)SMALLEST << kind < length)
        kind++;
    return kind;
}

static void keep(_Atomic(struct block *) *list, struct block *first, struct block *last)
{
    last->next = atomic_load_explicit(list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(list, &last->next, first, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

/*
 * Takes a block off a list: takes all of them and puts the rest back. So no other thread can take
 * the first block and return it in between.
 */
static struct block *pick(_Atomic(struct block *) *list)
{
    struct block *first = atomic_exchange_explicit(list, NULL, memory_order_acquire), *none = NULL;
    struct block *rest = first != NULL ? first->next : NULL;
    if (rest == NULL
        || atomic_compare_exchange_strong_explicit(list, &none, rest, memory_order_release,
                                                   memory_order_relaxed)) {
        return first;
    }
    struct block *last = rest;
    while (last->next != NULL)
        last = last->next;
    keep(list, rest, last);
    return first;
}

static struct block *map(size_t length)
{
    int error;
    struct block *mapped = sluice_kernel_map(-1, 0, length, &error);
    if (mapped != NULL)
        mapped->length = length;
    else
        errno = ENOMEM;
    return mapped;
}

/* Maps a slab of blocks, keeps all but the first, and returns that. */
static struct block *cut(_Atomic(struct block *) *list, size_t length)
{
    struct block *first = map(SLAB), *last = NULL;
    for (size_t at = length; first != NULL && at < SLAB; at += length) {
        struct block *each = (struct block *)((char *)first + at);
        each->next = last;
        last = each;
    }
    if (last != NULL)
        keep(list, last, (struct block *)((char *)first + length));
    return first;
}

void *sluice_memory_take(size_t length)
{
    const size_t whole = length + sizeof(struct block);
    struct block *block;
    if (whole > LARGEST) {
        block = map(whole);
    } else {
        const int kind = kind_of(whole);
        block = pick(&spare[kind]);
        if (block == NULL)
            block = cut(&spare[kind], (size_t)SMALLEST << kind);
        if (block != NULL)
            block->length = (size_t)SMALLEST << kind;
    }
    return block != NULL ? memset(block + 1, 0, length) : NULL;
}

void sluice_memory_give(void *memory)
{
    struct block *block = memory;
    if (memory == NULL)
        return;
    block--;
    if (block->length > LARGEST)
        sluice_kernel_unmap(block, block->length);
    else
        keep(&spare[kind_of(block->length)], block, block);
}

char *sluice_memory_copy(const char *text)
{
    const size_t length = strlen(text) + 1;
    char *copy = sluice_memory_take(length);
    return copy != NULL ? memcpy(copy, text, length) : NULL;
}
