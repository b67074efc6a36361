@ What pops on player 1's board, and what falls afterwards. Rule 8.
@ Registers as in hand.s.

        .include "ram.inc"
        .text

GROUP           = 4                     @ puyos that pop
LOOKED_AT       = 0x80                  @ in the grid, with the colour
GOES            = 0xFF

@ Chain_Step: the groups found pop, everything falls, and the next ones are looked for. Changes r0-r3, r12.
        .global Chain_Step
Chain_Step:
        push    {r7, lr}
        bl      Board_At
        mov     r12, r0
        add     r0, r0, #HIDDEN_ROWS*BOARD_COLUMNS
        ldr     r1, =GRID+GRID_ROW+1
        mov     r2, #VISIBLE_ROWS
1:      mov     r3, #BOARD_COLUMNS
2:      ldrb    r7, [r1], #1
        cmp     r7, #GOES
        moveq   r7, #0
        strbeq  r7, [r0]
        add     r0, r0, #1
        subs    r3, r3, #1
        bne     2b
        add     r1, r1, #GRID_ROW-BOARD_COLUMNS
        subs    r2, r2, #1
        bne     1b

        add     r12, r12, #(BOARD_ROWS-1)*BOARD_COLUMNS
        mov     r7, #BOARD_COLUMNS
        mov     lr, #0
3:      mov     r0, r12                 @ from here
        mov     r1, r12                 @ to here
        mov     r2, #BOARD_ROWS
4:      ldrb    r3, [r0]
        cmp     r3, #0
        beq     5f
        strb    lr, [r0]
        strb    r3, [r1], #-BOARD_COLUMNS
5:      sub     r0, r0, #BOARD_COLUMNS
        subs    r2, r2, #1
        bne     4b
        add     r12, r12, #1
        subs    r7, r7, #1
        bne     3b
        pop     {r7, lr}

@ Chain_Begin, which Chain_Step falls into: what pops next and when, or when the next pair appears.
        .global Chain_Begin
Chain_Begin:
        push    {lr}
        bl      Chain_Search
        cmp     r0, #0
        movne   r0, #HAND_CHAIN
        ldrhne  r1, [r6, #C_CHAIN]
        moveq   r0, #HAND_WAITS
        ldrheq  r1, [r6, #C_DELAY]
        strb    r0, [r5, #P_HAND]
        str     r1, [r5, #P_TIMER]
        pop     {pc}

@ Chain_Search: how many groups of the visible rows pop in r0; the grid says which cells. Changes r1-r3, r12.
Chain_Search:
        push    {r4, r6-r11, lr}
        bl      Board_At
        add     r0, r0, #HIDDEN_ROWS*BOARD_COLUMNS
        ldr     r4, =GRID               @ the visible rows, with nothing around them
        mov     r1, #0
        mov     r2, #GRID_BYTES
1:      subs    r2, r2, #4
        str     r1, [r4, r2]
        bne     1b
        add     r1, r4, #GRID_ROW+1
        mov     r2, #VISIBLE_ROWS
2:      mov     r3, #BOARD_COLUMNS
3:      ldrb    r12, [r0], #1
        strb    r12, [r1], #1
        subs    r3, r3, #1
        bne     3b
        add     r1, r1, #GRID_ROW-BOARD_COLUMNS
        subs    r2, r2, #1
        bne     2b

        mov     r11, #0
        add     r6, r4, #GRID_ROW+1     @ the cell at hand
        add     r7, r4, #GRID_ROW*(VISIBLE_ROWS+1)
4:      ldrb    r8, [r6]
        sub     r0, r8, #1
        cmp     r0, #5                  @ a colour, and not looked at
        blcc    Group_Find
        add     r6, r6, #1
        cmp     r6, r7
        bne     4b
        mov     r0, r11
        pop     {r4, r6-r11, pc}

@ Group_Find: the group of colour r8 at r6; counted in r11 and marked when it pops.
Group_Find:
        push    {lr}
        ldr     r9, =LIST               @ from here on to be looked round,
        mov     r10, r9                 @ up to here
        mov     r0, r6
        bl      Join
1:      ldr     r12, [r9], #4
        sub     r0, r12, #1
        bl      Join
        add     r0, r12, #1
        bl      Join
        sub     r0, r12, #GRID_ROW
        bl      Join
        add     r0, r12, #GRID_ROW
        bl      Join
        cmp     r9, r10
        bne     1b
        ldr     r0, =LIST
        sub     r1, r10, r0
        cmp     r1, #4*GROUP
        bcc     3f
        add     r11, r11, #1
        mov     r1, #GOES
2:      ldr     r2, [r0], #4
        strb    r1, [r2]
        cmp     r0, r10
        bne     2b
3:      pop     {pc}

@ Join: the cell at r0 joins the list when it is of colour r8. Changes r1.
Join:
        ldrb    r1, [r0]
        cmp     r1, r8
        bxne    lr
        orr     r1, r1, #LOOKED_AT
        strb    r1, [r0]
        str     r0, [r10], #4
        bx      lr
        .pool
