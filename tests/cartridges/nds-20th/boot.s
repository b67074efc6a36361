@ From the start of the card to the main loop.

        .include "ram.inc"
        .section .entry,"ax"

@ The card's entry, 02000100. All memory may be used, instructions from main RAM are cached, data nowhere, and the fast
@ memories are turned off: main RAM is all there is. Its end, where the firmware or the emulator has put a copy of the header,
@ is left alone.
        .global Entry
Entry:
        mov     r0, #0xDF               @ system mode, interrupts off
        msr     cpsr_c, r0
        ldr     r0, =0x00002078         @ caches, protection and fast memories off
        mcr     p15, 0, r0, c1, c0, 0
        mov     r0, #0
        mcr     p15, 0, r0, c7, c5, 0   @ nothing cached is valid any more
        mcr     p15, 0, r0, c7, c6, 0
        mcr     p15, 0, r0, c7, c10, 4
        mcr     p15, 0, r0, c6, c2, 0   @ regions: 0 everything, 1 main RAM, no others
        mcr     p15, 0, r0, c6, c3, 0
        mcr     p15, 0, r0, c6, c4, 0
        mcr     p15, 0, r0, c6, c5, 0
        mcr     p15, 0, r0, c6, c6, 0
        mcr     p15, 0, r0, c6, c7, 0
        mcr     p15, 0, r0, c2, c0, 0
        mcr     p15, 0, r0, c3, c0, 0
        mov     r0, #0x3F
        mcr     p15, 0, r0, c6, c0, 0
        ldr     r0, =0x0200002B
        mcr     p15, 0, r0, c6, c1, 0
        mov     r0, #2
        mcr     p15, 0, r0, c2, c0, 1
        mov     r0, #0x33
        mcr     p15, 0, r0, c5, c0, 2
        mcr     p15, 0, r0, c5, c0, 3
        ldr     r0, =0x00003079
        mcr     p15, 0, r0, c1, c0, 0
        ldr     sp, =STACK_TOP

        ldr     r0, =CLEAR_FROM
        ldr     r1, =CLEAR_TO
        mov     r2, #0
        mov     r3, #0
        mov     r4, #0
        mov     r5, #0
1:      stmia   r0!, {r2-r5}
        cmp     r0, r1
        bne     1b

        ldr     r4, =OWN
        ldr     r5, =CONFIG
        ldr     r0, =BLOCK_USUAL
        str     r0, [r4, #O_BLOCK]
        ldr     r1, [r5, #C_STATE]
        str     r1, [r0, #B_STATE]
        ldr     r0, =0x6E787363         @ events and faults have generators of their own, never 0
        eor     r0, r0, r1
        orr     r0, r0, #1
        str     r0, [r4, #O_EVENT_NOISE]
        ldr     r0, =0x2B7E1517
        eor     r0, r0, r1
        orr     r0, r0, #1
        str     r0, [r4, #O_FAULT_NOISE]
        ldrh    r0, [r5, #C_FAULTS]
        str     r0, [r4, #O_SWITCH]
        ldrh    r0, [r5, #C_TITLE]
        str     r0, [r4, #O_TIMER]
        mvn     r0, #0
        str     r0, [r4, #O_DRAWN_STAGE]
        ldr     r0, =PLAYER_2
        mov     r1, #1
        strb    r1, [r0, #P_NUMBER]

        bl      Screen_Init
        mov     r0, #IO
        mov     r1, #1
        str     r1, [r0, #IE]           @ vertical blank, which wakes us though the processor takes no interrupts
        str     r1, [r0, #IME]
        mov     r1, #8
        strh    r1, [r0, #DISPSTAT]
        b       MainLoop
        .pool
