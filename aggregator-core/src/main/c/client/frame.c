#include "frame.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "failure.h"

static void consume(struct iovec **part, size_t *parts, size_t count)
{
    while (*parts > 0 && count >= (*part)->iov_len) {
        count -= (*part)->iov_len;
        (*part)++;
        (*parts)--;
    }
    if (*parts > 0) {
        (*part)->iov_base = (char *)(*part)->iov_base + count;
        (*part)->iov_len -= count;
    }
}

static int send_parts(int socket, struct iovec *part, size_t parts)
{
    while (parts > 0) {
        const struct msghdr frame = {.msg_iov = part, .msg_iovlen = parts};
        const ssize_t sent = sendmsg(socket, &frame, MSG_NOSIGNAL);
        if (sent >= 0)
            consume(&part, &parts, (size_t)sent);
        else if (errno != EINTR)
            return -EPIPE;
    }
    return 0;
}

int sluice_frame_send(int socket, int type, const struct sluice_body *body)
{
    const size_t fields = body == NULL ? 0 : body->length;
    const char *string = body == NULL ? NULL : body->string;
    int32_t string_length =
        string == NULL ? 0 : (int32_t)strnlen(string, SLUICE_REQUEST_MAX_LENGTH);
    const size_t length = SLUICE_REQUEST_HEADER_LENGTH + fields
        + (string == NULL ? 0 : sizeof string_length + (size_t)string_length);
    if (length > SLUICE_REQUEST_MAX_LENGTH)
        return sluice_failure(ENAMETOOLONG, "the name %.100s... is too long", string);
    int32_t header[2] = {(int32_t)length, type};
    struct iovec parts[] = {
        {header, sizeof header},
        {body == NULL ? NULL : (void *)body->fields, fields},
        {&string_length, string == NULL ? 0 : sizeof string_length},
        {(void *)string, (size_t)string_length},
    };
    return send_parts(socket, parts, sizeof parts / sizeof *parts);
}

static int receive(int socket, void *data, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t got = recv(socket, (char *)data + done, length - done, 0);
        if (got > 0)
            done += (size_t)got;
        else if (got == 0 || errno != EINTR)
            return -EPIPE;
    }
    return 0;
}

static int take(int socket, void *data, size_t wanted, size_t *left)
{
    const size_t length = wanted < *left ? wanted : *left;
    *left -= length;
    return receive(socket, data, length);
}

static int skip(int socket, size_t left)
{
    char unwanted[256];
    int error = 0;
    while (error == 0 && left > 0)
        error = take(socket, unwanted, sizeof unwanted, &left);
    return error;
}

static int receive_elements(int socket, const struct sluice_reply *reply, size_t *left)
{
    int32_t count = 0;
    if (*left < sizeof count)
        return -EBADMSG;
    const int error = take(socket, &count, sizeof count, left);
    if (error != 0)
        return error;
    if (count < 0 || (size_t)count > reply->capacity
        || (size_t)count * reply->element_length > *left) {
        return -EBADMSG;
    }
    if (reply->count != NULL)
        *reply->count = (size_t)count;
    return take(socket, reply->elements, (size_t)count * reply->element_length, left);
}

static int receive_body(int socket, const struct sluice_reply *reply, size_t left)
{
    int error = 0;
    if (reply != NULL) {
        if (left < reply->length)
            return -EBADMSG;
        error = take(socket, reply->fields, reply->length, &left);
        if (error == 0 && reply->elements != NULL)
            error = receive_elements(socket, reply, &left);
    }
    return error == 0 ? skip(socket, left) : error;
}

static int receive_refusal(int socket, int status, size_t left)
{
    char sentence[400] = "";
    int error = take(socket, sentence, sizeof sentence - 1, &left);
    if (error == 0)
        error = skip(socket, left);
    if (error == 0)
        sluice_failure(-status, "%s", *sentence ? sentence : sluice_failure_reason(-status));
    return error;
}

int sluice_frame_receive(int socket, const struct sluice_reply *reply, int *status)
{
    int32_t header[2];
    const int error = receive(socket, header, sizeof header);
    if (error != 0)
        return error;
    if (header[0] < SLUICE_REQUEST_HEADER_LENGTH || header[0] > SLUICE_REQUEST_MAX_LENGTH
        || header[1] > 0 || header[1] < -4095) {
        return -EBADMSG;
    }
    *status = header[1];
    const size_t left = (size_t)header[0] - SLUICE_REQUEST_HEADER_LENGTH;
    return header[1] == 0 ? receive_body(socket, reply, left)
                          : receive_refusal(socket, header[1], left);
}
