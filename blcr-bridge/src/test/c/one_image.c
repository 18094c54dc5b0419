#include "one_image.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fake_io_process iop;
struct sluice_client *client;
struct sluice_log_image image;
int image_fd;

void open_image(struct sluice_log_image *opened, int *fd, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", iop.directory, name);
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    assert_true(*fd >= 0 && fstat(*fd, &status) == 0);
    struct sluice_disposition disposition;
    assert_int_equal(
        sluice_client_announce(client,
                               (struct sluice_request_open){sluice_device(status.st_dev),
                                                            (int64_t)status.st_ino,
                                                            SLUICE_REQUEST_OPEN_CREATED},
                               path, &disposition),
        0);
    assert_int_equal(disposition.kind, SLUICE_REQUEST_DIVERT);
    sluice_log_init(opened, client, &disposition);
}

void start(struct fake_geometry geometry)
{
    fake_start(&iop, geometry);
    assert_int_equal(sluice_client_attach(iop.directory, 3, 8, &client), 0);
    open_image(&image, &image_fd, "image");
}

void shut_down(void)
{
    sluice_client_detach(client);
    close(image_fd);
    fake_stop(&iop);
}

void write_all(const void *data, size_t length, int64_t offset)
{
    assert_int_equal(sluice_log_pwrite(&image, image_fd, data, length, offset), length);
}

void assert_rebuilt(const void *expected, int64_t length)
{
    int64_t size;
    uint8_t *content = fake_rebuild(&iop, &iop.images[0], &size);
    assert_int_equal(size, length);
    assert_memory_equal(content, expected, (size_t)length);
    free(content);
}

void random_operation(unsigned *seed, uint8_t *model, int64_t *size)
{
    static uint8_t data[8192];
    const int64_t offset = rand_r(seed) % 4 == 0 ? rand_r(seed) % (MODEL_LENGTH - 8192) : *size;
    const size_t length = (size_t)(rand_r(seed) % (rand_r(seed) % 4 == 0 ? 8192 : 200));
    const int64_t at = offset > MODEL_LENGTH - 8192 ? 0 : offset;
    if (rand_r(seed) % 50 == 0) {
        const int64_t cut = rand_r(seed) % MODEL_LENGTH;
        const int error = sluice_log_truncate(&image, image_fd, cut);
        assert_true(error == 0 || error == -ESTALE);
        assert_true(error == 0 || ftruncate(image_fd, cut) == 0);
        memset(model + cut, 0, (size_t)(MODEL_LENGTH - cut));
        *size = cut;
        return;
    }
    for (size_t i = 0; i < length; i++)
        data[i] = (uint8_t)rand_r(seed);
    ssize_t written = sluice_log_pwrite(&image, image_fd, data, length, at);
    if (written == -ESTALE)
        written = pwrite(image_fd, data, length, at);
    assert_int_equal(written, length);
    memcpy(model + at, data, length);
    *size = length > 0 && at + (int64_t)length > *size ? at + (int64_t)length : *size;
}

void random_operations(struct fake_geometry geometry, int when_full, unsigned seed)
{
    start(geometry);
    iop.header->when_full = when_full;
    uint8_t *model = calloc(1, MODEL_LENGTH);
    int64_t size = 0;
    for (int i = 0; i < 2000; i++) {
        random_operation(&seed, model, &size);
        assert_int_equal(sluice_log_size(&image), size);
        if (i % 500 == 0)
            assert_int_equal(sluice_log_settle(&image, SLUICE_REASON_NONE), 0);
    }
    assert_int_equal(sluice_log_sync(&image), 0);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(model, size);
    free(model);
    shut_down();
}
