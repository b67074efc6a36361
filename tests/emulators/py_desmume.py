"""Runs a card in DeSmuME as a Python library: py_desmume.py CARD [FRAMES_PER_SECOND], as fast as it goes without.

A line `reset` on standard input presses the reset button; the end of the input ends the run.
"""

import select
import sys
import time

from desmume.emulator import DeSmuME

card, *rest = sys.argv[1:]
frame = 1 / float(rest[0]) if rest else 0

emulator = DeSmuME()
emulator.volume_set(0)
emulator.open(card)
due = time.monotonic()
while True:
    emulator.cycle(with_joystick=False)
    if select.select([sys.stdin], [], [], 0)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        if line.strip() == "reset":
            emulator.reset()
    if frame:
        due = max(due + frame, time.monotonic() - 0.1)
        time.sleep(max(0, due - time.monotonic()))
