/* What an I/O process answers; the first byte says to what, and then it hangs up. */
#include "fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#include "../exercise/exercise.h"
#include "client.h"
#include "connection.h"

static int take(int socket, const struct sluice_reply *reply)
{
    struct sluice_connection connection = {.socket = socket, .directory = "/nowhere"};
    pthread_mutex_init(&connection.request_lock, NULL);
    pthread_mutex_init(&connection.send_lock, NULL);
    return sluice_connection_request(&connection, SLUICE_REQUEST_STATS, NULL, reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (length == 0)
        return 0;
    /* Of the exact size, so that AddressSanitizer sees one byte too many. */
    char *fields = malloc(24), *elements = malloc(40);
    size_t count = 0;
    const struct sluice_reply replies[] = {
        {.fields = fields, .length = 0},
        {.fields = fields, .length = 16},
        {.fields = fields, .length = 24},
        {.fields = fields,
         .length = 24,
         .elements = elements,
         .element_length = 1,
         .capacity = 40,
         .count = &count},
        {.elements = elements, .element_length = 8, .capacity = 5, .count = &count},
    };
    const size_t which = data[0] % 6;
    int sockets[2];
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    CHECK_EQUAL(send(sockets[1], data + 1, length - 1, 0), length - 1);
    CHECK_EQUAL(shutdown(sockets[1], SHUT_WR), 0);
    const int error = take(sockets[0], which == 5 ? NULL : &replies[which]);
    CHECK(error <= 0 && error >= -4095);
    CHECK(error == 0 || *sluice_failure_message() != '\0');
    CHECK(count <= 40);
    close(sockets[0]);
    close(sockets[1]);
    free(fields);
    free(elements);
    return 0;
}
