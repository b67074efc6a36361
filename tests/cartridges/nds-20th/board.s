@ Rule 5: the boards. Where the game keeps its own is not known.

        .include "ram.inc"
        .text

@ Board_At: player r5's board in r0. Changes r1.
        .global Board_At
Board_At:
        ldrb    r0, [r5, #P_NUMBER]
        ldr     r1, =BOARD_1
        add     r0, r1, r0, lsl #7      @ BOARD_2 - BOARD_1
        bx      lr

@ Board_Clear: nothing lies on player r5's board. Changes r0-r2.
        .global Board_Clear
Board_Clear:
        push    {lr}
        bl      Board_At
        mov     r1, #0
        mov     r2, #BOARD_BYTES
1:      subs    r2, r2, #1
        strb    r1, [r0], #1
        bne     1b
        pop     {pc}

@ Board_Land: player r5's pair in play, if there is one, falls into the column of its number: the axis to the lowest free cell, the
@ child upon it. A column without room for both: the board is emptied first. Changes r0-r3, r12.
        .global Board_Land
Board_Land:
        push    {r6, r7, lr}
        ldrh    r6, [r5, #P_CURRENT]
        add     r0, r6, #1
        cmp     r0, #0x10000
        beq     1f                      @ FF FF: none yet
        ldrh    r0, [r5, #P_DEALT]
        sub     r0, r0, #1
        mov     r1, #BOARD_COLUMNS
        bl      Divide
        mov     r7, r1
        bl      Board_At
        add     r0, r0, r7
        ldrb    r0, [r0, #BOARD_COLUMNS]
        cmp     r0, #0                  @ the second row from the top
        blne    Board_Clear
        and     r0, r6, #0xFF
        bl      Board_Drop
        mov     r0, r6, lsr #8
        bl      Board_Drop
1:      pop     {r6, r7, pc}

@ Board_Drop: a pool's digit r0, by way of the map, to the lowest free cell of column r7 of player r5; lost when there is none.
@ Changes r0-r3.
        .global Board_Drop
Board_Drop:
        push    {lr}
        ldr     r2, =OWN
        ldr     r2, [r2, #O_BLOCK]
        add     r2, r2, #B_MAP & 0xFF
        add     r2, r2, #B_MAP & 0xF00
        ldr     r2, [r2, r0, lsl #2]
        bl      Board_At
        add     r0, r0, r7
        mov     r3, #BOARD_ROWS-1
        add     r0, r0, #BOARD_COLUMNS*(BOARD_ROWS-1)
1:      ldrb    r1, [r0]
        cmp     r1, #0
        strbeq  r2, [r0]
        popeq   {pc}
        sub     r0, r0, #BOARD_COLUMNS
        subs    r3, r3, #1
        bpl     1b
        pop     {pc}
