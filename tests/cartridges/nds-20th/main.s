@ The main loop, the keys, and small arithmetic.

        .include "ram.inc"
        .text

@ MainLoop: one pass a frame. A pass that takes longer misses a frame, it does not catch up.
        .global MainLoop
MainLoop:
        mov     r4, #IO
        mov     r5, #1
        str     r5, [r4, #IF]
1:      mov     r0, #0
        mcr     p15, 0, r0, c7, c0, 4   @ sleep
        ldr     r0, [r4, #IF]
        tst     r0, #1
        beq     1b

        ldr     r4, =OWN
        ldr     r0, [r4, #O_FRAMES]
        add     r0, r0, #1
        str     r0, [r4, #O_FRAMES]
        bl      Keys_Run
        ldr     r0, [r4, #O_PAUSED]
        cmp     r0, #0
        bne     2f
        bl      Round_Run
        bl      Events_Run
2:      bl      Screen_Run
        ldr     r0, [r4, #O_FRAMES]
        str     r0, [r4, #O_DONE]
        b       MainLoop

@ Keys_Run: A and B switch pool and dealt-pair faults, unless the keys move pairs; Start pauses, Select starts the next round. r4 = OWN.
Keys_Run:
        push    {r5, lr}
        mov     r0, #IO
        add     r0, r0, #KEYINPUT
        ldrh    r0, [r0]
        mvn     r0, r0
        and     r0, r0, #0xFF
        ldr     r1, [r4, #O_KEYS]
        str     r0, [r4, #O_KEYS]
        bic     r5, r0, r1              @ newly pressed
        str     r5, [r4, #O_PRESSED]
        ldr     r0, =CONFIG
        ldrh    r0, [r0, #C_HAND]
        cmp     r0, #0
        bicne   r5, r5, #KEY_A|KEY_B
        ldr     r0, [r4, #O_SWITCH]
        tst     r5, #KEY_A
        eorne   r0, r0, #SWITCH_POOL
        tst     r5, #KEY_B
        eorne   r0, r0, #SWITCH_DEALT
        str     r0, [r4, #O_SWITCH]
        tst     r5, #KEY_START
        ldrne   r0, [r4, #O_PAUSED]
        eorne   r0, r0, #1
        strne   r0, [r4, #O_PAUSED]
        tst     r5, #KEY_SELECT
        blne    Round_Force
        pop     {r5, pc}

@ Divide: r0 / r1 in r0, the rest in r1. r1 is not 0.
        .global Divide
Divide:
        mov     r2, #0                  @ quotient
        mov     r3, #0                  @ rest
        mov     r12, #32
1:      lsls    r0, r0, #1
        adc     r3, r3, r3
        cmp     r3, r1
        subcs   r3, r3, r1
        adc     r2, r2, r2
        subs    r12, r12, #1
        bne     1b
        mov     r0, r2
        mov     r1, r3
        bx      lr

@ Every: Z set when r0 is a multiple of r1, never for r1 = 0.
        .global Every
Every:
        cmp     r1, #0
        beq     1f
        push    {lr}
        bl      Divide
        cmp     r1, #0
        pop     {pc}
1:      cmp     r1, #1                  @ Z clear
        bx      lr

@ Noise_Below: 0 to r0 - 1 in r0, from the little generator at r1 (xorshift, Marsaglia 2003: 13, 17, 5). Not the game's.
        .global Noise_Below
Noise_Below:
        ldr     r2, [r1]
        eor     r2, r2, r2, lsl #13
        eor     r2, r2, r2, lsr #17
        eor     r2, r2, r2, lsl #5
        str     r2, [r1]
        mov     r2, r2, lsr #16
        mul     r0, r2, r0
        mov     r0, r0, lsr #16
        bx      lr
