/*
 * The C library's own functions, behind the ones this shim defines. Each is looked up at its first
 * use, which may come before any constructor, or within a call of the program's allocator.
 */
#pragma once

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

/* Returns the function of this name behind the shim, or NULL. */
void *sluice_real_look(const char *name);

/* Looks a function up and remembers it; aborts where no library has it. */
void *sluice_real_find(const char *name, _Atomic(void *) *found);

/* The real function, remembered in each place where it is called. */
#define REAL(name)                                                                                 \
    __extension__({                                                                                \
        static _Atomic(void *) real_;                                                              \
        void *found_ = atomic_load_explicit(&real_, memory_order_relaxed);                         \
        if (__builtin_expect(found_ == NULL, 0))                                                   \
            found_ = sluice_real_find(#name, &real_);                                              \
        (__typeof__(&name))found_;                                                                 \
    })

/* Marks a function of the C library that this shim defines anew. */
#define SLUICE_WRAPPER __attribute__((visibility("default")))

/* Defines a wrapper that is `call`, perhaps of another function. */
#define SLUICE_AS(type, name, parameters, call)                                                    \
    SLUICE_WRAPPER type name parameters                                                            \
    {                                                                                              \
        return call;                                                                               \
    }

/* Defines a wrapper that does `before`, and then calls the C library's function. */
#define SLUICE_BEFORE(type, name, parameters, arguments, before)                                   \
    SLUICE_WRAPPER type name parameters                                                            \
    {                                                                                              \
        before;                                                                                    \
        return REAL(name) arguments;                                                               \
    }

/*
 * Defines a wrapper that calls the C library's function, and then does `after`, which may use
 * `result`.
 */
#define SLUICE_AFTER(type, name, parameters, arguments, after)                                     \
    SLUICE_WRAPPER type name parameters                                                            \
    {                                                                                              \
        type const result = REAL(name) arguments;                                                  \
        after;                                                                                     \
        return result;                                                                             \
    }

/* The argument behind the parameter `last`. */
#define SLUICE_NEXT(type, last)                                                                    \
    __extension__({                                                                                \
        va_list rest_;                                                                             \
        va_start(rest_, last);                                                                     \
        type const next_ = va_arg(rest_, type);                                                    \
        va_end(rest_);                                                                             \
        next_;                                                                                     \
    })

/*
 * Defines a wrapper whose arguments behind the parameter `last` are a va_list, `rest`, for `run`.
 */
#define SLUICE_VARIADIC(type, name, parameters, last, run)                                         \
    SLUICE_WRAPPER type name parameters                                                            \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, last);                                                                      \
        const type result_ = run;                                                                  \
        va_end(rest);                                                                              \
        return result_;                                                                            \
    }

/* Stops the program if a read overflows its buffer, as functions with _FORTIFY_SOURCE do. */
static inline void sluice_check_fit(size_t length, size_t room)
{
    if (length > room)
        __builtin_trap();
}
