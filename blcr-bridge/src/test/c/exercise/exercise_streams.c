/*
 * exercise_streams SEED SEQUENCES DIRECTORY
 *
 * Random sequences of calls of the C library's streams, on a file below DIRECTORY each: every mode, way
 * of opening, kind of buffer and orientation. What each call gave, and what the file then holds, is left
 * in DIRECTORY/transcript, to be compared with that of a plain run; so are some of the files.
 *
 * One sequence in two keeps to what ISO C says of a change from reading to writing. Left out is what
 * ISO C leaves undefined and glibc itself (2.36) does wrong: it loses what was written where a read
 * follows without a flush or a seek; fseek() by SEEK_CUR behind ungetc() goes astray, fflush() may crash;
 * wide streams that are both read and written, pushed back to, or moved but to their start hang or crash,
 * and a flush of one that is read leaves the descriptor where it was. A stream without O_APPEND of its own on a descriptor with it tells positions
 * that are not the file's, and a long fread() reads a descriptor whose stream is for writing only.
 */
#include "stream_calls.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT 25 /* one file in so many is left */

static const char *directory;
static bool writes; /* what a wide sequence does */

/* ---- the stream and its descriptor ---- */

static void buffer(void)
{
    const int kinds[] = {_IOFBF, _IOLBF, _IONBF};
    const size_t sizes[] = {1, 7, 100, 512, 4096, 5000, sizeof own_buffer};
    const size_t size = sizes[random_below(sizeof sizes / sizeof *sizes)];
    switch (random_below(5)) {
    case 0:
        setbuf(file, random_below(2) == 0 ? own_buffer : NULL);
        say(" setbuf");
        break;
    case 1:
        setlinebuf(file);
        say(" setlinebuf");
        break;
    case 2:
        setbuffer(file, own_buffer, size);
        say(" setbuffer");
        break;
    default:
        say_result(
            "setvbuf",
            setvbuf(file, random_below(2) == 0 ? own_buffer : NULL, kinds[random_below(3)], size));
    }
}

static void ask(void)
{
    say(" feof=%d ferror=%d", feof(file) != 0, ferror(file) != 0);
    if (random_below(2) == 0)
        clearerr(file);
}

/* The handle of a file is passed on after a flush, and taken back by a seek. */
static void use_descriptor(void)
{
    if (wide && !writes)
        return;
    struct stat status;
    const int fd = fileno(file);
    say_result("fflush", fflush(file));
    switch (wide ? 0 : random_below(4)) {
    case 0:
        say_result("write", write(fd, "0123456789\n", 11));
        break;
    case 1:
        say_result("lseek", lseek(fd, (off_t)random_below(3000), SEEK_SET));
        break;
    case 2:
        say_result("ftruncate", ftruncate(fd, (off_t)some_length()));
        break;
    default:
        say_result("fstat", fstat(fd, &status));
        say_result("size", status.st_size);
    }
    say_result("fseek", fseek(file, wide ? 0 : (long)random_below(3000), SEEK_SET));
    positioned();
}

static const char *some_mode(void)
{
    static const char *const modes[] = {"r+", "r+", "w+",   "w+",  "a+", "a+", "r",   "w",
                                        "a",  "rb", "r+be", "w+x", "wx", "ae", "rb+", "wb+"};
    return modes[random_below(sizeof modes / sizeof *modes)];
}

static bool reads(const char *mode)
{
    return strpbrk(mode, "r+") != NULL;
}

static bool reopen(void)
{
    const char *mode = some_mode();
    const bool same = random_below(3) == 0 && strchr(mode, 'x') == NULL;
    errno = 0;
    file = freopen(same ? NULL : path, mode, file);
    readable = reads(mode);
    say(" freopen[%s]=%d(%d)", mode, file != NULL, file == NULL ? errno : 0);
    positioned();
    marked = false;
    return file != NULL;
}

static bool open_stream(const char *mode)
{
    const int flags[] = {O_RDWR,   O_RDWR,   O_RDWR | O_APPEND,
                         O_RDONLY, O_WRONLY, O_WRONLY | O_APPEND};
    errno = 0;
    if (random_below(4) == 0) {
        int how = flags[random_below(sizeof flags / sizeof *flags)];
        if (*mode != 'a')
            how &= ~O_APPEND; /* glibc would count on from where its stream was before a write */
        const int fd = open(path, how | O_CREAT, 0644);
        CHECK(fd >= 0);
        lseek(fd, (off_t)random_below(200), SEEK_SET);
        file = fdopen(fd, mode);
        if (file == NULL)
            close(fd);
        say(" open[%x] fdopen", how & ~O_CREAT);
    } else {
        file = fopen(path, mode);
        say(" fopen");
    }
    readable = reads(mode);
    say("[%s]=%d(%d)", mode, file != NULL, file == NULL ? errno : 0);
    return file != NULL;
}

/* ---- a sequence ---- */

typedef void call(void);

static call *const WRITES[] = {put_bytes, put_byte, put_text, print, get_byte};
static call *const NARROW[] = {put_bytes, put_bytes, put_byte, put_text, print,
                               get_bytes, get_bytes, get_byte, get_text, get_line,
                               scan,      push_back, push_back};
static call *const COMMON[] = {
    seek, seek,  seek, seek_nowhere,  to_start,           tell,
    tell, flush, ask,  keep_position, return_to_position, use_descriptor};

#define ONE_OF(calls) calls[random_below(sizeof(calls) / sizeof *(calls))]()

static void before(void)
{
    const size_t length = random_below(3) == 0 ? 0 : some_length();
    FILE *fresh = fopen(path, "w");
    CHECK(fresh != NULL);
    for (size_t i = 0; i < length; i++)
        fputc(random_below(30) == 0 ? '\n' : (int)('a' + random_below(26)), fresh);
    CHECK_EQUAL(fclose(fresh), 0);
}

static void after(bool kept)
{
    static char content[1 << 20];
    size_t length = 0;
    const int fd = open(path, O_RDONLY);
    if (fd >= 0) {
        for (ssize_t got; (got = read(fd, content + length, sizeof content - length)) > 0;)
            length += (size_t)got;
        close(fd);
    }
    say_bytes("holds", content, (ssize_t)length);
    if (!kept)
        unlink(path);
}

static void sequence(void)
{
    wide = random_below(5) == 0;
    writes = random_below(2) == 0;
    uint64_t calls = 2 + random_below(30);
    positioned();
    marked = false;
    strict = wide || random_below(2) == 0;
    say("%ld %s%s:", step, strict ? "strict" : "free", wide ? " wide" : "");
    if (random_below(3) > 0)
        before();
    if (!open_stream(some_mode()))
        return;
    if (random_below(2) == 0)
        buffer();
    if (wide && random_below(2) == 0)
        say(" fwide=%d", fwide(file, 1));
    for (; calls > 0; calls--) {
        const uint64_t which = random_below(60);
        if (which == 0 && !reopen())
            return;
        if (which == 1)
            orient();
        else if (which < 28)
            ONE_OF(COMMON);
        else if (wide)
            writes ? put_wide() : get_wide();
        else if (!readable)
            ONE_OF(WRITES); /* a long fread() of such a stream would read the descriptor */
        else
            ONE_OF(NARROW);
        say(";");
    }
    say_result("fclose", fclose(file));
}

/* ---- every way to patch a file that was just written ---- */

enum { LAST_NONE, LAST_READ_LITTLE, LAST_READ_MUCH, LAST_WRITE, LASTS };

static void go(int which)
{
    const long offsets[] = {4, 32, -10, -20, 0};
    const int whences[] = {SEEK_SET, SEEK_CUR, SEEK_CUR, SEEK_END, SEEK_CUR};
    say_result("fseek", fseek(file, offsets[which], whences[which]));
}

static void patch(size_t length, int first, int last, int second)
{
    char text[6000];
    CHECK((file = fopen(path, "w+b")) != NULL);
    say_result("fwrite", (long)fwrite(bytes, 1, length, file));
    go(first);
    if (last == LAST_WRITE)
        say_result("fwrite", (long)fwrite("RIFF", 1, 4, file));
    else if (last != LAST_NONE)
        say_bytes("fread", text, (ssize_t)fread(text, 1, last == LAST_READ_MUCH ? 6000 : 10, file));
    go(second);
    say_result("fwrite", (long)fwrite("data", 1, 4, file));
    tell();
    say_result("fclose", fclose(file));
    after(false);
    say("\n");
}

static void patches(void)
{
    const size_t lengths[] = {100, 5000, 16384};
    random_fill(bytes, sizeof bytes);
    for (int i = 0; i < 3 * 5 * LASTS * 5; i++) {
        say("patch %d:", i);
        patch(lengths[i % 3], i / 3 % 5, i / 15 % LASTS, i / 15 / LASTS);
    }
}

int main(int count, char **arguments)
{
    char *text;
    size_t length;
    CHECK_EQUAL(count, 4);
    CHECK(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    const uint64_t seed = strtoull(arguments[1], NULL, 10);
    const long sequences = strtol(arguments[2], NULL, 10);
    directory = arguments[3];
    transcript = open_memstream(&text, &length);
    CHECK(transcript != NULL);
    snprintf(path, sizeof path, "%s/patched", directory);
    patches();
    for (step = 0; step < sequences; step++) {
        random_seed(seed * 1000003 + (uint64_t)step);
        snprintf(path, sizeof path, "%s/%ld", directory, step);
        sequence();
        after(step % KEPT == 0);
        say("\n");
    }
    fclose(transcript);
    snprintf(path, sizeof path, "%s/transcript", directory);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0);
    CHECK_EQUAL(write(fd, text, length), length);
    CHECK_EQUAL(close(fd), 0);
    return 0;
}
