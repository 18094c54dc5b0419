#include "line.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A character of a text, of `length` bytes, or one byte that is no valid UTF-8. */
struct character {
    uint32_t code;
    int length;
    bool valid;
};

static struct character next(const unsigned char *text)
{
    static const uint32_t first_of[] = {0, 0, 0x80, 0x800, 0x10000};
    const struct character byte = {.code = *text, .length = 1, .valid = *text < 0x80};
    const int length = *text >= 0xF8 ? 1
        : *text >= 0xF0              ? 4
        : *text >= 0xE0              ? 3
        : *text >= 0xC0              ? 2
                                     : 1;
    if (length == 1)
        return byte;
    uint32_t code = *text & (0x7FU >> length);
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return byte;
        code = code << 6 | (text[i] & 0x3F);
    }
    const bool valid =
        code >= first_of[length] && code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000);
    return valid ? (struct character){.code = code, .length = length, .valid = true} : byte;
}

/*
 * Returns whether a terminal shows the character as itself. Hidden are controls, invisible
 * characters, and those that change the writing direction or end a line.
 */
static bool is_shown(struct character character)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } hidden[] = {
        {0x00, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},     {0x600, 0x605},
        {0x61C, 0x61C},      {0x6DD, 0x6DD},   {0x70F, 0x70F},   {0x180E, 0x180E},
        {0x200B, 0x200F},    {0x2028, 0x202E}, {0x2060, 0x206F}, {0xE000, 0xF8FF},
        {0xFEFF, 0xFEFF},    {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x1D173, 0x1D17A},
        {0xE0000, 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (character.code >= hidden[i].first && character.code <= hidden[i].last)
            return false;
    return character.valid;
}

/* Writes the escape of a byte, such as \n or \302. */
static int escape(char out[5], unsigned char byte)
{
    static const char letters[] = "abtnvfr"; /* bytes 7 to 13 */
    return byte >= 7 && byte <= 13 ? sprintf(out, "\\%c", letters[byte - 7])
                                   : sprintf(out, "\\%03o", byte);
}

void sluice_line(char *out, size_t capacity, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    bool escaping = false;
    while (*at != 0) {
        const struct character character = next(at);
        char piece[24];
        size_t length = 0;
        const bool shown = is_shown(character);
        if (shown == escaping)
            length = (size_t)sprintf(piece, "%s", shown ? "'" : "$'");
        for (int i = 0; i < character.length; i++)
            if (shown)
                piece[length++] = (char)at[i];
            else
                length += (size_t)escape(piece + length, at[i]);
        if (used + length + 2 > capacity) /* room for the last quote and the final zero */
            break;
        memcpy(out + used, piece, length);
        used += length;
        escaping = !shown;
        at += character.length;
    }
    if (escaping)
        out[used++] = '\'';
    out[used] = 0;
}
