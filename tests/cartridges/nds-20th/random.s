@ Rule 1: the generator of the game.

        .include "ram.inc"
        .text

@ Random: a step, and its result below r0 in r0 (for r0 = 0 all 16 bits). Changes r1-r3, r12.
        .global Random
Random:
        ldr     r12, =OWN
        ldr     r1, [r12, #O_CALLS]
        add     r1, r1, #1
        str     r1, [r12, #O_CALLS]
        ldr     r12, [r12, #O_BLOCK]
        ldr     r1, [r12, #B_STATE]
        ldr     r2, =0x5D588B65
        ldr     r3, =0x00269EC3
        mla     r1, r2, r1, r3
        str     r1, [r12, #B_STATE]
        mov     r1, r1, lsr #16
        cmp     r0, #0
        moveq   r0, r1
        bxeq    lr
        mul     r0, r1, r0
        mov     r0, r0, lsr #16
        bx      lr
