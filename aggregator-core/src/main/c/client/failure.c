#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * The sentence of the last failure. initial-exec: its first use in a thread must not allocate,
 * since the caller may be the program's malloc().
 */
static __thread char message[512] __attribute__((tls_model("initial-exec")));

int sluice_failure(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return -error;
}

const char *sluice_failure_reason(int error)
{
    const char *reason = strerrordesc_np(error);
    return reason != NULL ? reason : "unknown error";
}

const char *sluice_failure_message(void)
{
    return message;
}
