@ Rule 2: colour map and pools.

        .include "ram.inc"
        .text

@ Generate: everything a round is made of, from the current state. 1973 steps, unless the block says the other shuffle.
        .global Generate
Generate:
        push    {r4-r10, lr}
        ldr     r4, =OWN
        ldr     r9, [r4, #O_BLOCK]

@ 2.1: five colours in a row, one after the other taken out
        sub     sp, sp, #8
        mov     r0, #1
        mov     r1, sp
1:      strb    r0, [r1], #1
        add     r0, r0, #1
        cmp     r0, #6
        bne     1b
        add     r5, r9, #B_MAP & 0xFF
        add     r5, r5, #B_MAP & 0xF00
        mov     r6, #5                  @ how many are left
2:      mov     r0, r6
        bl      Random
        ldrb    r1, [sp, r0]
        str     r1, [r5], #4
        add     r2, sp, r0
3:      ldrb    r1, [r2, #1]            @ close the gap (the byte behind the fifth does not matter)
        strb    r1, [r2], #1
        add     r0, r0, #1
        cmp     r0, r6
        blt     3b
        subs    r6, r6, #1
        bne     2b
        add     sp, sp, #8

@ 2.2: the pools of 3, 4 and 5 colours
        ldr     r0, [r9, #B_ALTERNATE]
        mov     r10, r0, lsr #15        @ nonzero = the other way
        add     r5, r9, #B_POOL_3 & 0xFF
        add     r5, r5, #B_POOL_3 & 0xF00
        mov     r6, #3
4:      bl      Pool_Fill
        cmp     r10, #0
        bleq    Pool_Shuffle
        cmp     r10, #0
        blne    Pool_OtherShuffle
        add     r5, r5, #256
        add     r6, r6, #1
        cmp     r6, #6
        bne     4b

@ 2.3: all three begin with the same two pairs
        cmp     r10, #0
        bne     5f
        sub     r5, r5, #768
        ldr     r0, [r5]
        str     r0, [r5, #256]
        str     r0, [r5, #512]
5:      pop     {r4-r10, pc}

@ Pool_Fill: 0, 1 ... r6 - 1, 0, 1 ... in the pool at r5.
Pool_Fill:
        mov     r0, #0                  @ place
        mov     r1, #0                  @ colour
1:      strb    r1, [r5, r0]
        add     r1, r1, #1
        cmp     r1, r6
        moveq   r1, #0
        add     r0, r0, #1
        cmp     r0, #256
        bne     1b
        bx      lr

@ Pool_Shuffle: the pool at r5 in rows of 16, then 32, then 64: a place of each row with a place of the next,
@ half as often as a row is long.
Pool_Shuffle:
        push    {r4, r6-r8, r11, lr}
        mov     r4, #16                 @ row length
1:      mov     r6, r5                  @ row
2:      mov     r7, r4, lsr #1          @ swaps left
3:      mov     r0, r4
        bl      Random
        add     r8, r6, r0
        mov     r0, r4
        bl      Random
        add     r11, r6, r4
        add     r11, r11, r0
        ldrb    r0, [r8]
        ldrb    r1, [r11]
        strb    r1, [r8]
        strb    r0, [r11]
        subs    r7, r7, #1
        bne     3b
        add     r6, r6, r4
        add     r0, r5, #256
        sub     r0, r0, r4
        cmp     r6, r0                  @ the last row has none below it
        bne     2b
        mov     r4, r4, lsl #1
        cmp     r4, #128
        bne     1b
        pop     {r4, r6-r8, r11, pc}

@ Pool_OtherShuffle: nobody has written down what the game does here, so this is an invention: from the end of the pool at r5,
@ each place with one at or before it.
Pool_OtherShuffle:
        push    {r7, lr}
        mov     r7, #255
1:      add     r0, r7, #1
        bl      Random
        ldrb    r1, [r5, r0]
        ldrb    r2, [r5, r7]
        strb    r2, [r5, r0]
        strb    r1, [r5, r7]
        subs    r7, r7, #1
        bne     1b
        pop     {r7, pc}
