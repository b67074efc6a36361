| What pops, what that is worth, and what falls afterwards.
| Registers as in players.s; a2-a6 are preserved, everything else is changed.

        .include "ram.inc"
        .text

VISITED            = 0x01                  | in the grid: looked at already,
GOES            = 0x7F                  | pops, or is garbage beside what does,
SOFTENS         = 0x6E                  | a hard block beside what pops: garbage afterwards
BONUS_MOST      = 999

| Chain_Begin: after a pair was put down.
        .global Chain_Begin
Chain_Begin:
        clr.b   P_CHAIN(a2)
        bsr     Chain_Search
        tst.w   (CFG_CHAIN).l
        beq.s   Chain_Finish
        rts

| Chain_Pass: one pass of a chain, if one runs.
        .global Chain_Pass
Chain_Pass:
        tst.b   OWN_CHAIN(a6)
        beq.s   1f
        subq.w  #1,OWN_WAIT(a6)
        bhi.s   1f
        tst.b   OWN_POPPED(a6)
        bne.s   2f
        bsr     Chain_Score
        bsr     Chain_Pop
        bsr.s   Fall_Rows
        lea     (CFG_CHAIN_ROWS).l,a0
        bsr     Time_Of
        beq.s   2f
        move.w  d0,OWN_WAIT(a6)
        st      OWN_POPPED(a6)
        bra     Board_Draw
2:      bsr.s   Chain_Fall
        bra     Board_Draw
1:      rts

| Fall_Rows: d0 = the most rows that anything on board a4 will fall.
Fall_Rows:
        moveq   #0,d0
        moveq   #BOARD_COLUMNS-1,d1
1:      lea     LOWEST_ROW*ROW_BYTES(a4),a0
        adda.w  d1,a0
        adda.w  d1,a0
        moveq   #0,d2                   | empty cells up to here
        moveq   #BOARD_ROWS-1,d3
2:      tst.b   (a0)
        bne.s   3f
        addq.w  #1,d2
        bra.s   4f
3:      cmp.w   d0,d2
        ble.s   4f
        move.w  d2,d0
4:      lea     -ROW_BYTES(a0),a0
        dbf     d3,2b
        dbf     d1,1b
        rts

| Chain_Finish: the chain to its end, if one runs.
        .global Chain_Finish
Chain_Finish:
        tst.b   OWN_CHAIN(a6)
        beq.s   2f
1:      tst.b   OWN_POPPED(a6)
        bne.s   3f
        bsr     Chain_Score
        bsr     Chain_Pop
3:      bsr.s   Chain_Fall
        tst.b   OWN_CHAIN(a6)
        bne.s   1b
        bra     Board_Draw
2:      rts

| Chain_Fall: the groups have popped, everything falls, and the next ones are looked for.
Chain_Fall:
        clr.b   OWN_POPPED(a6)
        bsr     Board_Fall

| Chain_Search, which Chain_Fall falls into: the grid says which of the visible cells go, the list which groups pop, OWN_CHAIN
| whether any does. Group by group: from a cell on, those of its colour beside it join the list until its end is reached.
Chain_Search:
        lea     B_GRID(a4),a0
        moveq   #(VISIBLE_ROWS+2)*GRID_ROW/4-1,d1
1:      clr.l   (a0)+
        dbf     d1,1b
        lea     GRID_FIRST(a4),a0
        lea     HIDDEN_ROWS*ROW_BYTES(a4),a1
        moveq   #VISIBLE_ROWS-1,d1
2:      moveq   #BOARD_COLUMNS-1,d2
3:      move.b  (a1),(a0)+
        addq.l  #2,a1
        dbf     d2,3b
        addq.l  #GRID_ROW-BOARD_COLUMNS,a0
        dbf     d1,2b

        movem.l a2-a3/a5,-(sp)
        lea     GRID_FIRST(a4),a0       | the cell after the one at hand
        lea     B_GROUPS(a4),a3
        moveq   #0,d6
        move.b  (Options+OPT_POP_COUNT).l,d6
        moveq   #0,d7                   | groups that pop
        moveq   #VISIBLE_ROWS-1,d5
4:      moveq   #BOARD_COLUMNS-1,d4
5:      move.b  (a0)+,d0
        bpl.s   6f                      | nothing, or looked at
        cmpi.b  #CELL_GARBAGE,d0
        bcc.s   6f
        bsr.s   Group_Find
6:      dbf     d4,5b
        addq.l  #GRID_ROW-BOARD_COLUMNS,a0
        dbf     d5,4b
        movem.l (sp)+,a2-a3/a5
        move.w  (CFG_CHAIN).l,OWN_WAIT(a6)
        move.b  d7,P_GROUPS(a2)
        sne     OWN_CHAIN(a6)
        bne.s   8f

| Nothing of a controller's board is left after a chain: the next pair takes longer.
        tst.b   P_CHAIN(a2)
        beq.s   8f
        tst.b   OWN_HAND(a6)
        beq.s   8f
        lea     LOWEST_ROW*ROW_BYTES(a4),a0
        moveq   #BOARD_COLUMNS-1,d0
7:      tst.b   (a0)
        bne.s   8f
        addq.l  #2,a0
        dbf     d0,7b
        move.w  (CFG_ALL_CLEAR).l,d0
        add.w   d0,OWN_TIMER(a6)
8:      rts

| Beside the cell a5: one of the same colour d0 joins the group.
        .macro  JOIN at
        cmp.b   \at(a5),d0
        bne.s   .Ljoin\@
        move.b  d3,\at(a5)
        lea     \at(a5),a5
        move.w  a5,(a2)+
        lea     -(\at)(a5),a5
.Ljoin\@:
        .endm

| Beside the cell a5, which pops: garbage goes, a hard block becomes garbage.
        .macro  BESIDE at
        cmpi.b  #CELL_GARBAGE,\at(a5)
        bcs.s   .Lbeside\@
        beq.s   .Lgarbage\@
        move.b  #SOFTENS,\at(a5)
        bra.s   .Lbeside\@
.Lgarbage\@:
        move.b  #GOES,\at(a5)
.Lbeside\@:
        .endm

| Group_Find: the group of the cell before a0, which is d0. Pops it when it has d6 puyos or more.
Group_Find:
        lea     B_LIST(a4),a1           | from here on to be looked round,
        movea.l a1,a2                   | up to here
        lea     -1(a0),a5
        moveq   #VISITED,d3
        move.b  d3,(a5)
        move.w  a5,(a2)+
1:      movea.w (a1)+,a5                | FFxxxx, extended with its sign
        JOIN    -1
        JOIN    1
        JOIN    -GRID_ROW
        JOIN    GRID_ROW
        cmpa.l  a2,a1
        bne.s   1b

        lea     B_LIST(a4),a1
        suba.l  a1,a2
        move.w  a2,d1
        lsr.w   #1,d1
        cmp.w   d6,d1
        bcs.s   3f
        addq.w  #1,d7
        move.b  d1,(a3)+
        move.b  d0,(a3)+
        subq.w  #1,d1
2:      movea.w (a1)+,a5
        move.b  #GOES,(a5)
        BESIDE  -1
        BESIDE  1
        BESIDE  -GRID_ROW
        BESIDE  GRID_ROW
        dbf     d1,2b
3:      rts

| Chain_Score: a step more, and what its groups are worth: 10 points a puyo, times chain power, colour bonus and group
| bonuses together, at least once and at most 999 times.
Chain_Score:
        addq.b  #1,P_CHAIN(a2)
        moveq   #4,d6                   | the least group there is a bonus of 0 for: of 4, or of N where that is less
        cmp.b   (Options+OPT_POP_COUNT).l,d6
        bls.s   1f
        move.b  (Options+OPT_POP_COUNT).l,d6
1:      lea     B_GROUPS(a4),a0
        moveq   #0,d1                   | puyos
        moveq   #0,d2                   | bonus
        moveq   #0,d3                   | a bit a colour
        moveq   #0,d4
        moveq   #0,d7
        move.b  P_GROUPS(a2),d7
        subq.w  #1,d7
2:      moveq   #0,d0
        move.b  (a0)+,d0
        add.w   d0,d1
        sub.w   d6,d0
        cmpi.w  #7,d0
        bls.s   3f
        moveq   #7,d0
3:      move.b  (GroupBonus,pc,d0.w),d4
        add.w   d4,d2
        move.b  (a0)+,d0
        lsr.b   #4,d0
        bset    d0,d3
        dbf     d7,2b

        lea     (ColorBonus,pc),a0
4:      lsr.w   #1,d3
        bcc.s   5f
        move.b  (a0)+,d4                | of one colour, of two ...
5:      tst.w   d3
        bne.s   4b
        add.w   d4,d2

        moveq   #0,d0                   | chain power: 0 8 16, then 32 more a step
        move.b  P_CHAIN(a2),d0
        subq.w  #3,d0
        bgt.s   6f
        addq.w  #2,d0
        lsl.w   #3,d0
        bra.s   7f
6:      lsl.w   #5,d0
7:      add.w   d0,d2
        bne.s   8f
        moveq   #1,d2
8:      cmpi.w  #BONUS_MOST,d2
        bls.s   9f
        move.w  #BONUS_MOST,d2

9:      add.w   d1,P_ERASED(a2)
        mulu.w  #10,d1
        move.w  d1,P_BASE_SCORE(a2)
        move.w  d2,P_MULTIPLIER(a2)
        mulu.w  d2,d1
        add.l   d1,P_SCORE(a2)
        add.l   d1,P_SCORE_SINCE(a2)
        rts

GroupBonus:     .byte   0, 2, 3, 4, 5, 6, 7, 10
ColorBonus:     .byte   0, 3, 6, 12, 24, 24     | there are two greens

| Chain_Pop: what the grid says is done to the board.
Chain_Pop:
        lea     GRID_FIRST(a4),a0
        lea     HIDDEN_ROWS*ROW_BYTES(a4),a1
        moveq   #VISIBLE_ROWS-1,d1
1:      moveq   #BOARD_COLUMNS-1,d2
2:      move.b  (a0)+,d0
        cmpi.b  #SOFTENS,d0
        bcs.s   4f
        beq.s   3f
        cmpi.b  #GOES,d0
        bne.s   4f
        clr.b   (a1)
        bra.s   4f
3:      move.b  #CELL_GARBAGE,(a1)
4:      addq.l  #2,a1
        dbf     d2,2b
        addq.l  #GRID_ROW-BOARD_COLUMNS,a0
        dbf     d1,1b
        rts

| Board_Fall: everything on board a4 that floats falls.
Board_Fall:
        moveq   #BOARD_COLUMNS-1,d1
1:      lea     LOWEST_ROW*ROW_BYTES(a4),a0
        adda.w  d1,a0
        adda.w  d1,a0
        movea.l a0,a1                   | where the next thing comes to rest
        moveq   #BOARD_ROWS-1,d2
2:      move.b  (a0),d0
        beq.s   3f
        clr.b   (a0)
        move.b  d0,(a1)
        lea     -ROW_BYTES(a1),a1
3:      lea     -ROW_BYTES(a0),a0
        dbf     d2,2b
        dbf     d1,1b
        rts

| Board_Draw: the cells of board a4 that are not what they were drawn as.
        .global Board_Draw
Board_Draw:
        move.l  a5,-(sp)
        movea.l a4,a5
        moveq   #0,d4
1:      moveq   #0,d5
2:      moveq   #0,d2
        move.b  (a5)+,d2
        bne.s   3f
        moveq   #-1,d2                  | nothing
3:      cmp.b   (a5)+,d2
        beq.s   4f
        move.b  d2,-1(a5)
        move.w  d4,d0
        move.w  d5,d1
        asr.w   #4,d2                   | the colour code and 8, or still negative
        bsr     Screen_Cell
4:      addq.w  #1,d5
        cmpi.w  #BOARD_COLUMNS,d5
        bne.s   2b
        addq.w  #1,d4
        cmpi.w  #BOARD_ROWS,d4
        bne.s   1b
        movea.l (sp)+,a5
        rts
