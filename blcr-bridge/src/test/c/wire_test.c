/* Requests of CRIU: whole, cut anywhere, several at a time, and what is none. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire.h"

static struct sluice_wire wire;
static int other;

static void connect_both(void)
{
    int both[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
    sluice_wire_begin(&wire, both[0]);
    other = both[1];
}

static void close_both(void)
{
    sluice_wire_close(&wire);
    close(other);
}

/* Makes the frame of a request, and returns its length. */
static size_t frame_of(const char *name, uint8_t *frame)
{
    const size_t length = strlen(name);
    size_t at = 4;
    frame[at++] = 0x0a;
    if (length >= 0x80)
        frame[at++] = (uint8_t)(length | 0x80);
    frame[at++] = (uint8_t)(length >= 0x80 ? length >> 7 : length);
    memcpy(frame + at, name, length);
    at += length;
    memcpy(frame, &(uint32_t){(uint32_t)(at - 4)}, 4);
    return at;
}

static void send_bytes(const void *bytes, size_t length)
{
    assert_int_equal(send(other, bytes, length, 0), (ssize_t)length);
}

static void send_name(const char *name)
{
    uint8_t frame[512];
    send_bytes(frame, frame_of(name, frame));
}

static void send_descriptors(const int *fds, size_t count)
{
    char byte = 0;
    const size_t length = count * sizeof *fds;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof *fds)] = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr header = {.msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = CMSG_SPACE(length)};
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(length);
    memcpy(CMSG_DATA(first), fds, length);
    assert_int_equal(sendmsg(other, &header, 0), 1);
}

static void send_descriptor(int fd)
{
    send_descriptors(&fd, 1);
}

static enum sluice_wire_event next(int *pipe)
{
    return sluice_wire_read(&wire, pipe);
}

/* Expects the descriptor of the same file, and closes it. */
static void expect_descriptor(int sent)
{
    int got = -1;
    struct stat one, two;
    assert_int_equal(next(&got), SLUICE_WIRE_PIPE);
    assert_int_equal(fstat(sent, &one), 0);
    assert_int_equal(fstat(got, &two), 0);
    assert_int_equal(one.st_ino, two.st_ino);
    close(got);
}

static void expect(enum sluice_wire_event event)
{
    int pipe;
    assert_int_equal(next(&pipe), event);
}

/* CRIU waits for nothing as it dumps. A byte too many that is read would lose a descriptor. */
static void test_requests_one_behind_the_other(void **state)
{
    (void)state;
    int first[2], second[2];
    assert_int_equal(pipe(first), 0);
    assert_int_equal(pipe(second), 0);
    connect_both();
    send_name("inventory.img");
    send_descriptor(first[0]);
    send_name("pages-1.img");
    send_descriptor(second[0]);
    expect(SLUICE_WIRE_NAME);
    assert_string_equal(wire.name, "inventory.img");
    expect_descriptor(first[0]);
    expect(SLUICE_WIRE_NAME);
    assert_string_equal(wire.name, "pages-1.img");
    expect_descriptor(second[0]);
    expect(SLUICE_WIRE_NOTHING);
    shutdown(other, SHUT_WR);
    expect(SLUICE_WIRE_END);
    close_both();
    for (int i = 0; i < 2; i++) {
        close(first[i]);
        close(second[i]);
    }
}

static void test_a_request_cut_anywhere_is_waited_for(void **state)
{
    (void)state;
    uint8_t frame[512];
    const size_t length = frame_of("core-3133.img", frame);
    for (size_t cut = 1; cut < length; cut++) {
        connect_both();
        send_bytes(frame, cut);
        expect(SLUICE_WIRE_NOTHING);
        send_bytes(frame + cut, length - cut);
        expect(SLUICE_WIRE_NAME);
        assert_string_equal(wire.name, "core-3133.img");
        expect(SLUICE_WIRE_NOTHING);
        close_both();
    }
}

static void test_an_end_within_a_request_is_none(void **state)
{
    (void)state;
    uint8_t frame[512];
    const size_t length = frame_of("core-3133.img", frame);
    for (size_t cut = 1; cut < length; cut++) {
        connect_both();
        send_bytes(frame, cut);
        shutdown(other, SHUT_WR);
        int pipe;
        enum sluice_wire_event event = next(&pipe);
        if (event == SLUICE_WIRE_NOTHING)
            event = next(&pipe);
        assert_int_equal(event, SLUICE_WIRE_FOREIGN);
        close_both();
    }
    connect_both();
    send_name("core-3133.img");
    send_bytes("x", 1); /* no descriptor beside it */
    expect(SLUICE_WIRE_NAME);
    expect(SLUICE_WIRE_FOREIGN);
    close_both();
}

static void test_long_names(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    for (size_t length = 126; length <= NAME_MAX + 1; length++) {
        memset(name, 'n', length);
        name[length] = 0;
        connect_both();
        send_name(name);
        expect(length <= NAME_MAX ? SLUICE_WIRE_NAME : SLUICE_WIRE_FOREIGN);
        if (length <= NAME_MAX)
            assert_string_equal(wire.name, name);
        close_both();
    }
}

static void test_what_is_no_request(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } foreign[] = {
        {"\2\0\0\0\12\0", 6},           /* no name */
        {"\0\0\0\0", 4},                /* no message */
        {"\377\377\377\377", 4},        /* too long */
        {"\5\0\0\0\22\3abc", 9},        /* another field */
        {"\5\0\0\0\12\2abc", 9},        /* shorter than it says */
        {"\5\0\0\0\12\4abc", 9},        /* longer */
        {"\5\0\0\0\12\3a\0c", 9},       /* a zero within */
        {"GET / HTTP/1.1\r\n\r\n", 18}, /* another protocol */
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        connect_both();
        send_bytes(foreign[i].bytes, foreign[i].length);
        expect(SLUICE_WIRE_FOREIGN);
        close_both();
    }
}

/* A reader of theirs waits for no end that does not come. */
static void test_two_descriptors_are_closed(void **state)
{
    (void)state;
    int fds[2];
    char byte;
    assert_int_equal(pipe(fds), 0);
    connect_both();
    send_name("a");
    send_descriptors((int[]){fds[1], fds[1]}, 2);
    close(fds[1]);
    expect(SLUICE_WIRE_NAME);
    expect(SLUICE_WIRE_FOREIGN);
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    assert_int_equal(read(fds[0], &byte, 1), 0);
    close(fds[0]);
    close_both();
}

static void test_answers(void **state)
{
    (void)state;
    uint8_t answer[6];
    connect_both();
    for (int exists = 0; exists <= 1; exists++) {
        send_name("a");
        expect(SLUICE_WIRE_NAME);
        sluice_wire_answer(&wire, exists);
        assert_int_equal(recv(other, answer, sizeof answer, MSG_WAITALL), 6);
        assert_memory_equal(answer, exists ? "\2\0\0\0\10\1" : "\2\0\0\0\10\0", 6);
    }
    send_descriptor(STDIN_FILENO);
    expect_descriptor(STDIN_FILENO);
    close_both();
}

static void test_a_path_that_criu_would_cut_is_refused(void **state)
{
    (void)state;
    char directory[200] = "/tmp/";
    memset(directory + 5, 'd', 90);
    assert_int_equal(sluice_wire_listen(directory, SLUICE_WIRE_CAPTURE), -ENAMETOOLONG);
    assert_int_equal(sluice_wire_listen("/no/such/directory", SLUICE_WIRE_CAPTURE), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_one_behind_the_other),
        cmocka_unit_test(test_a_request_cut_anywhere_is_waited_for),
        cmocka_unit_test(test_an_end_within_a_request_is_none),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_what_is_no_request),
        cmocka_unit_test(test_two_descriptors_are_closed),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_a_path_that_criu_would_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
