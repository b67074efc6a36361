/* What the test hosts share: frames at a rate, and commands on standard input. */
#ifndef HOST_H
#define HOST_H

#include <windows.h>

struct host {
    double rate;                        /* frames per second, 0 = unthrottled */
    const char *const *buttons;         /* names by bit of `pressed`, ended by NULL */
    void (*frame)(unsigned pressed);
    void (*reset)(void);
};

/* Prints the message and ends with status 1. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Runs frames until `quit` or the end of standard input; prints `ready` after the first. */
void run(const struct host *host) __attribute__((noreturn));

/* Loads a DLL, and those beside it that it needs. */
HMODULE load_library(const char *path);

/* A function of the DLL, which must be there. */
void *load_function(HMODULE library, const char *name);

/* A whole file in memory. */
unsigned char *load_file(const char *path, size_t *size);

#endif
