@ The keys' hand: how they move and turn player 1's pair, how it falls and comes to rest. Rule 7.
@ In here r4 = OWN, r5 = player, r6 = CONFIG. Rows count downwards; row 0 is above the board, and nothing ever lies in it.

        .include "ram.inc"
        .text

SPAWN_COLUMN    = 2
SPAWN_ROW       = 2
HIGHEST_AXIS    = 1
ROWS            = BOARD_ROWS+1

@ Hand_Run: one pass. Changes r0-r3, r7, r12.
        .global Hand_Run
Hand_Run:
        push    {r8, r9, lr}
        ldrb    r0, [r5, #P_HAND]
        cmp     r0, #HAND_MOVES
        beq     Hand_Move
        ldr     r1, [r5, #P_TIMER]
        subs    r1, r1, #1
        str     r1, [r5, #P_TIMER]
        bgt     2f
        cmp     r0, #HAND_CHAIN
        bne     1f
        bl      Chain_Step
        b       2f

@ the next pair; who has lost gets an empty board for it
1:      bl      Board_At
        ldrb    r1, [r0, #(SPAWN_ROW-1)*BOARD_COLUMNS+SPAWN_COLUMN]
        cmp     r1, #0
        blne    Board_Clear
        bl      Queue_Next
        mov     r0, #SPAWN_COLUMN
        strb    r0, [r5, #P_COLUMN]
        mov     r0, #SPAWN_ROW
        strb    r0, [r5, #P_ROW]
        mov     r0, #0
        strb    r0, [r5, #P_TURNS]
        strb    r0, [r5, #P_QUICK]
        strb    r0, [r5, #P_FALL]
        mov     r0, #HAND_MOVES
        strb    r0, [r5, #P_HAND]
2:      pop     {r8, r9, pc}

@ Hand_Move: first it turns, then it moves, then it falls. Ends Hand_Run.
Hand_Move:
        ldr     r8, [r4, #O_PRESSED]
        ldr     r9, [r4, #O_KEYS]
        mov     r7, #3                  @ B: anticlockwise
        tst     r8, #KEY_B
        bne     1f
        mov     r7, #1                  @ A: clockwise
        tst     r8, #KEY_A
        beq     2f
1:      bl      Pair_Turn
2:      mvn     r7, #0
        tst     r8, #KEY_LEFT
        bne     3f
        mov     r7, #1
        tst     r8, #KEY_RIGHT
        beq     4f
3:      bl      Pair_Shift
4:      mov     r0, #0
        mov     r1, #1
        bl      Pair_Blocked
        bne     6f
        mov     r0, #0
        tst     r9, #KEY_DOWN
        beq     5f
        ldrb    r0, [r5, #P_FALL]       @ Down held: a row every so many passes
        add     r0, r0, #1
        ldrh    r1, [r6, #C_FALL]
        cmp     r0, r1
        bcc     5f
        ldrb    r0, [r5, #P_ROW]
        add     r0, r0, #1
        strb    r0, [r5, #P_ROW]
        mov     r0, #0
5:      strb    r0, [r5, #P_FALL]
        pop     {r8, r9, pc}
6:      tst     r9, #KEY_DOWN           @ it rests until Down is held
        blne    Pair_Put
        pop     {r8, r9, pc}

@ Pair_Put: both puyos drop onto what is below them, the lower one first, and what they complete begins to pop.
Pair_Put:
        push    {r8, lr}
        ldrb    r8, [r5, #P_TURNS]
        cmp     r8, #2
        bleq    Put_Child
        ldrb    r7, [r5, #P_COLUMN]
        ldrb    r0, [r5, #P_CURRENT]
        bl      Board_Drop
        cmp     r8, #2
        blne    Put_Child
        mvn     r0, #0
        strh    r0, [r5, #P_CURRENT]
        pop     {r8, lr}
        b       Chain_Begin

Put_Child:
        push    {lr}
        mov     r2, r8
        bl      Beside
        mov     r7, r0
        ldrb    r0, [r5, #P_CURRENT+1]
        bl      Board_Drop
        pop     {pc}

@ Pair_Shift: r7 columns over (1 or -1), if both cells are free.
Pair_Shift:
        push    {lr}
        mov     r0, r7
        mov     r1, #0
        bl      Pair_Blocked
        bne     1f
        ldrb    r0, [r5, #P_COLUMN]
        add     r0, r0, r7
        strb    r0, [r5, #P_COLUMN]
        mov     r0, #0
        strb    r0, [r5, #P_QUICK]
1:      pop     {pc}

@ Pair_Turn: r7 quarters clockwise (1 or 3), or half round when the press before was blocked on both sides.
Pair_Turn:
        push    {r8, lr}
        ldrb    r8, [r5, #P_TURNS]
        ldrb    r0, [r5, #P_QUICK]
        cmp     r0, #0
        bne     3f
        add     r8, r8, r7
        and     r8, r8, #3
        bl      Beside_Taken
        beq     5f
        tst     r8, #1
        bne     1f
        cmp     r8, #0
        bne     4f
        pop     {r8, pc}                @ up, and something is there: it stays as it is

1:      eor     r8, r8, #2              @ to a side: the axis gives way to the other one
        bl      Beside_Taken
        bne     2f
        eor     r8, r8, #2
        strb    r0, [r5, #P_COLUMN]
        b       5f
2:      mov     r0, #1
        strb    r0, [r5, #P_QUICK]
        pop     {r8, pc}

3:      ldrb    r0, [r5, #P_ROW]        @ axis and child change places
        eors    r8, r8, #2
        addeq   r0, r0, #1
        beq     6f
        cmp     r0, #HIGHEST_AXIS
        subne   r0, r0, #1
        bne     6f
        pop     {r8, pc}                @ no higher: nothing turns

4:      ldrb    r1, [r5, #P_ROW]        @ the child goes below, where something is: the axis goes up a row for it
        cmp     r1, #HIGHEST_AXIS
        popeq   {r8, pc}
        sub     r1, r1, #1
        ldrb    r0, [r5, #P_COLUMN]
        bl      Cell_Taken
        popne   {r8, pc}
        mov     r0, #0
        strb    r0, [r5, #P_FALL]
        strb    r1, [r5, #P_ROW]
        b       5f
6:      strb    r0, [r5, #P_ROW]
5:      strb    r8, [r5, #P_TURNS]
        mov     r0, #0
        strb    r0, [r5, #P_QUICK]
        pop     {r8, pc}

@ Pair_Blocked: Z set when both puyos have room r0 columns and r1 rows further. Changes r0-r3.
Pair_Blocked:
        push    {r8, r9, lr}
        ldrb    r2, [r5, #P_COLUMN]
        add     r8, r0, r2
        ldrb    r2, [r5, #P_ROW]
        add     r9, r1, r2
        mov     r0, r8
        mov     r1, r9
        bl      Cell_Taken
        bne     1f
        ldrb    r2, [r5, #P_TURNS]
        mov     r0, r8
        mov     r1, r9
        bl      Beside_Cell
        bl      Cell_Taken
1:      pop     {r8, r9, pc}

@ Beside_Taken: as Cell_Taken, of the cell beside the axis in direction r8; r0, r1 are its column and row.
Beside_Taken:
        push    {lr}
        mov     r2, r8
        bl      Beside
        bl      Cell_Taken
        pop     {pc}

@ Beside: column r0 and row r1 of the cell beside the axis in direction r2; Beside_Cell: beside column r0, row r1. Change r2, r3.
Beside:
        ldrb    r0, [r5, #P_COLUMN]
        ldrb    r1, [r5, #P_ROW]
Beside_Cell:
        ldr     r3, =Around
        add     r3, r3, r2, lsl #1
        ldrsb   r2, [r3]
        add     r0, r0, r2
        ldrsb   r2, [r3, #1]
        add     r1, r1, r2
        bx      lr

@ Around: column and row beside the axis: up, right, down, left.
Around: .byte   0, -1,  1, 0,  0, 1,  -1, 0

@ Cell_Taken: Z clear when there is something in column r0, row r1 of player r5's board, or no such cell. Changes r2, r3.
Cell_Taken:
        cmp     r0, #BOARD_COLUMNS
        cmpcc   r1, #ROWS
        bcs     1f
        cmp     r1, #0
        bxeq    lr
        ldrb    r2, [r5, #P_NUMBER]
        ldr     r3, =BOARD_1-BOARD_COLUMNS
        add     r2, r3, r2, lsl #7
        add     r3, r1, r1, lsl #1
        add     r2, r2, r3, lsl #1
        ldrb    r2, [r2, r0]
        cmp     r2, #0
        bx      lr
1:      movs    r2, #1
        bx      lr
        .pool
