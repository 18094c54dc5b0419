#include "symbol.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct tables {
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Half) * versions; /* NULL without versions */
    const uint32_t *gnu;         /* NULL without this kind of hash table, as `plain` */
    const uint32_t *plain;
};

/*
 * Returns the address of a table. The dynamic linker has turned the offsets into addresses, except
 * in the kernel's own object.
 */
static const void *at(ElfW(Addr) base, const ElfW(Dyn) * entry)
{
    const ElfW(Addr) value = entry->d_un.d_ptr;
    return (const void *)(value >= base ? value : base + value);
}

static struct tables read_tables(ElfW(Addr) base, const ElfW(Dyn) * dynamic)
{
    struct tables tables = {.base = base};
    for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++) {
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            tables.symbols = at(base, dynamic);
            break;
        case DT_STRTAB:
            tables.names = at(base, dynamic);
            break;
        case DT_VERSYM:
            tables.versions = at(base, dynamic);
            break;
        case DT_GNU_HASH:
            tables.gnu = at(base, dynamic);
            break;
        case DT_HASH:
            tables.plain = at(base, dynamic);
            break;
        default:
            break;
        }
    }
    return tables;
}

/*
 * Returns whether a symbol is the function of this name, in a version that is not hidden. Old
 * versions are.
 */
static bool is(const struct tables *tables, uint32_t index, const char *name)
{
    static const unsigned hidden = 0x8000;
    const ElfW(Sym) *symbol = tables->symbols + index;
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0
        && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)
        && (tables->versions == NULL || (tables->versions[index] & hidden) == 0)
        && strcmp(tables->names + symbol->st_name, name) == 0;
}

/*
 * Finds a symbol in a GNU hash table: a bucket names its first symbol, and the others follow it.
 * The last hash of a bucket is odd.
 */
static uint32_t find_by_gnu_hash(const struct tables *tables, const char *name)
{
    const uint32_t buckets = tables->gnu[0], first = tables->gnu[1], words = tables->gnu[2];
    const uint32_t *bucket =
        (const uint32_t *)((const ElfW(Addr) *)(tables->gnu + 4) + words); /* behind a filter */
    const uint32_t *hashes = bucket + buckets;
    uint32_t hash = 5381;
    for (const unsigned char *each = (const unsigned char *)name; *each != '\0'; each++)
        hash = hash * 33 + *each;
    uint32_t index = buckets == 0 ? 0 : bucket[hash % buckets];
    for (bool more = index >= first && index != 0; more; index++) {
        const uint32_t known = hashes[index - first];
        if ((known | 1) == (hash | 1) && is(tables, index, name))
            return index;
        more = (known & 1) == 0;
    }
    return STN_UNDEF;
}

/* Finds a symbol in an ELF hash table: buckets of chains of indices. */
static uint32_t find_by_hash(const struct tables *tables, const char *name)
{
    const uint32_t buckets = tables->plain[0];
    const uint32_t *bucket = tables->plain + 2, *chain = bucket + buckets;
    uint32_t hash = 0;
    for (const unsigned char *each = (const unsigned char *)name; *each != '\0'; each++) {
        hash = (hash << 4) + *each;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    uint32_t index = buckets == 0 ? STN_UNDEF : bucket[hash % buckets];
    while (index != STN_UNDEF && !is(tables, index, name))
        index = chain[index];
    return index;
}

void *sluice_symbol(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char *name)
{
    const struct tables tables = read_tables(base, dynamic);
    if (tables.symbols == NULL || tables.names == NULL)
        return NULL;
    const uint32_t index = tables.gnu != NULL ? find_by_gnu_hash(&tables, name)
        : tables.plain != NULL                ? find_by_hash(&tables, name)
                                              : STN_UNDEF;
    if (index == STN_UNDEF)
        return NULL;
    const ElfW(Sym) *symbol = tables.symbols + index;
    void *address = (void *)(base + symbol->st_value);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        address = ((void *(*)(unsigned long))address)(getauxval(AT_HWCAP));
    return address;
}

struct search {
    const char *name;
    bool behind; /* the search has passed our own object */
    void *found;
};

static int look_in(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = object->dlpi_phdr + i;
        const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + part->p_vaddr);
        if (part->p_type != PT_DYNAMIC)
            continue;
        if (search->behind)
            search->found = sluice_symbol(object->dlpi_addr, dynamic, search->name);
        search->behind = search->behind || dynamic == _DYNAMIC;
    }
    return search->found != NULL;
}

void *sluice_symbol_loaded(const char *name)
{
    struct search search = {.name = name};
    dl_iterate_phdr(look_in, &search);
    return search.found;
}
