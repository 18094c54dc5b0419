/*
 * Programs with Go's runtime. Go opens, reads and writes files by instructions of its own, which no
 * library sees. Go may read bytes that C wrote a moment before. So all files that C opens there are
 * left to the kernel, as in a process with a ring. Without root, the I/O process cannot have the
 * kernel hold up Go's opens.
 */
#include "go.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "image.h"
#include "symbol.h"

#define ALIGNED(length) (((length) + 3) & ~(size_t)3)

/* The type of the note that Go's linker writes by default. */
#define GO_BUILD_ID 4
static const char name_of_note[4] = "Go";

/* The function that Go's runtime exports wherever C is beside it. */
static const char name_of_function[] = "_cgo_get_context_function";

static bool is_go(const ElfW(Nhdr) * note)
{
    return note->n_type == GO_BUILD_ID && note->n_namesz == sizeof name_of_note
        && memcmp(note + 1, name_of_note, sizeof name_of_note) == 0;
}

static bool has_note(const uint8_t *notes, size_t length)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) + sizeof name_of_note <= length;) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
        if (is_go(note))
            return true;
        at += sizeof *note + ALIGNED(note->n_namesz) + ALIGNED(note->n_descsz);
    }
    return false;
}

static int has_go(struct dl_phdr_info *object, size_t size, void *nothing)
{
    (void)size;
    (void)nothing;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = object->dlpi_phdr + i;
        const void *place = (const void *)(object->dlpi_addr + part->p_vaddr);
        if ((part->p_type == PT_NOTE && has_note(place, part->p_memsz))
            || (part->p_type == PT_DYNAMIC
                && sluice_symbol(object->dlpi_addr, place, name_of_function) != NULL)) {
            return 1;
        }
    }
    return 0;
}

/* Stores the number of objects ever loaded, as the first object tells it. */
static int count_loaded(struct dl_phdr_info *object, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = object->dlpi_adds;
    return 1;
}

static void look(void)
{
    static _Atomic unsigned long long looked_at;
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_loaded, &loaded);
    if (atomic_exchange_explicit(&looked_at, loaded, memory_order_relaxed) != loaded
        && dl_iterate_phdr(has_go, NULL) != 0) {
        sluice_images_go_direct(SLUICE_REASON_SYSCALL);
    }
}

__attribute__((constructor)) static void look_before_main(void)
{
    if (sluice_capture_on())
        look();
}

static atomic_bool loads_more;

void sluice_go_may_be_loaded(void)
{
    atomic_store_explicit(&loads_more, true, memory_order_relaxed);
}

void sluice_go_look(void)
{
    if (atomic_load_explicit(&loads_more, memory_order_relaxed))
        look();
}
