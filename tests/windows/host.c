#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUTTONS 16
#define IDLE_RATE 60.0

static int paused;
static int frames_left[MAX_BUTTONS];

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

HMODULE load_library(const char *path) {
    char full[MAX_PATH];
    DWORD length = GetFullPathNameA(path, sizeof full, full, NULL);
    HMODULE library = NULL;
    if (length > 0 && length < sizeof full)
        library = LoadLibraryExA(full, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!library)
        fail("%s cannot be loaded: error %lu", path, GetLastError());
    return library;
}

void *load_function(HMODULE library, const char *name) {
    void *function = (void *)GetProcAddress(library, name);
    if (!function)
        fail("the DLL has no %s", name);
    return function;
}

unsigned char *load_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail("%s cannot be read", path);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        fail("%s cannot be read", path);
    fclose(file);
    return bytes;
}

/* Neither libraries nor threads may delay the end: they belong to emulators. */
static void quit(void) {
    fflush(stdout);
    TerminateProcess(GetCurrentProcess(), 0);
}

static void press(const struct host *host, const char *name, int frames) {
    for (int button = 0; host->buttons[button]; button++) {
        if (strcmp(host->buttons[button], name) == 0) {
            frames_left[button] = frames;
            return;
        }
    }
    fail("unknown button: %s", name);
}

static void handle_command(const struct host *host, const char *command) {
    char name[16];
    int frames;
    if (strcmp(command, "reset") == 0)
        host->reset();
    else if (strcmp(command, "pause") == 0)
        paused = 1;
    else if (strcmp(command, "resume") == 0)
        paused = 0;
    else if (strcmp(command, "quit") == 0)
        quit();
    else if (sscanf(command, "press %15s %d", name, &frames) == 2)
        press(host, name, frames);
    else
        fail("unknown command: %s", command);
}

/* A line that the reading thread hands to `run`, which takes it between two frames. */
static char line[64];
static volatile LONG line_complete;
static HANDLE line_handled;

/* Polling would be simpler, but PeekNamedPipe of Wine does not report what is in a pipe of Linux. */
static DWORD WINAPI read_lines(void *unused) {
    (void)unused;
    HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    size_t length = 0;
    DWORD count;
    char byte;
    while (ReadFile(input, &byte, 1, &count, NULL) && count > 0) {
        if (byte == '\n') {
            line[length] = 0;
            length = 0;
            InterlockedExchange(&line_complete, 1);
            WaitForSingleObject(line_handled, INFINITE);
        } else if (byte != '\r' && length + 1 < sizeof line) {
            line[length++] = byte;
        }
    }
    quit();
    return 0;
}

static HANDLE create_timer(void) {
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (timer)
        return timer;
    /* Windows before 10, version 1803. */
    timeBeginPeriod(1);
    return CreateWaitableTimerW(NULL, FALSE, NULL);
}

static double seconds(void) {
    LARGE_INTEGER frequency, ticks;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart / (double)frequency.QuadPart;
}

static void sleep_until(HANDLE timer, double due) {
    LARGE_INTEGER wait;
    wait.QuadPart = -(LONGLONG)((due - seconds()) * 1e7);
    if (wait.QuadPart < 0 && SetWaitableTimer(timer, &wait, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
}

static unsigned pressed_buttons(void) {
    unsigned pressed = 0;
    for (int button = 0; button < MAX_BUTTONS; button++) {
        if (frames_left[button] > 0) {
            frames_left[button]--;
            pressed |= 1u << button;
        }
    }
    return pressed;
}

void run(const struct host *host) {
    HANDLE timer = create_timer();
    line_handled = CreateEventW(NULL, FALSE, FALSE, NULL);
    /* Not before: a library that asks for the type of standard input while it is loaded would wait for the thread. */
    CreateThread(NULL, 0, read_lines, NULL, 0, NULL);
    double due = seconds();
    int ready = 0;
    for (;;) {
        if (InterlockedExchange(&line_complete, 0)) {
            handle_command(host, line);
            SetEvent(line_handled);
        }
        if (!paused) {
            host->frame(pressed_buttons());
            if (!ready) {
                puts("ready");
                fflush(stdout);
                ready = 1;
            }
        }
        double rate = paused && host->rate == 0 ? IDLE_RATE : host->rate;
        if (rate > 0) {
            /* Frames that are more than 0.1 s late are not made up for. */
            double latest = seconds() - 0.1;
            due += 1 / rate;
            if (due < latest)
                due = latest;
            sleep_until(timer, due);
        }
    }
}
