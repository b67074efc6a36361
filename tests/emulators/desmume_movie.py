"""Plays a movie on a card in DeSmuME as a Python library, from power on: desmume_movie.py CARD MOVIE COUNT ADDRESS BYTES FRAMES.

When the halfword at COUNT changes, a line says after how many frames it does, and what BYTES bytes from ADDRESS on are. Ends FRAMES frames
after the movie.
"""

import sys

from desmume.emulator import DeSmuME

card, movie = sys.argv[1:3]
count_at, address, length, after = (int(number, 0) for number in sys.argv[3:])

emulator = DeSmuME()
emulator.volume_set(0)
emulator.open(card)
emulator.movie.play(movie)
if not emulator.movie.is_playing():
    sys.exit("DeSmuME does not play the movie")
memory = emulator.memory.unsigned
count = 0
for frame in range(1, emulator.movie.get_length() + after + 1):
    emulator.cycle(with_joystick=False)
    if memory.read_short(count_at) != count:
        count = memory.read_short(count_at)
        content = bytes(memory.read_byte(address + at) for at in range(length))
        print("appeared", frame, content.hex(), flush=True)
