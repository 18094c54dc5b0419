#include "state.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"
#include "regions.h"
#include "stream.h"
#include "wrappers/data.h"
#include "wrappers/real.h"

#define MAGIC UINT64_C(0x49504d4543554c53) /* "SLUCEMPI" */
#define VERSION 3
#define BUILD 40

/*
 * What begins the image. The bytes of the regions follow, so that they are where they were in the image before. Then the
 * layer's state, and the regions' table.
 */
struct head {
    uint64_t magic;
    int32_t version;
    int32_t protocol;
    int32_t rank;
    int32_t ranks;
    int64_t wave;
    int64_t place;  /* from the beginning of the object that it lies in */
    int64_t own;    /* bytes */
    int64_t memory; /* bytes of all regions */
    int32_t regions;
    uint32_t check; /* CRC-32C of all but the bytes of regions, with 0 here */
    unsigned char build[BUILD];
};

struct entry {
    int64_t id;
    int64_t bytes;
};

/* The note of the linker in the program itself, which is the first of all objects. */
static int find_build(struct dl_phdr_info *object, size_t size, void *build)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type != PT_NOTE)
            continue;
        const unsigned char *at = (const unsigned char *)object->dlpi_addr + header->p_vaddr;
        const unsigned char *end = at + header->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            const unsigned char *name = at + sizeof *note;
            const unsigned char *bytes = name + ((note->n_namesz + 3) & ~3U);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4
                && memcmp(name, "GNU", 4) == 0) {
                memcpy(build, bytes, note->n_descsz < BUILD ? note->n_descsz : BUILD);
                return 1;
            }
            at = bytes + ((note->n_descsz + 3) & ~3U);
        }
    }
    return 1;
}

/* Compilers that were built from source often have the linker write no note: the file's length and checksum stand for it. */
static void sum_program(unsigned char *build)
{
    struct stat found;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    void *file = fstat(fd, &found) == 0 ? mmap(NULL, found.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                                        : MAP_FAILED;
    if (file != MAP_FAILED) {
        const int64_t length = found.st_size;
        const uint32_t sum = sluice_mpi_crc(0, file, length);
        memcpy(build, &length, sizeof length);
        memcpy(build + sizeof length, &sum, sizeof sum);
        munmap(file, length);
    }
    close(fd);
}

static const unsigned char *build(void)
{
    static unsigned char known[BUILD];
    static const unsigned char none[BUILD];
    if (memcmp(known, none, BUILD) == 0)
        dl_iterate_phdr(find_build, known);
    if (memcmp(known, none, BUILD) == 0)
        sum_program(known);
    return known;
}

static int64_t offset_of(const void *address)
{
    Dl_info object;
    return dladdr(address, &object) != 0
        ? (int64_t)((const char *)address - (const char *)object.dli_fbase)
        : 0;
}

static struct head head_of(int64_t wave, const struct sluice_mpi_place *place, size_t own)
{
    struct head head = {
        .magic = MAGIC,
        .version = VERSION,
        .protocol = place->protocol,
        .rank = sluice_mpi_rank,
        .ranks = sluice_mpi_size,
        .wave = wave,
        .place = offset_of(place->address),
        .own = (int64_t)own,
        .memory = sluice_mpi_region_bytes(),
        .regions = sluice_mpi_region_count,
    };
    memcpy(head.build, build(), BUILD);
    return head;
}

int sluice_mpi_write_image(int64_t wave, const char *name, const void *data, size_t length)
{
    sluice_image *image;
    int error = sluice_image_create(sluice_mpi_session, wave, name, &image);
    if (error != 0)
        return error;
    const ssize_t written = sluice_image_write(image, data, length);
    error = sluice_image_close(image);
    return written < 0 ? (int)written : error;
}

int sluice_mpi_read_image(int64_t wave, const char *name, struct sluice_mpi_bytes *bytes)
{
    const int fd = sluice_image_restart(sluice_mpi_session, wave, name);
    if (fd < 0)
        return fd;
    ssize_t count;
    do {
        unsigned char *room = sluice_mpi_bytes_room(bytes, 1 << 16);
        count = read(fd, room, 1 << 16);
        bytes->length -= (1 << 16) - (count > 0 ? count : 0);
    } while (count > 0 || (count < 0 && errno == EINTR));
    const int error = count < 0 ? -errno : 0;
    close(fd);
    return error;
}

void sluice_mpi_state_begin(int64_t wave, const struct sluice_mpi_place *place,
                            const struct sluice_mpi_bytes *own, struct sluice_mpi_bytes *begin)
{
    struct head head = head_of(wave, place, own->length);
    sluice_mpi_bytes_put(begin, &head, sizeof head);
    sluice_mpi_bytes_put(begin, own->data, own->length);
    for (int i = 0; i < sluice_mpi_region_count; i++) {
        const struct entry entry = {sluice_mpi_regions[i].id, (int64_t)sluice_mpi_regions[i].bytes};
        sluice_mpi_bytes_put(begin, &entry, sizeof entry);
    }
    head.check = sluice_mpi_crc(0, begin->data, begin->length);
    memcpy(begin->data, &head, sizeof head);
}

size_t sluice_mpi_state_head(void)
{
    return sizeof(struct head);
}

/* ---- a restart ---- */

static void read_all(int fd, void *data, size_t length, int64_t offset, int64_t wave)
{
    unsigned char *at = data;
    while (length > 0) {
        const ssize_t count = pread(fd, at, length, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EFAULT) {
            sluice_mpi_abort("checkpoint %lld: a protected region lies in memory that cannot be "
                             "written: protect the same as the program that wrote it",
                             (long long)wave);
        }
        if (count <= 0) {
            sluice_mpi_abort("checkpoint %lld: image state ends too early: %s; look with sluice "
                             "verify, or restart from an older checkpoint",
                             (long long)wave, count < 0 ? strerror(errno) : "it is damaged");
        }
        at += count;
        offset += count;
        length -= count;
    }
}

static void check_head(const struct head *found, const struct head *mine)
{
    const long long wave = (long long)mine->wave;
    if (found->ranks != mine->ranks) {
        sluice_mpi_abort("checkpoint %lld is of %d ranks, and these are %d: restart with as many",
                         wave, found->ranks, mine->ranks);
    }
    if (memcmp(found->build, mine->build, BUILD) != 0) {
        sluice_mpi_abort("checkpoint %lld is of another build of the program: restart with the "
                         "program that wrote it",
                         wave);
    }
    if (mine->protocol != 0 && found->protocol != mine->protocol) {
        sluice_mpi_abort("checkpoint %lld was written with --protocol %s: restart with that", wave,
                         found->protocol == SLUICE_CONTROL_PCL ? "pcl" : "c3");
    }
    if (found->place != mine->place) {
        sluice_mpi_abort("checkpoint %lld was taken at another sluice_potential_checkpoint() than "
                         "the first that the program comes to: come to that one first",
                         wave);
    }
}

static void check_regions(const struct entry *entries, int count, int64_t wave)
{
    for (int i = 0; i < count; i++) {
        const struct sluice_mpi_region *region = sluice_mpi_region_find((int)entries[i].id);
        if (region == NULL || (int64_t)region->bytes != entries[i].bytes) {
            sluice_mpi_abort(
                "checkpoint %lld has %lld bytes of the region with id %lld, and the program "
                "protects %lld: protect the same before the first sluice_potential_checkpoint()",
                (long long)wave, (long long)entries[i].bytes, (long long)entries[i].id,
                region == NULL ? 0LL : (long long)region->bytes);
        }
    }
    if (count != sluice_mpi_region_count) {
        sluice_mpi_abort("checkpoint %lld has %d regions, and the program protects %d: protect the "
                         "same before the first sluice_potential_checkpoint()",
                         (long long)wave, count, sluice_mpi_region_count);
    }
}

static void check_release(const struct head *found, int64_t wave)
{
    if (found->magic != MAGIC || found->version != VERSION) {
        sluice_mpi_abort("checkpoint %lld is not one of an MPI program, or of another release: "
                         "restart with the release that wrote it",
                         (long long)wave);
    }
}

/* All but the bytes of regions. Returns a descriptor, or a negative errno. */
static int read_tables(int64_t wave, struct head *head, struct sluice_mpi_bytes *own,
                       struct sluice_mpi_bytes *table)
{
    const int fd = sluice_image_restart(sluice_mpi_session, wave, "state");
    if (fd < 0)
        return fd;
    read_all(fd, head, sizeof *head, 0, wave);
    check_release(head, wave);
    const uint32_t check = head->check;
    head->check = 0;
    uint32_t crc = sluice_mpi_crc(0, head, sizeof *head);
    const int64_t most = INT64_C(1) << 60;
    if (head->own < 0 || head->own > INT64_C(1) << 40 || head->regions < 0 || head->memory < 0
        || head->memory > most) {
        sluice_mpi_abort("checkpoint %lld: image state is damaged", (long long)wave);
    }
    const int64_t behind = (int64_t)sizeof *head + head->memory;
    read_all(fd, sluice_mpi_bytes_room(own, head->own), head->own, behind, wave);
    crc = sluice_mpi_crc(crc, own->data, own->length);
    const size_t length = head->regions * sizeof(struct entry);
    read_all(fd, sluice_mpi_bytes_room(table, length), length, behind + head->own, wave);
    if (sluice_mpi_crc(crc, table->data, table->length) != check)
        sluice_mpi_abort("checkpoint %lld: image state is damaged", (long long)wave);
    return fd;
}

size_t sluice_mpi_saved_bytes(int64_t wave, int id)
{
    static struct sluice_mpi_bytes table;
    static bool known;
    if (!known) {
        struct head head;
        struct sluice_mpi_bytes own = {0};
        const int fd = read_tables(wave, &head, &own, &table);
        sluice_mpi_bytes_free(&own);
        if (fd >= 0) /* else the first spot says why not */
            close(fd);
        known = true;
    }
    const struct entry *entries = (const struct entry *)table.data;
    for (size_t i = 0; i < table.length / sizeof *entries; i++)
        if (entries[i].id == id)
            return entries[i].bytes;
    return 0;
}

int sluice_mpi_read_state(int64_t wave, const struct sluice_mpi_place *place,
                          struct sluice_mpi_bytes *own)
{
    struct head head;
    struct sluice_mpi_bytes table = {0};
    const int fd = read_tables(wave, &head, own, &table);
    if (fd == -ENOENT) {
        sluice_mpi_abort("%s, and these are %d ranks: restart with as many as wrote it",
                         sluice_message(), sluice_mpi_size);
    }
    if (fd < 0)
        sluice_mpi_abort("checkpoint %lld: %s", (long long)wave, sluice_message());
    const struct head mine = head_of(wave, place, 0);
    check_head(&head, &mine);
    check_regions((const struct entry *)table.data, head.regions, wave);
    int64_t at = sizeof head;
    for (int i = 0; i < sluice_mpi_region_count; i++) {
        read_all(fd, sluice_mpi_regions[i].pointer, sluice_mpi_regions[i].bytes, at, wave);
        at += (int64_t)sluice_mpi_regions[i].bytes;
    }
    sluice_mpi_bytes_free(&table);
    close(fd);
    return head.protocol;
}
