/* Runs a card in DeSmuME as a library: no picture, no sound. Usage: see README.md. */
#include "host.h"

#include <stdint.h>
#include <stdlib.h>

/* 33,513,982 Hz, six clocks a dot, 355 dots a line, 263 lines. */
#define DS_RATE (33513982.0 / 6 / 355 / 263)

static const char *const BUTTONS[] = {"a", "b", "select", "start", "right", "left", "up", "down",
                                      "r", "l", "x", "y", NULL};

static int (*cycle)(int with_joystick);
static void (*keypad_update)(uint16_t keys);
static void (*desmume_reset)(void);

static void frame(unsigned pressed) {
    keypad_update((uint16_t)pressed);
    cycle(0);
}

static void reset(void) { desmume_reset(); }

int main(int count, char **arguments) {
    if (count < 3 || count > 4)
        fail("usage: desmume_host libdesmume.dll CARD [FRAMES_PER_SECOND]");
    SetEnvironmentVariableA("SDL_AUDIODRIVER", "dummy");
    SetEnvironmentVariableA("SDL_VIDEODRIVER", "dummy");

    HMODULE library = load_library(arguments[1]);
    void (*set_savetype)(int) = load_function(library, "desmume_set_savetype");
    int (*init)(void) = load_function(library, "desmume_init");
    void (*volume_set)(int) = load_function(library, "desmume_volume_set");
    int (*open)(const char *) = load_function(library, "desmume_open");
    void (*resume)(void) = load_function(library, "desmume_resume");
    cycle = load_function(library, "desmume_cycle");
    keypad_update = load_function(library, "desmume_input_keypad_update");
    desmume_reset = load_function(library, "desmume_reset");

    set_savetype(0);
    if (init() < 0)
        fail("DeSmuME does not start");
    volume_set(0);
    if (open(arguments[2]) < 0)
        fail("DeSmuME does not load %s", arguments[2]);
    resume();
    run(&(struct host){count > 3 ? atof(arguments[3]) : DS_RATE, BUTTONS, frame, reset});
}
