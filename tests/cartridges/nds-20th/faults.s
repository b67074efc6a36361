@ Faults on purpose, and the log that says which. Their chances never come from the game's generator.

        .include "ram.inc"
        .text

KIND_POOL       = 1
KIND_DEALT      = 2
KIND_MAP        = 3
KIND_STATE      = 4

@ Fault_Round: after the generation and before the queues, in every round or in every so manyth.
        .global Fault_Round
Fault_Round:
        push    {r4-r10, lr}
        ldr     r4, =OWN
        ldr     r9, [r4, #O_BLOCK]
        ldr     r0, [r4, #O_ROUND]
        ldr     r1, =CONFIG
        ldrh    r1, [r1, #C_FAULTY_EVERY]
        bl      Every
        bne     9f

@ one byte of one pool becomes another of that pool's colours
        ldr     r0, [r4, #O_SWITCH]
        tst     r0, #SWITCH_POOL
        beq     2f
        mov     r0, #3
        bl      Fault_Below
        mov     r5, r0                  @ pool
        mov     r0, #256
        bl      Fault_Below
        mov     r6, r0                  @ byte
        add     r10, r9, #B_POOL_3 & 0xFF
        add     r10, r10, #B_POOL_3 & 0xF00
        add     r10, r10, r5, lsl #8
        add     r10, r10, r6
        ldrb    r7, [r10]               @ right
        add     r1, r5, #3
        bl      Fault_Digit
        strb    r8, [r10]
        mov     r0, #KIND_POOL
        mov     r10, #0
        bl      Fault_Log

@ two entries of the map change places
2:      ldr     r0, [r4, #O_SWITCH]
        tst     r0, #SWITCH_MAP
        beq     3f
        mov     r0, #4
        bl      Fault_Below
        mov     r6, r0                  @ the first of them
        rsb     r0, r6, #4
        bl      Fault_Below
        add     r10, r6, r0
        add     r10, r10, #1            @ the other, behind it
        add     r1, r9, #B_MAP & 0xFF
        add     r1, r1, #B_MAP & 0xF00
        ldr     r7, [r1, r6, lsl #2]
        ldr     r8, [r1, r10, lsl #2]
        str     r8, [r1, r6, lsl #2]
        str     r7, [r1, r10, lsl #2]
        mov     r5, #0
        mov     r0, #KIND_MAP
        bl      Fault_Log

@ one bit of the state
3:      ldr     r0, [r4, #O_SWITCH]
        tst     r0, #SWITCH_STATE
        beq     9f
        mov     r0, #32
        bl      Fault_Below
        mov     r6, r0
        ldr     r7, [r9, #B_STATE]
        mov     r0, #1
        eor     r8, r7, r0, lsl r6
        str     r8, [r9, #B_STATE]
        mov     r5, #0
        mov     r10, #0
        mov     r0, #KIND_STATE
        bl      Fault_Log
9:      pop     {r4-r10, pc}

@ Fault_Deal: player r5 has drawn pair r0 with number r6; about once in so many draws one byte of it becomes another digit of
@ the pool. The pair in r0 again.
        .global Fault_Deal
Fault_Deal:
        push    {r4-r10, lr}
        mov     r9, r0
        ldr     r4, =OWN
        ldr     r0, [r4, #O_SWITCH]
        tst     r0, #SWITCH_DEALT
        beq     3f
        ldr     r0, [r4, #O_COUNTDOWN]
        cmp     r0, #0
        bleq    Fault_Countdown         @ the switch has just been turned on for the first time
        subs    r0, r0, #1
        str     r0, [r4, #O_COUNTDOWN]
        bne     3f
        bl      Fault_Countdown
        str     r0, [r4, #O_COUNTDOWN]
        mov     r0, #2
        bl      Fault_Below
        mov     r10, r0                 @ 0 axis, 1 child
        mov     r3, r10, lsl #3
        mov     r7, r9, lsr r3
        and     r7, r7, #0xFF           @ right
        ldrb    r1, [r5, #P_COLORS]
        bl      Fault_Digit
        mov     r3, r10, lsl #3
        eor     r0, r7, r8
        eor     r9, r9, r0, lsl r3
        ldrb    r5, [r5, #P_NUMBER]
        mov     r0, #KIND_DEALT
        bl      Fault_Log
3:      mov     r0, r9
        pop     {r4-r10, pc}

@ Fault_Countdown: 1 to 2n - 1 draws in r0, for a configured mean of n.
Fault_Countdown:
        push    {lr}
        ldr     r0, =CONFIG
        ldrh    r0, [r0, #C_FAULT_EVERY]
        cmp     r0, #0
        moveq   r0, #1
        mov     r0, r0, lsl #1
        sub     r0, r0, #1
        bl      Fault_Below
        add     r0, r0, #1
        pop     {pc}

@ Fault_Digit: in r8 another digit below r1 than r7.
Fault_Digit:
        push    {r9, lr}
        mov     r9, r1
        sub     r0, r1, #1
        bl      Fault_Below
        add     r0, r0, #1
        add     r8, r7, r0
        cmp     r8, r9
        subcs   r8, r8, r9
        pop     {r9, pc}

Fault_Below:
        ldr     r1, =OWN+O_FAULT_NOISE
        b       Noise_Below

@ Fault_Log: the next record: r0 kind, r5 pool or player, r6 index, r7 right, r8 wrong, r10 byte of the pair or second entry.
@ The count goes up last. r4 = OWN.
Fault_Log:
        ldr     r1, [r4, #O_FAULTS]
        and     r2, r1, #LOG_RECORDS-1
        ldr     r3, =LOG
        add     r3, r3, r2, lsl #5
        add     r1, r1, #1
        str     r1, [r3]                @ +00 number
        strb    r0, [r3, #0x04]
        strb    r5, [r3, #0x05]
        strh    r6, [r3, #0x06]
        str     r7, [r3, #0x08]
        str     r8, [r3, #0x0C]
        str     r10, [r3, #0x10]
        ldr     r2, [r4, #O_ROUND]
        str     r2, [r3, #0x14]
        ldr     r2, [r4, #O_FRAMES]
        str     r2, [r3, #0x18]
        str     r1, [r4, #O_FAULTS]
        bx      lr
