/*
 * hostile DIRECTORY CAPTURE OUTSIDE SEED PROCESSES
 *
 * Processes, one after another, that attach as they should to the I/O process of DIRECTORY, create an
 * image in CAPTURE, write some of it, and then write nonsense wherever their slot lets them, or ask
 * for nonsense. OUTSIDE is a file that none of this may touch.
 */
#include "exercise/exercise.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attachment.h"
#include "client.h"
#include "ring.h"
#include "sluice_layout.h"

static const char *directory, *capture, *outside;

static struct sluice_client *client;
static struct sluice_log_image image;
static struct sluice_disposition disposition;
static char path[PATH_MAX];
static int file;

static void scribble(void *memory, size_t length)
{
    random_fill((char *)memory + random_below(length), 1 + random_below(32));
}

/* What lengths, offsets and counts go wrong with. */
static int64_t extreme(void)
{
    const int64_t values[] = {0,
                              1,
                              -1,
                              7,
                              63,
                              64,
                              4096,
                              65535,
                              65536,
                              INT32_MAX,
                              INT32_MIN,
                              UINT32_MAX,
                              INT64_MAX,
                              INT64_MIN,
                              INT64_MAX - 7,
                              (int64_t)1 << 62};
    return values[random_below(sizeof values / sizeof *values)];
}

static void write_some(void)
{
    char data[3000];
    random_fill(data, sizeof data);
    sluice_lock_take(&image.lock);
    for (off_t at = 0; at < 20; at++) {
        sluice_log_pwrite(&image, file, data, 1 + random_below(sizeof data),
                          at * (off_t)sizeof data);
    }
    sluice_lock_release(&image.lock);
}

static void publish(void)
{
    sluice_chunk_publish(&client->writer);
}

/* ---- what it does ---- */

static void scribble_over_chunk(void)
{
    if (client->writer.chunk != NULL) {
        scribble(client->writer.chunk, SLUICE_CHUNK_HEADER_LENGTH);
        scribble(client->writer.chunk, client->writer.used);
        publish();
    }
}

static void write_impossible_records(void)
{
    struct sluice_record *record = client->writer.last;
    if (record != NULL) {
        void *const fields[] = {&record->type, &record->image_id, &record->offset,
                                (void *)&record->length};
        const size_t field = random_below(4);
        const int64_t value = extreme();
        memcpy(fields[field], &value, field < 2 ? 4 : 8);
        publish();
    }
}

static void mark_impossible(void)
{
    const int types[] = {SLUICE_RECORD_TYPE_DIRECT, SLUICE_RECORD_TYPE_TRUNCATE,
                         SLUICE_RECORD_TYPE_WRITE, 99};
    sluice_chunk_mark(&client->writer, true, types[random_below(4)], image.id, extreme(),
                      extreme());
    publish();
}

static void claim_all_use(void)
{
    if (client->writer.chunk != NULL) {
        atomic_store(&client->writer.chunk->used, (int32_t)extreme());
        client->writer.used = (uint32_t)extreme();
        publish();
    }
}

static void scribble_over_ring(void)
{
    scribble(client->writer.ring.records, SLUICE_RING_CAPACITY);
    scribble(client->writer.ring.records, SLUICE_RING_LENGTH);
}

static void move_ring(void)
{
    int64_t *const position = (int64_t *)((char *)client->writer.ring.records + SLUICE_RING_CAPACITY
                                          + (random_below(2) ? SLUICE_RING_HEAD_POSITION_OFFSET
                                                             : SLUICE_RING_TAIL_POSITION_OFFSET));
    *position = random_below(2) ? extreme() : (int64_t)random_below(1 << 20);
}

static void tell_of_other_chunks(void)
{
    struct sluice_ring_record record = {.type = SLUICE_RING_TYPE_CHUNK,
                                        .chunk = (int32_t)extreme(),
                                        .used = (int32_t)extreme(),
                                        .generation = extreme()};
    if (random_below(2))
        record.chunk = (int32_t)random_below(client->segment->chunk_count);
    sluice_ring_offer(&client->writer.ring, &record);
}

static void end_what_it_did_not_begin(void)
{
    struct sluice_ring_record record = {.type = SLUICE_RING_TYPE_CLOSE,
                                        .image_id = (int32_t)random_below(20),
                                        .opened = extreme(),
                                        .closed = extreme()};
    sluice_ring_offer(&client->writer.ring, &record);
}

static void scribble_over_slot(void)
{
    random_fill(client->writer.slot, SLUICE_SLOT_LENGTH);
}

static void scribble_over_chunk_state(void)
{
    _Atomic uint64_t *const word = &client->segment->chunk_states[client->writer.index];
    /* One that it has open it may not free: whoever claims it then shares it. */
    uint64_t state = 1 + random_below(5);
    if (client->writer.chunk != NULL && random_below(2)) {
        publish();
        state = random_below(6);
    }
    if ((*word >> 8 & 0xFFFFFF) == client->writer.pool.slot)
        *word = (*word & ~UINT64_C(0xFF)) | state;
}

static void scribble_over_size(void)
{
    if (image.entry != NULL)
        image.entry->size = extreme();
}

/* ---- what it asks for ---- */

static const char *name(void)
{
    static char names[8][5000];
    memset(names[0], 'n', 4200);
    snprintf(names[1], sizeof names[1], "%s/../%s", capture, "up");
    snprintf(names[2], sizeof names[2], "%s/line\nbreak", capture);
    snprintf(names[3], sizeof names[3], "%s", outside);
    snprintf(names[4], sizeof names[4], "../../%s", outside);
    snprintf(names[5], sizeof names[5], "/dev/zero");
    snprintf(names[6], sizeof names[6], "%s/\xff\xfe", capture);
    names[7][0] = '\0';
    return names[random_below(8)];
}

/* As if it had created the file. */
static void enter_what_it_did_not_create(void)
{
    struct stat status;
    struct sluice_disposition entered;
    const int fd = random_below(2) ? file : open(outside, O_RDONLY);
    CHECK_EQUAL(fstat(fd, &status), 0);
    const struct sluice_created created = {fd, status.st_dev, status.st_ino, status.st_size,
                                           random_below(2) ? path : name()};
    if (sluice_client_enter(client, &created, SLUICE_REASON_NONE, &entered)) {
        sluice_log_init(&image, client, &entered);
        write_some();
        publish();
    }
}

static void tell_of_impossible_entrances(void)
{
    const char *const string = name();
    const struct sluice_ring_record record = {
        .type = SLUICE_RING_TYPE_OPEN,
        .open_image = random_below(2) ? (int32_t)extreme() : (int32_t)random_below(20),
        .entry = random_below(2) ? (int32_t)extreme()
                                 : (int32_t)random_below(client->segment->image_count),
        .descriptor = (int32_t)extreme(),
        .name_length = random_below(2) ? (int32_t)extreme() : (int32_t)strlen(string),
        .began = extreme()};
    sluice_ring_offer_named(&client->writer.ring, &record, string, strlen(string));
}

static void ask(int type, const void *fields, size_t length, const char *string)
{
    char answer[4096];
    sluice_connection_request(&client->connection, type,
                              &(struct sluice_body){fields, length, string},
                              &(struct sluice_reply){.fields = answer, .length = 0});
}

static void ask_about_files(void)
{
    struct stat status = {0};
    stat(random_below(2) ? outside : path, &status);
    const struct sluice_request_open request = {sluice_device(status.st_dev),
                                                (int64_t)status.st_ino, (int32_t)random_below(8)};
    ask(random_below(2) ? SLUICE_REQUEST_OPEN : SLUICE_REQUEST_REPLACE, &request, sizeof request,
        random_below(2) ? outside : name());
}

static void ask_for_checkpoints(void)
{
    const struct sluice_request_create create = {7000 + (int64_t)random_below(2),
                                                 (int32_t)random_below(3) - 1, (int32_t)extreme()};
    const struct sluice_request_begin begin = {random_below(2) ? 7000 : extreme(),
                                               random_below(2) ? 2 : (int32_t)extreme(),
                                               (int32_t)random_below(2)};
    const struct sluice_request_add add = {begin.checkpoint, (int32_t)random_below(3) - 1};
    ask(SLUICE_REQUEST_BEGIN, &begin, sizeof begin, NULL);
    ask(SLUICE_REQUEST_CREATE, &create, sizeof create, name());
    ask(SLUICE_REQUEST_ADD, &add, sizeof add, name());
    ask(SLUICE_REQUEST_NAME, &begin.checkpoint, sizeof begin.checkpoint, name());
    ask(SLUICE_REQUEST_FIND, NULL, 0, name());
    if (random_below(2))
        ask(SLUICE_REQUEST_CANCEL, &begin.checkpoint, sizeof begin.checkpoint, NULL);
    ask(SLUICE_REQUEST_COMPLETE, &create, sizeof(struct sluice_request_complete), NULL);
    ask(SLUICE_REQUEST_RESTART, &begin, sizeof(struct sluice_request_restart), name());
}

static void ask_at_random(void)
{
    char body[64];
    random_fill(body, sizeof body);
    for (size_t i = 0; i < sizeof body; i += 8) {
        const int64_t value = extreme();
        memcpy(body + i, &value, sizeof value);
    }
    /* Not JOIN, LEAVE or THRESHOLD: those are for anybody to use. */
    const int types[] = {1,  2,  4,  5,  6,  7,  9,  16, 17, 18, 20,
                         21, 27, 28, 29, 30, 31, 34, 37, 38, 99};
    ask(types[random_below(sizeof types / sizeof *types)], body, random_below(sizeof body), NULL);
}

static void send_garbage(void)
{
    char bytes[5000];
    random_fill(bytes, sizeof bytes);
    if (random_below(2)) {
        const int32_t header[2] = {(int32_t)extreme(), (int32_t)random_below(40)};
        memcpy(bytes, header, sizeof header);
    }
    send(client->connection.socket, bytes, 1 + random_below(sizeof bytes), MSG_NOSIGNAL);
}

static void (*const deeds[])(void) = {scribble_over_chunk,
                                      write_impossible_records,
                                      mark_impossible,
                                      claim_all_use,
                                      scribble_over_ring,
                                      move_ring,
                                      tell_of_other_chunks,
                                      end_what_it_did_not_begin,
                                      scribble_over_slot,
                                      scribble_over_chunk_state,
                                      scribble_over_size,
                                      ask_about_files,
                                      ask_for_checkpoints,
                                      ask_at_random,
                                      send_garbage,
                                      enter_what_it_did_not_create,
                                      tell_of_impossible_entrances};
#define DEEDS (sizeof deeds / sizeof *deeds)

static void begin(long number)
{
    if (sluice_client_attach(directory, -1, 0, &client) != 0) {
        fprintf(stderr, "process %ld cannot attach: %s\n", number, sluice_failure_message());
        _exit(1);
    }
    snprintf(path, sizeof path, "%s/hostile-%ld", capture, number);
    file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(file >= 0);
    struct stat status;
    CHECK_EQUAL(fstat(file, &status), 0);
    CHECK_EQUAL(sluice_client_announce(client,
                                       (struct sluice_request_open){
                                           sluice_device(status.st_dev), (int64_t)status.st_ino,
                                           SLUICE_REQUEST_OPEN_CREATED | SLUICE_REQUEST_OPEN_WRITE},
                                       path, &disposition),
                0);
    CHECK_EQUAL(disposition.kind, SLUICE_REQUEST_DIVERT);
    sluice_log_init(&image, client, &disposition);
}

/* It may not survive itself: the client trusts its own slot. */
static void run(long number)
{
    const struct itimerval limit = {.it_value.tv_usec = 300000};
    setitimer(ITIMER_REAL, &limit, NULL);
    begin(number);
    for (int i = 0; i < 3; i++) {
        write_some();
        deeds[(number + i * (long)random_below(DEEDS)) % (long)DEEDS]();
        sluice_connection_wake(&client->connection);
    }
    if (random_below(2))
        sluice_log_end(&image);
    _exit(0);
}

int main(int count, char **arguments)
{
    CHECK_EQUAL(count, 6);
    directory = arguments[1];
    capture = arguments[2];
    outside = arguments[3];
    setenv("SLUICE_PATIENCE", "0", 1);
    for (step = 0; step < strtol(arguments[5], NULL, 10); step++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            random_seed((uint64_t)(strtol(arguments[4], NULL, 10) * 1000 + step));
            run(step);
        }
        int status;
        CHECK_EQUAL(waitpid(child, &status, 0), child);
        CHECK(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
    }
    return 0;
}
