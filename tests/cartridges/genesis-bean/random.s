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

| Noise: next number of the little generator whose state is at a0, in d0 (xorshift 13, 17, 5). Changes nothing else.
        .global Noise
Noise:
        move.l  d1,-(sp)
        move.l  (a0),d0
        bne.s   1f
        moveq   #1,d0
1:      move.l  d0,d1
        lsl.l   #8,d1
        lsl.l   #5,d1
        eor.l   d1,d0
        move.l  d0,d1
        clr.w   d1
        swap    d1
        lsr.l   #1,d1
        eor.l   d1,d0
        move.l  d0,d1
        lsl.l   #5,d1
        eor.l   d1,d0
        move.l  d0,(a0)
        move.l  (sp)+,d1
        rts

| Noise_Below: d0 = 0 .. d0.w - 1 from the generator at a0, d0.w being 1 or more.
        .global Noise_Below
Noise_Below:
        move.l  d1,-(sp)
        move.w  d0,d1
        bsr     Noise
        clr.w   d0
        swap    d0
        mulu.w  d1,d0
        clr.w   d0
        swap    d0
        move.l  (sp)+,d1
        rts
