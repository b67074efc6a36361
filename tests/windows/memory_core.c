/* A libretro core with a Mega Drive's main RAM and nothing that runs: `memory_host core` loads it. */
#include <stddef.h>

enum { SAVE_RAM = 0, SYSTEM_RAM = 2 };

static unsigned char work_ram[0x10000];
static unsigned char save_ram[0x2000];
unsigned save_ram_size;

__declspec(dllexport) void *retro_get_memory_data(unsigned id) {
    switch (id) {
    case SAVE_RAM:
        return save_ram_size ? save_ram : NULL;
    case SYSTEM_RAM:
        return work_ram;
    default:
        return NULL;
    }
}

__declspec(dllexport) size_t retro_get_memory_size(unsigned id) {
    switch (id) {
    case SAVE_RAM:
        return save_ram_size;
    case SYSTEM_RAM:
        return sizeof work_ram;
    default:
        return 0;
    }
}
