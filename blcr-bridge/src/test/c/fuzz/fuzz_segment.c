/* The header of a segment; its file is as long as the first byte says, or shorter. */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../exercise/exercise.h"
#include "client.h"
#include "segment.h"

#define LENGTH (4 << 20)

static char directory[] = "/dev/shm/sluice-fuzz.XXXXXX";
static char path[sizeof directory + sizeof "/segment"];
static int file = -1;

static void remove_file(void)
{
    unlink(path);
    rmdir(directory);
}

static void create_file(void)
{
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/segment", directory);
    file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(file >= 0);
    atexit(remove_file);
}

/* Its memory is mapped from the first byte to the last. */
static void touch(const volatile void *memory, size_t length)
{
    const volatile char *bytes = memory;
    (void)(bytes[0] + bytes[length - 1]);
}

static void touch_all(const struct sluice_segment *segment)
{
    touch(segment->slots, segment->slot_count * (size_t)SLUICE_SLOT_LENGTH);
    touch(segment->rings, segment->slot_count * (size_t)segment->ring_length);
    touch(segment->images, segment->image_count * (size_t)SLUICE_IMAGE_LENGTH);
    touch(segment->chunk_states, segment->chunk_count * (size_t)SLUICE_CHUNK_STATE_LENGTH);
    touch(segment->chunks, segment->chunk_count * (size_t)segment->chunk_length);
    int64_t size;
    for (ino_t inode = 0; inode < 100; inode++) {
        sluice_segment_size(segment, 1, inode, &size);
        sluice_segment_state(segment, 1, inode);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (file < 0)
        create_file();
    if (length < SLUICE_HEADER_LENGTH || length > LENGTH)
        return 0; /* waits for the rest of the header */
    struct sluice_header header;
    memcpy(&header, data, sizeof header);
    if (header.version == 0)
        return 0; /* waits for whoever makes it */
    CHECK_EQUAL(ftruncate(file, length % 4 == 0 ? LENGTH : (off_t)length), 0);
    CHECK_EQUAL(pwrite(file, data, length, 0), length);
    struct sluice_segment *segment;
    const int error = sluice_segment_map(directory, &segment);
    if (error == 0) {
        touch_all(segment);
        sluice_segment_unmap(segment);
    } else {
        CHECK(strstr(sluice_failure_message(), path) != NULL);
    }
    return 0;
}
