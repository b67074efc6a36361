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
