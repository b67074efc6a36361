| The picture: nothing in here is part of the rules. Boards, pairs to come, what the RAM cells say.
| Without a video chip behind the ports it does no harm: it only writes.

        .include "ram.inc"
        .text

        .include "../genesis/picture.inc"

| Texts: column, row, characters, 0 ... and column 0 at the end.
Labels: .byte   11, 0
        .asciz  "NEXTSCOPE TSU TEST"
        .byte   9, 1
        .asciz  "RANK"
        .byte   16, 1
        .asciz  "POP"
        .byte   22, 1
        .asciz  "LEVELS"
        .byte   32, 1
        .asciz  "FAULTS"
        .byte   NEXT_X_1+2, 2
        .asciz  "NEXT"
        .byte   16, 19
        .asciz  "ROUND"
        .byte   16, 21
        .asciz  "RNG"
        .byte   16, 23
        .asciz  "PAIRS"
        .byte   16, 25
        .asciz  "FAULTS"
        .byte   0
Versus: .byte   2, 1
        .asciz  "VERSUS"
        .byte   0
Story:  .byte   2, 1
        .asciz  "STORY "
        .byte   0
        .even

| Screen_Texts: the list at a2.
Screen_Texts:
        moveq   #0,d0
        move.b  (a2)+,d0
        beq.s   4f
        moveq   #0,d1
        move.b  (a2)+,d1
        bsr     Screen_At
1:      moveq   #0,d0
        move.b  (a2)+,d0
        beq.s   Screen_Texts
        subi.b  #' ',d0
        beq.s   3f
        addi.w  #TILE_TEXT+' '-'0',d0
        cmpi.w  #TILE_TEXT+9,d0
        bls.s   3f
        subq.w  #'A'-'9'-1,d0
3:      move.w  d0,(a1)
        bra.s   1b
4:      rts

| Screen_Run: once a pass, what may have changed since the last one (boards are drawn as they change).
        .global Screen_Run
Screen_Run:
        lea     (VDP_CONTROL).l,a0
        lea     (VDP_DATA).l,a1
        moveq   #0,d0
        move.b  (StateId).l,d0
        tst.b   (PauseFlag).l
        beq.s   1f
        moveq   #(PauseBackground-Backgrounds)/2,d0
1:      add.w   d0,d0
        move.l  #0xC0000000,(a0)
        lea     (Backgrounds,pc),a2
        move.w  (a2,d0.w),(a1)

        lea     (Story,pc),a2
        tst.b   (GameMode).l
        beq.s   2f
        lea     (Versus,pc),a2
2:      bsr.s   Screen_Texts
        lea     (Numbers,pc),a2
3:      move.w  (a2)+,d0                | column, row
        beq.s   4f
        moveq   #0,d1
        move.b  d0,d1
        lsr.w   #8,d0
        bsr     Screen_At
        move.w  (a2)+,d3                | digits
        movea.l (a2)+,a3
        bsr.s   Screen_Hex
        bra.s   3b

4:      tst.l   (RoundNumber).l
        beq.s   5f
        lea     (Queue1).l,a2
        moveq   #NEXT_X_1,d6
        bsr     Screen_Queue
        lea     (Queue2).l,a2
        moveq   #NEXT_X_2,d6
        bsr     Screen_Queue
5:      bra     Screen_Sprites

| Numbers: column and row, digits, cell.
Numbers:
        .word   14*256+1, 1
        .long   Rank
        .word   20*256+1, 1
        .long   Options+OPT_POP_COUNT
        .word   29*256+1, 1
        .long   Player1+P_LEVEL
        .word   30*256+1, 1
        .long   Player2+P_LEVEL
        .word   39*256+1, 1
        .long   FaultSwitch
        .word   16*256+20, 8
        .long   RoundNumber
        .word   16*256+22, 8
        .long   RngState
        .word   16*256+24, 8
        .long   PairsDealt
        .word   16*256+26, 8
        .long   FaultCount
        .word   0

| Screen_Hex: d3 digits from a3, a single digit being the low half of a byte.
Screen_Hex:
        move.b  (a3)+,d1
        cmpi.w  #1,d3
        beq.s   1f
        move.b  d1,d2
        lsr.b   #4,d2
        bsr.s   2f
        subq.w  #1,d3
1:      move.b  d1,d2
        bsr.s   2f
        subq.w  #1,d3
        bgt.s   Screen_Hex
        rts
2:      andi.w  #0x000F,d2
        addi.w  #TILE_TEXT,d2
        move.w  d2,(a1)
        rts

| Screen_Queue: the three pairs of queue a2 in column d6, each child above axis.
Screen_Queue:
        moveq   #BOARD_Y,d7
        moveq   #3-1,d5
1:      move.w  d6,d0
        move.w  d7,d1
        moveq   #0,d2
        move.b  1(a2),d2
        bsr.s   Screen_Puyo
        move.w  d6,d0
        move.w  d7,d1
        addq.w  #2,d1
        moveq   #0,d2
        move.b  (a2),d2
        bsr.s   Screen_Puyo
        addq.l  #2,a2
        addq.w  #5,d7
        dbf     d5,1b
        rts

| Screen_Board: board a4 of player a2 as empty.
        .global Screen_Board
Screen_Board:
        moveq   #BOARD_ROWS-1,d4
1:      moveq   #BOARD_COLUMNS-1,d5
2:      move.w  d4,d0
        move.w  d5,d1
        moveq   #-1,d2
        bsr     Screen_Cell
        dbf     d5,2b
        dbf     d4,1b
        rts

| Screen_Cell: row d0, column d1 of player a2's board shows colour code d2 (negative: nothing). Changes d0-d3, a0, a1.
        .global Screen_Cell
Screen_Cell:
        subq.w  #2,d0
        bcs.s   2f                      | the two rows above the visible ones
        add.w   d0,d0
        addq.w  #BOARD_Y,d0
        add.w   d1,d1
        addq.w  #BOARD_X_1,d1
        tst.b   P_NUMBER(a2)
        beq.s   1f
        addi.w  #BOARD_X_2-BOARD_X_1,d1
1:      exg     d0,d1
        lea     (VDP_CONTROL).l,a0
        lea     (VDP_DATA).l,a1
        bra.s   Screen_Puyo
2:      rts

| Screen_Puyo: two by two tiles at column d0, row d1 for colour code d2 (negative: nothing).
Screen_Puyo:
        bsr.s   Screen_At
        moveq   #0,d3
        tst.w   d2
        bmi.s   1f
        andi.w  #7,d2
        lsl.w   #2,d2
        addq.w  #TILE_PUYO,d2
        moveq   #1,d3
        bra.s   2f
1:      moveq   #0,d2
2:      move.w  d2,(a1)
        add.w   d3,d2
        add.w   d3,d2
        move.w  d2,(a1)
        sub.w   d3,d2
        addi.l  #128<<16,d1             | one row down
        move.l  d1,(a0)
        move.w  d2,(a1)
        add.w   d3,d2
        add.w   d3,d2
        move.w  d2,(a1)
        rts

| Screen_At: the next tiles go to column d0, row d1 (d1 = the command).
Screen_At:
        lsl.w   #6,d1
        add.w   d0,d1
        add.w   d1,d1
        swap    d1
        move.w  #PLANE>>14,d1
        ori.l   #0x40000000,d1
        move.l  d1,(a0)
        rts

| Screen_Sprites: the four puyos in the air.
Screen_Sprites:
        move.l  #0x70000003,(a0)        | F000
        lea     (Objects).l,a2
        moveq   #0,d7
1:      moveq   #0,d0                   | off the screen
        moveq   #0,d1
        moveq   #0,d2
        tst.w   O_TAG(a2)
        beq.s   2f
        move.w  O_ROW(a2),d0
        lsl.w   #4,d0
        move.w  O_SUB_ROW(a2),d1
        rol.w   #4,d1
        andi.w  #0x000F,d1
        add.w   d1,d0
        addi.w  #128+BOARD_Y*8-32,d0
        move.w  O_COLUMN(a2),d1
        lsl.w   #4,d1
        addi.w  #128+BOARD_X_1*8,d1
        tst.b   O_PLAYER(a2)
        beq.s   3f
        addi.w  #(BOARD_X_2-BOARD_X_1)*8,d1
3:      move.b  O_COLOR(a2),d2
        andi.w  #7,d2
        lsl.w   #2,d2
        addq.w  #TILE_PUYO,d2
2:      move.w  d0,(a1)
        move.w  d7,d3
        addq.w  #1,d3
        andi.w  #3,d3                   | the last links back to 0: the end
        ori.w   #0x0500,d3              | two by two tiles
        move.w  d3,(a1)
        move.w  d2,(a1)
        move.w  d1,(a1)
        lea     OBJECT_BYTES(a2),a2
        addq.w  #1,d7
        cmpi.w  #4,d7
        bne.s   1b
        rts
