| Rule 1: the randomizer, and a small generator of our own that keeps the rest of the cartridge out of it.

        .include "ram.inc"
        .text

| Random_Step: R := rol32(d0 + R + a7, 5) + R + 1, returned in d0 as well.
| a7 is the real stack pointer in here, return address pushed: who calls, and from how deep, is part of the draw.
| From Generate (entered at FF7FF8):          bsr -> FF7FF4, the pool draws.
| From ColorSet_Draw through Random:  bsr, bsr, d1, bsr -> FF7FE8, the colour draws.
        .global Random_Step
Random_Step:
        add.l   (RngState).l,d0
        add.l   sp,d0
        rol.l   #5,d0
        add.l   (RngState).l,d0
        addq.l  #1,d0
        move.l  d0,(RngState).l
        rts

| Random: d0.w = (low word of the next R * d0.w) / 65536; the low word of the product stays in d0's high word.
        .global Random
Random:
        move.l  d1,-(sp)
        move.w  d0,d1
        bsr     Random_Step
        mulu.w  d1,d0
        swap    d0
        move.l  (sp)+,d1
        rts

        .include "../genesis/noise.inc"
        .include "../genesis/noise_below.inc"
