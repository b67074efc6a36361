| Rule 1: Sega's library routine; and a small generator of our own that keeps the faults out of it.

        .include "ram.inc"
        .text

DEFAULT         = 0x2A6D365A            | replaces a state of zero
LATER           = 0x2A6D365B            | in later games: for one whose low word is zero

| Random: 41 times the state; its low word is added to its high word, and that is the new state. Returned in d0: the old high
| word above, the new one below.
        .global Random
Random:
        move.l  (Seed).l,d0
        bne.s   1f
        move.l  #DEFAULT,d0
1:      bsr.s   Step
        move.l  d1,(Seed).l
        rts

| RandomLater: the same as later games have it, for the state at a0.
        .global RandomLater
RandomLater:
        move.l  (a0),d0
        tst.w   d0
        bne.s   1f
        move.l  #LATER,d0
1:      bsr.s   Step
        move.l  d1,(a0)
        rts

| Step: d1 = the state after d0, d0 = what is returned.
Step:   move.l  d0,d1
        lsl.l   #3,d1
        move.l  d1,d2
        lsl.l   #2,d2
        add.l   d2,d1                   | 8 + 32
        add.l   d0,d1                   | + 1
        move.l  d1,d2
        swap    d2
        add.w   d1,d2                   | low + high
        move.w  d2,d0
        swap    d1
        move.w  d2,d1
        swap    d1                      | low + high above, low below
        rts

        .include "../genesis/noise.inc"
