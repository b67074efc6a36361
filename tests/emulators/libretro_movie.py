"""Plays the inputs of a movie in a libretro core, from power on: libretro_movie.py CORE ROM INPUTS COUNT ADDRESS BYTES FRAMES.

INPUTS has a line with the pressed buttons of pad 1 for each frame. COUNT and ADDRESS are offsets in work RAM, whose words the core stores
swapped. When the 16-bit number at COUNT changes, a line says after how many frames it does, and what BYTES bytes from ADDRESS on are. Ends
FRAMES frames after the last line.
"""

import ctypes
import sys

# A libretro pad's buttons by those of a Mega Drive pad (libretro.h; Genesis Plus GX and PicoDrive).
PAD = {"b": 0, "a": 1, "start": 3, "up": 4, "down": 5, "left": 6, "right": 7, "c": 8}
JOYPAD = 1
MASK = 256
SYSTEM_RAM = 2
SET_PIXEL_FORMAT = 10
GET_SYSTEM_DIRECTORY = 9
GET_VARIABLE = 15
SET_VARIABLES = 16
GET_LOG_INTERFACE = 27
GET_SAVE_DIRECTORY = 31


class Variable(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class GameInfo(ctypes.Structure):
    _fields_ = [
        ("path", ctypes.c_char_p),
        ("data", ctypes.c_char_p),
        ("size", ctypes.c_size_t),
        ("meta", ctypes.c_char_p),
    ]


core_path, rom, inputs = sys.argv[1:4]
count_at, address, length, after = (int(number, 0) for number in sys.argv[4:])
with open(inputs, encoding="ascii") as file:
    frames = [{PAD[name] for name in line.split()} for line in file.read().split("\n")[:-1]]
frames += [set()] * after
held = set()
folder = ctypes.c_char_p(b".")
# Its further arguments are ignored.
log = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p)(lambda _level, _text: None)


# The default of each option of the core.
options = {}


def environment(command, data):
    if command == SET_VARIABLES:
        variables = ctypes.cast(data, ctypes.POINTER(Variable))
        at = 0
        while variables[at].key:
            values = variables[at].value.split(b"; ", 1)[1].split(b"|")
            options[variables[at].key] = ctypes.c_char_p(values[0])
            at += 1
        return True
    if command == GET_VARIABLE:
        variable = ctypes.cast(data, ctypes.POINTER(Variable))
        value = options.get(variable[0].key)
        variable[0].value = value
        return value is not None
    if command in (GET_SYSTEM_DIRECTORY, GET_SAVE_DIRECTORY):
        ctypes.cast(data, ctypes.POINTER(ctypes.c_char_p))[0] = folder
        return True
    if command == GET_LOG_INTERFACE:
        ctypes.cast(data, ctypes.POINTER(ctypes.c_void_p))[0] = ctypes.cast(log, ctypes.c_void_p)
        return True
    return command == SET_PIXEL_FORMAT


def input_state(port, device, index, button):
    if port != 0 or device & 0xFF != JOYPAD or index != 0:
        return 0
    if button == MASK:
        return sum(1 << pressed for pressed in held)
    return int(button in held)


core = ctypes.CDLL(core_path)
core.retro_get_memory_data.restype = ctypes.c_void_p
callbacks = [
    (core.retro_set_environment, ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_uint, ctypes.c_void_p)(environment)),
    (
        core.retro_set_video_refresh,
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_size_t)(lambda *_: None),
    ),
    (core.retro_set_audio_sample, ctypes.CFUNCTYPE(None, ctypes.c_int16, ctypes.c_int16)(lambda *_: None)),
    (
        core.retro_set_audio_sample_batch,
        ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)(lambda _, count: count),
    ),
    (core.retro_set_input_poll, ctypes.CFUNCTYPE(None)(lambda: None)),
    (core.retro_set_input_state, ctypes.CFUNCTYPE(ctypes.c_int16, *[ctypes.c_uint] * 4)(input_state)),
]
for setter, callback in callbacks:
    setter(callback)
core.retro_init()
with open(rom, "rb") as file:
    data = file.read()
info = GameInfo(rom.encode(), data, len(data), None)
core.retro_load_game.restype = ctypes.c_bool
if not core.retro_load_game(ctypes.byref(info)):
    sys.exit("the core does not load the ROM")
ram_bytes = 0x10000
ram = core.retro_get_memory_data(SYSTEM_RAM)


def read(at, number):
    memory = ctypes.string_at(ram, ram_bytes)
    return bytes(memory[(at + offset) ^ 1] for offset in range(number))


count = 0
for number, held in enumerate(frames, 1):
    core.retro_run()
    now = int.from_bytes(read(count_at, 2), "big")
    if now != count:
        count = now
        print("appeared", number, read(address, length).hex(), flush=True)
