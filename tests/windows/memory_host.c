/* A program with a console's RAM in it, and nothing else of an emulator. Usage: see README.md. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#define MAX_IMAGE (4 << 20)

/* The console's main RAM in the libretro interface. */
enum { SYSTEM_RAM = 2 };

static const char *const BUTTONS[] = {NULL};

static unsigned char bss[MAX_IMAGE];
static unsigned char *ram;
static HANDLE image;
static DWORD image_size;
static size_t counter_offset, counter_bytes;

static void frame(unsigned pressed) {
    (void)pressed;
    /* Least significant byte first, with the carry. */
    for (size_t i = 0; i < counter_bytes && ++ram[counter_offset + i] == 0; i++)
        ;
}

static unsigned char *ram_of_core(void) {
    /* In the program's folder. */
    HMODULE core = LoadLibraryA(sizeof(void *) == 4 ? "memory_libretro_32.dll" : "memory_libretro.dll");
    if (!core)
        fail("memory_libretro cannot be loaded: error %lu", GetLastError());
    void *(*data)(unsigned) = load_function(core, "retro_get_memory_data");
    size_t (*size)(unsigned) = load_function(core, "retro_get_memory_size");
    if (size(SYSTEM_RAM) < image_size)
        fail("the image is larger than the core's RAM");
    return data(SYSTEM_RAM);
}

/* From the file each time: a second copy in memory would be found too. */
static void reset(void) {
    DWORD count;
    SetFilePointer(image, 0, NULL, FILE_BEGIN);
    if (!ReadFile(image, ram, image_size, &count, NULL) || count != image_size)
        fail("the image cannot be read");
}

int main(int count, char **arguments) {
    if (count != 5)
        fail("usage: memory_host bss|heap|virtual|core IMAGE COUNTER_OFFSET COUNTER_BYTES");
    image = CreateFileA(arguments[2], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    image_size = GetFileSize(image, NULL);
    counter_offset = strtoul(arguments[3], NULL, 0);
    counter_bytes = strtoul(arguments[4], NULL, 0);
    if (image_size > MAX_IMAGE || counter_offset + counter_bytes > image_size)
        fail("%s cannot be read, or image or counter are too large", arguments[2]);

    if (strcmp(arguments[1], "bss") == 0)
        ram = bss;
    else if (strcmp(arguments[1], "heap") == 0)
        ram = malloc(image_size);
    else if (strcmp(arguments[1], "virtual") == 0)
        ram = VirtualAlloc(NULL, image_size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    else if (strcmp(arguments[1], "core") == 0)
        ram = ram_of_core();
    if (!ram)
        fail("no memory of the kind %s", arguments[1]);
    reset();
    run(&(struct host){60, BUTTONS, frame, reset});
}
