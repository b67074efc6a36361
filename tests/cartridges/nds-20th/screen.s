@ The picture: nothing in here is part of the rules. Upper screen: the colour map, each player's pair and what is to come,
@ how many were dealt, the boards, and a point that moves with every pass. Both screens change their colour with the stage.

        .include "ram.inc"
        .text

CELL            = 16

@ Screen_Init: the upper screen shows video memory A dot by dot, the lower one only its backdrop.
        .global Screen_Init
Screen_Init:
        mov     r0, #IO
        ldr     r1, =0x8203
        str     r1, [r0, #POWCNT]
        mov     r1, #0x80
        strb    r1, [r0, #VRAMCNT_A]
        mov     r1, #0x20000
        str     r1, [r0]
        mov     r1, #0x10000
        ldr     r0, =IO_B
        str     r1, [r0]
        bx      lr

@ Blue, green ... by stage, two dots a word.
Backgrounds:
        .word   0x18631863, 0x20002000, 0x01000100, 0x10801080, 0x0C400C40, 0x080C080C
PausedColor:
        .word   0x00080008

@ By colour of the map, 1 to 5; 0 is a place without a puyo.
Puyos:  .word   0x14A514A5, 0x0C9F0C9F, 0x03060306, 0x7E087E08, 0x037F037F, 0x741A741A

@ Screen_Run: once a pass, what has changed.
        .global Screen_Run
Screen_Run:
        push    {r4-r8, lr}
        ldr     r4, =OWN
        ldr     r0, [r4, #O_STAGE]
        ldr     r1, [r4, #O_PAUSED]
        cmp     r1, #0
        movne   r0, #(PausedColor-Backgrounds)/4
        ldr     r1, [r4, #O_DRAWN_STAGE]
        cmp     r0, r1
        beq     2f
        str     r0, [r4, #O_DRAWN_STAGE]
        ldr     r1, =Backgrounds
        ldr     r3, [r1, r0, lsl #2]
        ldr     r1, =PALETTE_B
        strh    r3, [r1]
        mov     r1, #VRAM_A & 0x06000000
        add     r1, r1, #VRAM_A & 0x00800000
        add     r2, r1, #256*192*2
1:      str     r3, [r1], #4
        cmp     r1, r2
        bne     1b
        mvn     r0, #0
        ldr     r1, =PLAYER_1
        str     r0, [r1, #P_DRAWN]
        ldr     r1, =PLAYER_2
        str     r0, [r1, #P_DRAWN]

@ the map
        ldr     r6, [r4, #O_BLOCK]
        add     r6, r6, #B_MAP & 0xFF
        add     r6, r6, #B_MAP & 0xF00
        mov     r7, #0
3:      ldr     r2, [r6], #4
        mov     r0, #88
        add     r0, r0, r7, lsl #4
        mov     r1, #8
        bl      Screen_Puyo
        add     r7, r7, #1
        cmp     r7, #5
        bne     3b

2:      ldr     r5, =PLAYER_1
        mov     r6, #32
        bl      Screen_Player
        ldr     r5, =PLAYER_2
        mov     r6, #160
        bl      Screen_Player

@ the point
        ldr     r1, =VRAM_A+190*512
        ldr     r0, [r4, #O_FRAMES]
        and     r0, r0, #127
        ldr     r2, [r4, #O_SHOWN_BAR]
        str     r0, [r4, #O_SHOWN_BAR]
        mov     r3, #0
        str     r3, [r1, r2, lsl #2]
        mvn     r3, #0
        str     r3, [r1, r0, lsl #2]
        pop     {r4-r8, pc}

@ Screen_Player: player r5 from column r6 on: the pair in play, the next, the one after it, a bar two dots a pair, and the board.
Screen_Player:
        push    {r7, r8, lr}
        ldrb    r1, [r5, #P_COLORS]
        cmp     r1, #0
        beq     2f                      @ before the first round
        ldrh    r0, [r5, #P_DEALT]
        ldr     r1, [r5, #P_DRAWN]
        cmp     r0, r1
        beq     2f
        str     r0, [r5, #P_DRAWN]
        and     r8, r0, #63
        ldrh    r7, [r5, #P_CURRENT]
        mov     r0, r6
        mov     r1, #64
        bl      Screen_Pair
        ldrh    r7, [r5, #P_QUEUE]
        add     r0, r6, #28
        mov     r1, #48
        bl      Screen_Pair
        ldrh    r7, [r5, #P_QUEUE+2]
        add     r0, r6, #48
        mov     r1, #48
        bl      Screen_Pair

        ldr     r1, =VRAM_A+120*512
        add     r1, r1, r6, lsl #1
        mvn     r2, #0
        mov     r3, #0
1:      cmp     r3, r8
        movcs   r2, #0
        str     r2, [r1, r3, lsl #2]
        add     r3, r3, #1
        cmp     r3, #64-16
        bne     1b
        bl      Screen_Board
2:      pop     {r7, r8, pc}

@ Screen_Board: player r5's board from column r6 on, four dots by four a cell. Changes r0-r3, r7, r8, r12.
Screen_Board:
        push    {r4, r9, lr}
        ldrb    r0, [r5, #P_NUMBER]
        ldr     r4, =BOARD_1
        add     r4, r4, r0, lsl #7
        ldr     r9, =Puyos
        ldr     r8, =VRAM_A+123*512
        add     r8, r8, r6, lsl #1
        mov     r7, #BOARD_ROWS
1:      mov     r3, r8
        mov     r12, #BOARD_COLUMNS
2:      ldrb    r0, [r4], #1
        ldr     r0, [r9, r0, lsl #2]
        mov     r1, #4
3:      str     r0, [r3]
        str     r0, [r3, #4]
        add     r3, r3, #512
        subs    r1, r1, #1
        bne     3b
        sub     r3, r3, #4*512
        add     r3, r3, #12             @ six dots on
        subs    r12, r12, #1
        bne     2b
        add     r8, r8, #5*512
        subs    r7, r7, #1
        bne     1b
        pop     {r4, r9, pc}

@ Screen_Pair: digits r7 at column r0, row r1: the child above the axis.
Screen_Pair:
        push    {r4-r6, lr}
        mov     r4, r0
        mov     r5, r1
        mov     r2, r7, lsr #8
        bl      Screen_Digit
        mov     r0, r4
        add     r1, r5, #CELL
        and     r2, r7, #0xFF
        bl      Screen_Digit
        pop     {r4-r6, pc}

@ Screen_Digit: a pool's digit r2, by way of the map.
Screen_Digit:
        cmp     r2, #5
        movcs   r2, #0
        bcs     Screen_Puyo
        ldr     r3, =OWN
        ldr     r3, [r3, #O_BLOCK]
        add     r3, r3, #B_MAP & 0xFF
        add     r3, r3, #B_MAP & 0xF00
        ldr     r2, [r3, r2, lsl #2]

@ Screen_Puyo: a square of colour r2 of the map at column r0, row r1. Changes r0-r3, r12.
Screen_Puyo:
        cmp     r2, #6
        movcs   r2, #0
        ldr     r3, =Puyos
        ldr     r2, [r3, r2, lsl #2]
        ldr     r3, =VRAM_A
        add     r3, r3, r1, lsl #9
        add     r3, r3, r0, lsl #1
        mov     r1, #CELL-2
1:      mov     r0, #(CELL-2)/2
2:      str     r2, [r3], #4
        subs    r0, r0, #1
        bne     2b
        add     r3, r3, #512-(CELL-2)*2
        subs    r1, r1, #1
        bne     1b
        bx      lr
