/* A minimal libretro front end: no picture, no sound. Usage: see README.md. */
#include "host.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the libretro interface that the cores here use. */
enum { DEVICE_JOYPAD = 1, LOG_WARN = 2 };
enum {
    GET_CAN_DUPE = 3,
    SET_PERFORMANCE_LEVEL = 8,
    GET_SYSTEM_DIRECTORY = 9,
    SET_PIXEL_FORMAT = 10,
    SET_INPUT_DESCRIPTORS = 11,
    GET_VARIABLE = 15,
    SET_VARIABLES = 16,
    GET_VARIABLE_UPDATE = 17,
    GET_LOG_INTERFACE = 27,
    GET_SAVE_DIRECTORY = 31,
    SET_SUBSYSTEM_INFO = 34,
    SET_CONTROLLER_INFO = 35,
    SET_GEOMETRY = 37,
    SET_MEMORY_MAPS = 36 | 0x10000,
    SET_SUPPORT_ACHIEVEMENTS = 42 | 0x10000,
};
struct variable { const char *key, *value; };
struct log_callback { void (*log)(int level, const char *format, ...); };
struct game_info { const char *path; const void *data; size_t size; const char *meta; };
struct av_info {
    struct { unsigned base_width, base_height, max_width, max_height; float aspect_ratio; } geometry;
    struct { double fps, sample_rate; } timing;
};

#define MAX_OPTIONS 128

static const char *const BUTTONS[] = {"b", "y", "select", "start", "up", "down", "left", "right",
                                      "a", "x", "l", "r", "l2", "r2", "l3", "r3", NULL};

static char folder[MAX_PATH];
static struct variable options[MAX_OPTIONS];
static int option_count;
static unsigned pressed_now;
static void (*retro_run)(void);
static void (*retro_reset)(void);

static void print_log(int level, const char *format, ...) {
    va_list arguments;
    if (level < LOG_WARN)
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

/* Every option keeps its default, the first of its values: "Description; default|other". Not to answer is allowed, but
   Genesis Plus GX compares what it got without a check. */
static void keep_defaults(const struct variable *given) {
    for (; given->key && option_count < MAX_OPTIONS; given++) {
        const char *value = strstr(given->value, "; ");
        char *first = strdup(value ? value + 2 : given->value);
        first[strcspn(first, "|")] = 0;
        options[option_count++] = (struct variable){strdup(given->key), first};
    }
}

static bool default_value(struct variable *asked) {
    asked->value = NULL;
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i].key, asked->key) == 0)
            asked->value = options[i].value;
    return asked->value != NULL;
}

static bool environment(unsigned command, void *data) {
    switch (command) {
    case GET_CAN_DUPE:
        *(bool *)data = true;
        return true;
    case GET_SYSTEM_DIRECTORY:
    case GET_SAVE_DIRECTORY:
        *(const char **)data = folder;
        return true;
    case SET_VARIABLES:
        keep_defaults(data);
        return true;
    case GET_VARIABLE:
        return default_value(data);
    case GET_VARIABLE_UPDATE:
        *(bool *)data = false;
        return true;
    case GET_LOG_INTERFACE:
        ((struct log_callback *)data)->log = print_log;
        return true;
    case SET_PERFORMANCE_LEVEL:
    case SET_PIXEL_FORMAT:
    case SET_INPUT_DESCRIPTORS:
    case SET_SUBSYSTEM_INFO:
    case SET_CONTROLLER_INFO:
    case SET_GEOMETRY:
    case SET_MEMORY_MAPS:
    case SET_SUPPORT_ACHIEVEMENTS:
        return true;
    default:
        return false;
    }
}

static void video_refresh(const void *data, unsigned width, unsigned height, size_t pitch) {
    (void)data, (void)width, (void)height, (void)pitch;
}

static void audio_sample(int16_t left, int16_t right) { (void)left, (void)right; }

static size_t audio_sample_batch(const int16_t *data, size_t frames) {
    (void)data;
    return frames;
}

static void input_poll(void) {}

static int16_t input_state(unsigned port, unsigned device, unsigned index, unsigned id) {
    return port == 0 && device == DEVICE_JOYPAD && index == 0 && id < 16 && (pressed_now >> id & 1);
}

static void frame(unsigned pressed) {
    pressed_now = pressed;
    retro_run();
}

static void reset(void) { retro_reset(); }

int main(int count, char **arguments) {
    if (count < 3 || count > 4)
        fail("usage: libretro_host CORE.dll GAME [FRAMES_PER_SECOND]");
    GetTempPathA(sizeof folder, folder);

    HMODULE core = load_library(arguments[1]);
    void (*set_environment)(bool (*)(unsigned, void *)) = load_function(core, "retro_set_environment");
    void (*set_video_refresh)(void (*)(const void *, unsigned, unsigned, size_t)) =
        load_function(core, "retro_set_video_refresh");
    void (*set_audio_sample)(void (*)(int16_t, int16_t)) = load_function(core, "retro_set_audio_sample");
    void (*set_audio_sample_batch)(size_t (*)(const int16_t *, size_t)) =
        load_function(core, "retro_set_audio_sample_batch");
    void (*set_input_poll)(void (*)(void)) = load_function(core, "retro_set_input_poll");
    void (*set_input_state)(int16_t (*)(unsigned, unsigned, unsigned, unsigned)) =
        load_function(core, "retro_set_input_state");
    void (*init)(void) = load_function(core, "retro_init");
    bool (*load_game)(const struct game_info *) = load_function(core, "retro_load_game");
    void (*get_av_info)(struct av_info *) = load_function(core, "retro_get_system_av_info");
    void (*set_controller)(unsigned, unsigned) = load_function(core, "retro_set_controller_port_device");
    retro_run = load_function(core, "retro_run");
    retro_reset = load_function(core, "retro_reset");

    set_environment(environment);
    set_video_refresh(video_refresh);
    set_audio_sample(audio_sample);
    set_audio_sample_batch(audio_sample_batch);
    set_input_poll(input_poll);
    set_input_state(input_state);
    init();

    struct game_info game = {.path = arguments[2]};
    game.data = load_file(arguments[2], &game.size);
    if (!load_game(&game))
        fail("the core does not load %s", arguments[2]);
    set_controller(0, DEVICE_JOYPAD);

    struct av_info info = {0};
    get_av_info(&info);
    double rate = count > 3 ? atof(arguments[3]) : info.timing.fps;
    run(&(struct host){rate, BUTTONS, frame, reset});
}
