| Rule 1: the generator, and a little one of our own that keeps events and faults out of it.

        .include "ram.inc"
        .text

DEFAULT         = 0x2A6D365A            | in the place of a state of zero

| Random: 41 times R; its low word is added to its high word, and that is the new R. Returned in d0: the high word of the
| old R above, that of the new one below.
| A vertical interrupt between load and store steps R in vain: the store overwrites it. By the labels the interrupt
| finds out where it fell (main.s), and the count is increased right behind the store, for the same reason.
        .global Random, Random_Loaded, Random_Stored
Random:
        move.l  d1,-(sp)
        move.l  (RngState).l,d1
Random_Loaded:
        bne.s   1f
        move.l  #DEFAULT,d1
1:      move.l  d1,d0
        lsl.l   #2,d1
        add.l   d0,d1                   | 5 times,
        lsl.l   #3,d1
        add.l   d0,d1                   | 41 times
        move.w  d1,d0
        swap    d1
        add.w   d1,d0                   | low + high
        move.w  d0,d1
        swap    d1                      | low + high above, low below
        move.l  d1,(RngState).l
Random_Stored:
        addq.w  #1,(DrawCount).l
        move.l  (sp)+,d1
        rts

| Random_Below: d0.w = 0 .. d0.w - 1: new high word of R * d0.w / 65536.
        .global Random_Below
Random_Below:
        move.l  d1,-(sp)
        move.w  d0,d1
        bsr.s   Random
        mulu.w  d1,d0
        clr.w   d0
        swap    d0
        move.l  (sp)+,d1
        rts

        .include "../genesis/noise.inc"
        .include "../genesis/noise_below.inc"
