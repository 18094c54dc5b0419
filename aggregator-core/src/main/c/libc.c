/* Java's calls of the C library (org.sluice.core.libc.LibC): libsluice_java.so. The file needs no jni.h, so that C
   builds without a JDK. Environment and class, which Java passes first, are not used, and jlong is int64_t. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define FOR_JAVA __attribute__((visibility("default")))

/* All functions are called as this one: in the calling conventions of 64-bit Linux, on x86-64 and on AArch64, a function
   ignores registers without a parameter, and the upper half of those with an int. */
typedef int64_t function(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

/* Returns the address of a function; 0 if there is none. The C library is asked itself, since the shim, where it is
   preloaded into a command's JVM, has functions of the same names. */
FOR_JAVA int64_t Java_org_sluice_core_libc_LibC_find(void *environment, void *class, int64_t name)
{
    (void)environment;
    (void)class;
    return (int64_t)dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), (const char *)name);
}

/* Returns what a function does, with 64 bits or the lower 32; -errno in place of -1. errno is read here, since the JVM may
   change it before Java's next instruction. */
FOR_JAVA int64_t Java_org_sluice_core_libc_LibC_call(void *environment, void *class,
                                                     int64_t address, bool wide, int64_t a,
                                                     int64_t b, int64_t c, int64_t d, int64_t e,
                                                     int64_t f)
{
    (void)environment;
    (void)class;
    int64_t result = ((function *)address)(a, b, c, d, e, f);
    if (!wide)
        result = (int)result;
    return result == -1 ? -errno : result;
}
