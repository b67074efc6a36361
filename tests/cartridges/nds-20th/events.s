@ Rule 4: between generations the state moves by events, not by the clock.

        .include "ram.inc"
        .text

@ Events_Run: the events of one pass, after the round's own doings. One to five steps, with whatever limits.
        .global Events_Run
Events_Run:
        push    {r4, r5, lr}
        ldr     r4, =OWN
        ldr     r5, =CONFIG
        ldrh    r0, [r5, #C_EVENTS_IN]
        ldr     r1, [r4, #O_STAGE]
        mov     r2, #1
        tst     r0, r2, lsl r1
        beq     2f
        ldrh    r5, [r5, #C_EVENTS]
        cmp     r5, #0
        beq     2f
        mov     r0, #256
        add     r1, r4, #O_EVENT_NOISE
        bl      Noise_Below
        cmp     r0, r5
        bcs     2f
        mov     r0, #5
        add     r1, r4, #O_EVENT_NOISE
        bl      Noise_Below
        add     r5, r0, #1
1:      mov     r0, #100
        add     r1, r4, #O_EVENT_NOISE
        bl      Noise_Below
        bl      Random
        subs    r5, r5, #1
        bne     1b
2:      pop     {r4, r5, pc}
