@ Rule 3: dealing. The game's own queues are not documented, so these lie outside of its block.

        .include "ram.inc"
        .text

@ Queue_Pair: the pair with number r6 from player r5's pool, axis in the low byte of r0, child in the next.
Queue_Pair:
        ldr     r1, =OWN
        ldr     r1, [r1, #O_BLOCK]
        add     r1, r1, #B_POOL_3 & 0xFF
        add     r1, r1, #B_POOL_3 & 0xF00
        ldrb    r2, [r5, #P_COLORS]
        sub     r2, r2, #3
        add     r1, r1, r2, lsl #8
        and     r2, r6, #127            @ the pool is a ring of 128 pairs
        add     r1, r1, r2, lsl #1
        ldrb    r0, [r1]
        ldrb    r1, [r1, #1]
        orr     r0, r0, r1, lsl #8
        bx      lr

@ Queue_Fill: player r5 begins a round with pairs 0 and 1 to come.
        .global Queue_Fill
Queue_Fill:
        push    {r6, r7, lr}
        mov     r6, #0
        bl      Queue_Pair
        mov     r7, r0
        mov     r6, #1
        bl      Queue_Pair
        orr     r0, r7, r0, lsl #16
        str     r0, [r5, #P_QUEUE]
        mov     r0, #0
        strh    r0, [r5, #P_DEALT]
        mvn     r0, #0
        strh    r0, [r5, #P_CURRENT]
        mov     r0, #HAND_WAITS
        strb    r0, [r5, #P_HAND]
        bl      Board_Clear
        pop     {r6, r7, pc}

@ Queue_Deal: the pair in play lands, and player r5 gets the next one.
        .global Queue_Deal
Queue_Deal:
        push    {lr}
        bl      Board_Land
        pop     {lr}

@ Queue_Next, which Queue_Deal falls into: player r5 gets the first pair to come; the second moves up, and a new one is drawn: its
@ number is what the count of pairs dealt will be when it has become the first.
        .global Queue_Next
Queue_Next:
        push    {r6, lr}
        ldrh    r6, [r5, #P_DEALT]
        add     r6, r6, #2
        bl      Queue_Pair
        bl      Fault_Deal
        ldr     r1, [r5, #P_QUEUE]
        strh    r1, [r5, #P_CURRENT]
        mov     r1, r1, lsr #16
        orr     r1, r1, r0, lsl #16
        str     r1, [r5, #P_QUEUE]
        sub     r6, r6, #1
        strh    r6, [r5, #P_DEALT]
        ldr     r1, =OWN
        ldr     r0, [r1, #O_DEALT]
        add     r0, r0, #1
        str     r0, [r1, #O_DEALT]
        pop     {r6, pc}
