/* Threads of one process on images of their own and on one of all, while another makes some direct. */
#include "one_image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define THREADS 4
#define WRITES 400
#define LENGTH 97

struct opened {
    struct sluice_log_image image;
    int fd;
};

static struct opened of_all, own[THREADS];

/* As the shim does: an image that has become direct is written through the kernel. */
static void write_piece(struct opened *opened, const char *piece, int64_t offset)
{
    sluice_lock_take(&opened->image.lock);
    ssize_t count = -ESTALE;
    if (sluice_log_diverted(&opened->image))
        count = sluice_log_pwrite(&opened->image, opened->fd, piece, LENGTH, offset);
    if (count == -ESTALE)
        count = pwrite(opened->fd, piece, LENGTH, offset);
    sluice_lock_release(&opened->image.lock);
    if (count != LENGTH)
        abort();
}

static void *write_many(void *argument)
{
    const long thread = (long)argument;
    char piece[LENGTH];
    memset(piece, 'A' + (int)thread, sizeof piece);
    for (int64_t i = 0; i < WRITES; i++) {
        write_piece(&own[thread], piece, i * LENGTH);
        write_piece(&of_all, piece, (i * THREADS + thread) * LENGTH);
        if (i % 100 == 50) {
            sluice_lock_take(&own[thread].image.lock);
            if (sluice_log_diverted(&own[thread].image))
                sluice_log_sync(&own[thread].image);
            sluice_lock_release(&own[thread].image.lock);
        }
    }
    return NULL;
}

static void assert_holds(int index, int64_t pieces, bool alternating, char first)
{
    int64_t size;
    uint8_t *content = fake_rebuild(&iop, &iop.images[index], &size);
    assert_int_equal(size, pieces * LENGTH);
    for (int64_t i = 0; i < size; i++)
        assert_int_equal(content[i], first + (alternating ? i / LENGTH % THREADS : 0));
    free(content);
}

static void threads_write_at_once(struct fake_geometry geometry)
{
    fake_start(&iop, geometry);
    assert_int_equal(sluice_client_attach(iop.directory, 3, 8, &client), 0);
    open_image(&of_all.image, &of_all.fd, "all");
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof name, "own-%ld", i);
        open_image(&own[i].image, &own[i].fd, name);
    }
    for (long i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, (void *)i), 0);
    fake_make_direct(&iop, &iop.images[1]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    sluice_lock_take(&client->writer.lock);
    sluice_chunk_publish(&client->writer);
    sluice_lock_release(&client->writer.lock);
    assert_holds(0, (int64_t)WRITES * THREADS, true, 'A');
    for (int i = 0; i < THREADS; i++)
        assert_holds(1 + i, WRITES, false, (char)('A' + i));
    sluice_client_detach(client);
    close(of_all.fd);
    for (int i = 0; i < THREADS; i++)
        close(own[i].fd);
    fake_stop(&iop);
}

static void threads_write_at_once_in_container_layout(void **state)
{
    (void)state;
    threads_write_at_once(container);
}

static void threads_write_at_once_in_files_layout(void **state)
{
    (void)state;
    threads_write_at_once((struct fake_geometry){FILES, 3, 4096, 3000, FIXED});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_write_at_once_in_container_layout),
        cmocka_unit_test(threads_write_at_once_in_files_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
