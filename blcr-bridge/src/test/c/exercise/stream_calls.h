/*
 * Calls on one stream, each at random, and each with what it gave said in a transcript; for
 * exercise_streams.c, which says what is left out.
 */
#pragma once

#include "exercise.h"

#include <stdarg.h>
#include <wchar.h>

#define LARGEST 20000

enum turn { EITHER, READING, WRITING };

static char path[4096];
static FILE *transcript;

static FILE *file;
static bool readable;
static bool strict;
static bool
    wide; /* one-byte characters, either written or read, rewind() only: else glibc crashes */
static enum turn turn;
static bool got;    /* something by the last call, which read */
static bool marked; /* by fgetpos() */
static fpos_t mark;
static char own_buffer[10000];
static unsigned char bytes[LARGEST];

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(transcript, format, arguments);
    va_end(arguments);
}

static unsigned hash_of(const void *data, size_t length)
{
    const unsigned char *at = data;
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

static void say_bytes(const char *what, const void *data, ssize_t length)
{
    say(" %s=%zd", what, length);
    if (length > 0)
        say(":%08x", hash_of(data, (size_t)length));
}

static void say_result(const char *what, long result)
{
    say(" %s=%ld", what, result);
    if (result < 0)
        say("(%d)", errno);
}

static size_t some_length(void)
{
    const size_t limits[] = {4, 30, 30, 300, 4096, 5000, 9000, LARGEST};
    return 1 + random_below(limits[random_below(sizeof limits / sizeof *limits)]);
}

/* Letters and now and then the end of a line. */
static const char *some_text(void)
{
    static char text[200];
    const size_t length = 1 + random_below(random_below(5) == 0 ? sizeof text - 2 : 20);
    for (size_t i = 0; i < length; i++)
        text[i] = random_below(12) == 0 ? '\n' : (char)('a' + random_below(26));
    text[length] = '\0';
    return text;
}

/* ---- positions ---- */

static const int WHENCE[] = {SEEK_SET, SEEK_CUR, SEEK_END};

static void positioned(void)
{
    turn = EITHER;
    got = false;
}

static void to_start(void)
{
    rewind(file);
    say(" rewind");
    positioned();
}

static void seek(void)
{
    if (wide) {
        to_start();
        return;
    }
    const int whence = WHENCE[random_below(3)];
    const long reach = (long)some_length();
    const long offset =
        whence == SEEK_SET ? reach : (long)random_below(2 * (uint64_t)reach + 1) - reach;
    errno = 0;
    if (random_below(2) == 0)
        say_result("fseek", fseek(file, offset, whence));
    else
        say_result("fseeko", fseeko(file, offset, whence));
    say("[%ld,%d]", offset, whence);
    positioned();
}

static void seek_nowhere(void)
{
    say_result("fseek", fseek(file, 0, wide ? SEEK_SET : SEEK_CUR));
    positioned();
}

static void tell(void)
{
    say_result("ftell", random_below(2) == 0 ? ftell(file) : ftello(file));
}

static void keep_position(void)
{
    const int result = fgetpos(file, &mark);
    say_result("fgetpos", result);
    marked = result == 0;
}

static void return_to_position(void)
{
    if (!marked || wide)
        return;
    say_result("fsetpos", fsetpos(file, &mark));
    positioned();
}

static void flush(void)
{
    say_result("fflush", fflush(random_below(8) == 0 ? NULL : file));
    if (turn == WRITING)
        turn = EITHER;
}

/* What ISO C wants between reading and writing. Without it glibc may lose what was written. */
static void take_turn(enum turn next)
{
    const bool wanted = turn == WRITING
        ? next == READING
        : strict && turn == READING && next == WRITING && !feof(file);
    if (wanted)
        turn == WRITING &&random_below(2) == 0 ? flush() : seek_nowhere();
    turn = next;
    got = false;
}

/* ---- writing ---- */

static void put_bytes(void)
{
    const size_t length = some_length(), size = 1 + random_below(3);
    take_turn(WRITING);
    random_fill(bytes, length);
    say_result("fwrite", (long)fwrite(bytes, size, length / size, file));
}

static void put_byte(void)
{
    take_turn(WRITING);
    say_result("fputc", random_below(2) == 0 ? fputc('#', file) : putc_unlocked('\n', file));
}

static void put_text(void)
{
    take_turn(WRITING);
    say_result("fputs", fputs(some_text(), file) < 0);
}

static void print(void)
{
    take_turn(WRITING);
    say_result("fprintf",
               fprintf(file, "<%s %d %200.3f>", some_text(), (int)random_below(1000), 2.5));
}

/* ---- reading ---- */

static void get_bytes(void)
{
    const size_t length = some_length();
    take_turn(READING);
    const size_t count = fread(bytes, 1, length, file);
    say_bytes("fread", bytes, (ssize_t)count);
    got = count > 0;
}

static void get_byte(void)
{
    take_turn(READING);
    const int byte = random_below(2) == 0 ? fgetc(file) : getc_unlocked(file);
    say_result("fgetc", byte);
    got = byte != EOF;
}

static void get_text(void)
{
    char text[300];
    take_turn(READING);
    got = fgets(text, 2 + (int)random_below(sizeof text - 2), file) != NULL;
    say_bytes("fgets", text, got ? (ssize_t)strlen(text) : -1);
}

static void get_line(void)
{
    char *line = NULL;
    size_t room = 0;
    take_turn(READING);
    const ssize_t length = getdelim(&line, &room, random_below(2) == 0 ? '\n' : 'e', file);
    say_bytes("getdelim", line, length);
    free(line);
    got = length > 0;
}

static void scan(void)
{
    char word[100] = "";
    take_turn(READING);
    const int count = fscanf(file, "%90[a-q]", word);
    say_bytes("fscanf", word, (ssize_t)strlen(word));
    say_result("count", count);
}

/* A seek from there, or a flush, glibc does wrong, and may crash then. */
static void push_back(void)
{
    if (!strict || !got)
        return;
    say_result("ungetc", ungetc((int)random_below(256), file));
    tell();
    if (random_below(2) == 0)
        say_result("fgetc", fgetc(file));
    say_result("fseek", fseek(file, (long)some_length(), SEEK_SET));
    positioned();
}

/* ---- wide characters ---- */

static void put_wide(void)
{
    const wchar_t *texts[] = {L"wide", L"and\n", L"a longer one", L"x\ny\nz"};
    const wchar_t *text = texts[random_below(4)];
    take_turn(WRITING);
    switch (random_below(4)) {
    case 0:
        say_result("fputwc", (long)fputwc(text[0], file));
        break;
    case 1:
        say_result("fputws", fputws(text, file) < 0);
        break;
    case 2:
        say_result("fwprintf", fwprintf(file, L"%ls %d\n", text, (int)random_below(100000)));
        break;
    default:
        for (uint64_t i = random_below(900); i > 0; i--)
            putwc(text[i % 2], file);
    }
}

static void get_wide(void)
{
    wchar_t text[200] = L"";
    take_turn(READING);
    if (random_below(2) == 0) {
        say_result("fgetwc", (long)fgetwc(file));
    } else {
        say(" fgetws=%d", fgetws(text, 1 + (int)random_below(199), file) != NULL);
        say_bytes("text", text, (ssize_t)(wcslen(text) * sizeof *text));
    }
}

static void orient(void)
{
    say(" fwide=%d", fwide(file, (int)random_below(2) - !wide) > 0);
}
