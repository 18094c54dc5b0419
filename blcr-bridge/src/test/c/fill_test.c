/* Streams that are read straight into the open chunk, or go past it into the image's file. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "one_image.h"

#define HEADERS (SLUICE_CHUNK_HEADER_LENGTH + SLUICE_RECORD_HEADER_LENGTH)

static int ends[2]; /* of the pipe that brings the stream */

static void begin(struct fake_geometry geometry)
{
    start(geometry);
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
}

static void finish(void)
{
    close(ends[0]);
    close(ends[1]);
    shut_down();
}

static void bring(const void *data, size_t length)
{
    assert_int_equal(write(ends[1], data, length), length);
}

static ssize_t fill(size_t length, int64_t offset)
{
    return sluice_log_fill(&image, image_fd, ends[0], length, offset);
}

static int left(void)
{
    int there = -1;
    assert_int_equal(ioctl(ends[0], FIONREAD, &there), 0);
    return there;
}

static void make_pattern(char *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        data[i] = (char)(i * 7 % 251);
}

static void pieces_of_a_stream_extend_one_record(void **state)
{
    (void)state;
    char data[1100];
    begin(container);
    make_pattern(data, sizeof data);
    for (int i = 0; i < 100; i++) {
        bring(data + i * 11, 11);
        assert_int_equal(fill(1 << 20, i * 11), 11);
    }
    const struct sluice_record *record = client->writer.last;
    assert_int_equal(record->type, SLUICE_RECORD_TYPE_WRITE);
    assert_int_equal(record->offset, 0);
    assert_int_equal(record->length, 1100);
    assert_int_equal(client->writer.chunk->used, HEADERS + 1100);
    assert_int_equal(client->writer.sequence, 1);
    assert_int_equal(sluice_log_size(&image), 1100);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    finish();
}

/* No piece is larger than the room in a chunk, and each begins where the one before ended. */
static void a_stream_longer_than_a_chunk_is_split(void **state)
{
    (void)state;
    char data[30000];
    begin((struct fake_geometry){CONTAINER, 16, 4096, 1 << 20, FIXED});
    make_pattern(data, sizeof data);
    bring(data, sizeof data);
    close(ends[1]);
    int64_t at = 0;
    for (ssize_t count; (count = fill(sizeof data, at)) != 0; at += count)
        assert_in_range(count, 1, 4096 - HEADERS);
    ends[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_int_equal(at, sizeof data);
    assert_int_equal(client->writer.sequence, 8);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    finish();
}

/* The chunk has the room that the last byte of it leaves, and an image its own records. */
static void a_reservation_is_what_the_open_chunk_has_left(void **state)
{
    (void)state;
    size_t room;
    int error;
    char data[4096];
    begin((struct fake_geometry){CONTAINER, 16, 4096, 1 << 20, FIXED});
    struct sluice_chunk_writer *writer = &client->writer;
    make_pattern(data, sizeof data);
    write_all(data, 4096 - HEADERS - 10, 0);
    char *place = sluice_chunk_reserve(writer, true, image.id, 4096 - HEADERS - 10, &room, &error);
    assert_ptr_equal(place, (char *)writer->chunk + 4096 - 10);
    assert_int_equal(room, 10);
    assert_int_equal(writer->chunk->used, 4096 - 10); /* nothing counts that is not filled */
    place = sluice_chunk_reserve(writer, true, image.id, 9000, &room, &error);
    assert_int_equal(writer->sequence, 2); /* no record of its own fits behind the other */
    assert_ptr_equal(place, (char *)writer->chunk + HEADERS);
    assert_int_equal(room, 4096 - HEADERS);
    memcpy(place, "far", 3);
    sluice_chunk_fill(writer, image.id, 9000, 3);
    assert_int_equal(writer->last->offset, 9000);
    assert_int_equal(writer->last->length, 3);
    place = sluice_chunk_reserve(writer, true, image.id + 1, 9003, &room, &error);
    assert_true(place > (char *)writer->chunk + HEADERS + 3);
    assert_int_equal(writer->last->image_id, image.id);
    finish();
}

static void what_the_threshold_has_goes_into_the_file(void **state)
{
    (void)state;
    const struct fake_geometry both[] = {container, files};
    for (int i = 0; i < 2; i++) {
        char data[9000];
        begin(both[i]);
        make_pattern(data, sizeof data);
        bring(data, 2999);
        assert_int_equal(fill(1 << 20, 0), 2999);
        assert_int_equal(lseek(image_fd, 0, SEEK_END), 0);
        bring(data + 2999, 6001);
        assert_int_equal(fill(1 << 20, 2999), 6001);
        assert_int_equal(lseek(image_fd, 0, SEEK_END), 9000);
        assert_true(sluice_log_diverted(&image));
        assert_int_equal(sluice_log_end(&image), 0);
        assert_rebuilt(data, sizeof data);
        finish();
    }
}

/* The kernel moves none from there to a file. */
static void what_is_no_pipe_is_read_whatever_its_length(void **state)
{
    (void)state;
    char data[4000];
    begin(container);
    make_pattern(data, sizeof data);
    close(ends[0]);
    ends[0] = open(iop.directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    assert_int_equal(pwrite(ends[0], data, sizeof data, 0), sizeof data);
    assert_int_equal(fill(1 << 20, 0), sizeof data);
    assert_int_equal(lseek(image_fd, 0, SEEK_END), 0);
    assert_int_equal(fill(1 << 20, sizeof data), 0);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    finish();
}

static void a_read_in_vain_leaves_all_as_it_was(void **state)
{
    (void)state;
    begin(container);
    bring("begin", 5);
    assert_int_equal(fill(100, 0), 5);
    const uint32_t used = client->writer.chunk->used;
    assert_int_equal(fill(100, 5), -EAGAIN);
    close(ends[0]);
    ends[0] = open("/", O_RDONLY | O_CLOEXEC);
    assert_int_equal(fill(100, 5), -EISDIR);
    assert_non_null(strstr(sluice_failure_message(), "the stream cannot be read or written"));
    assert_int_equal(client->writer.chunk->used, used);
    assert_int_equal(sluice_log_size(&image), 5);
    assert_int_equal(fill(SIZE_MAX, 5), -EFBIG);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("begin", 5);
    finish();
}

static void without_a_chunk_what_is_there_goes_into_the_file(void **state)
{
    (void)state;
    char data[9000];
    begin((struct fake_geometry){CONTAINER, 1, 4096, 1 << 20, FIXED});
    iop.header->when_full = SLUICE_HEADER_WHEN_FULL_DIRECT;
    fake_pause(&iop, true);
    make_pattern(data, sizeof data);
    bring(data, sizeof data);
    const ssize_t first = fill(sizeof data, 0);
    assert_int_equal(first, 4096 - HEADERS);
    assert_int_equal(fill(sizeof data, first), sizeof data - (size_t)first);
    assert_int_equal(iop.slots[0].overflows, 1);
    assert_true(sluice_log_diverted(&image));
    fake_pause(&iop, false);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    finish();
}

/* The caller reads what is in the pipe still. */
static void behind_a_vain_wait_the_image_is_direct_and_nothing_is_read(void **state)
{
    (void)state;
    char data[9000];
    begin((struct fake_geometry){CONTAINER, 1, 4096, 1 << 20, FIXED});
    fake_pause(&iop, true);
    make_pattern(data, sizeof data);
    bring(data, sizeof data);
    const ssize_t first = fill(sizeof data, 0);
    assert_int_equal(fill(sizeof data, first), -ESTALE);
    assert_int_equal(left(), (int)sizeof data - (int)first);
    assert_false(sluice_log_diverted(&image));
    assert_int_equal(iop.slots[0].fallbacks, 1);
    assert_rebuilt(data, first);
    finish();
}

static void a_dead_io_process_is_told_of(void **state)
{
    (void)state;
    char data[9000];
    begin((struct fake_geometry){CONTAINER, 1, 4096, 1 << 20, FIXED});
    fake_pause(&iop, true);
    fake_kill(&iop);
    make_pattern(data, sizeof data);
    bring(data, sizeof data);
    const ssize_t first = fill(sizeof data, 0);
    assert_int_equal(fill(sizeof data, first > 0 ? first : 0), -EIO);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_stream_extend_one_record),
        cmocka_unit_test(a_stream_longer_than_a_chunk_is_split),
        cmocka_unit_test(a_reservation_is_what_the_open_chunk_has_left),
        cmocka_unit_test(what_the_threshold_has_goes_into_the_file),
        cmocka_unit_test(what_is_no_pipe_is_read_whatever_its_length),
        cmocka_unit_test(a_read_in_vain_leaves_all_as_it_was),
        cmocka_unit_test(without_a_chunk_what_is_there_goes_into_the_file),
        cmocka_unit_test(behind_a_vain_wait_the_image_is_direct_and_nothing_is_read),
        cmocka_unit_test(a_dead_io_process_is_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
