| Play: objects and boards initialised, pairs dealt, a simple player for both sides, landing.
| In here a2 = player, a3 = queue, a4 = board, a5 = axis (child behind it), a6 = own cells.

        .include "ram.inc"
        .text

SPAWN_COLUMN    = 2
SPAWN_ROW       = 2
DROP            = 0x8000                | 1/65536 rows a pass
FOR_NEIGHBOR    = 5                     | what a neighbour of the same colour is worth, in rows

Cells1: .long   Player1, Queue1, Board1, Beans1, Own1
Cells2: .long   Player2, Queue2, Board2, Beans2, Own2

| Objects_Clear: all slots free, as when a scene of the game begins.
        .global Objects_Clear
Objects_Clear:
        lea     (Player1).l,a0
        move.w  #(ObjectsEnd-Player1)/4-1,d0
1:      clr.l   (a0)+
        dbf     d0,1b
        clr.w   (PlayerFlags).l
        rts

| Players_Make: a step of the round script, after the generator. The level of both is 0 from here until Play_Begin.
        .global Players_Make
Players_Make:
        bsr.s   Objects_Clear
        lea     (Own1).l,a0
        moveq   #2*16/4-1,d0
1:      clr.l   (a0)+
        dbf     d0,1b
        movem.l (Cells1,pc),a2-a6
        move.b  #TAG_1,O_TAG(a2)
        move.l  #Player2,P_OPPONENT(a2)
        bsr.s   Player_Init
        movem.l (Cells2,pc),a2-a6
        move.b  #TAG_2,O_TAG(a2)
        move.b  #1,P_NUMBER(a2)
        move.l  #Player1,P_OPPONENT(a2)
        bsr.s   Player_Init
        andi    #0xFE,ccr
        rts

Player_Init:
        move.l  a3,P_QUEUE(a2)
        move.b  #TAG_QUEUE,O_TAG(a3)
        move.b  #1,P_SPEED(a2)
        move.w  #1,P_MULTIPLIER(a2)
        movea.l a4,a0
        moveq   #BOARD_ROWS*BOARD_COLUMNS-1,d0
1:      move.w  #CELL_EMPTY,(a0)+
        dbf     d0,1b
        clr.w   B_COUNT(a4)
        bra     Screen_Board

| Play_Begin: a step of the round script, after the menu: only now the chosen levels go into the objects.
        .global Play_Begin
Play_Begin:
        move.b  #ST_PLAY,(StateId).l
        move.b  (Entry+E_LEVEL_1).l,(Player1+P_LEVEL).l
        move.b  (Entry+E_LEVEL_2).l,(Player2+P_LEVEL).l
        move.w  (CFG_DEAL_1).l,(Own1+OWN_TIMER).l
        move.w  (CFG_DEAL_2).l,(Own2+OWN_TIMER).l
        move.w  #0x7F7F,(PlayerFlags).l
        clr.w   (OpponentDeals).l
        clr.w   (PlaySeconds).l
        clr.w   (ClockSeconds).l
        clr.w   (ClockMinutes).l
        move.w  #60,(SecondDivider).l
        andi    #0xFE,ccr
        rts

| Play_Run: a step of the round script, until player 1 has been dealt the configured number of pairs, or one has lost.
        .global Play_Run
Play_Run:
        movem.l (Cells1,pc),a2-a6
        move.w  (CFG_DEAL_1).l,d1
        bsr.s   Player_Pass
        movem.l (Cells2,pc),a2-a6
        move.w  (CFG_DEAL_2).l,d1
        bsr.s   Player_Pass
        move.b  (Own1+OWN_LOST).l,d0
        or.b    (Own2+OWN_LOST).l,d0
        bne.s   1f                      | carry is clear
        move.w  (Queue1+Q_DEALT).l,d0
        cmp.w   (CFG_PAIRS).l,d0        | carry: not there yet
1:      rts

| Player_Pass: d1 = passes a deal (0 counts as 1). When they are over, a pair still in the air lands at once, and a chain that
| still runs is finished.
Player_Pass:
        subq.w  #1,OWN_TIMER(a6)
        bls.s   1f
        tst.b   OWN_FALLING(a6)
        bne     Pair_Fall
        bra     Chain_Pass
1:      move.w  d1,OWN_TIMER(a6)
        bsr     Pair_Land
        bsr     Chain_Finish
        tst.b   SPAWN_ROW*ROW_BYTES+2*SPAWN_COLUMN(a4)
        beq.s   2f
        st      OWN_LOST(a6)
        rts
2:      bsr     Queue_Deal

| The pair d2 (axis, child) appears above the third column, child on top.
        st      OWN_FALLING(a6)
        move.b  d2,OBJECT_BYTES+O_COLOR(a5)
        lsr.w   #8,d2
        move.b  d2,O_COLOR(a5)
        move.b  P_NUMBER(a2),d0
        move.b  d0,O_PLAYER(a5)
        move.b  d0,OBJECT_BYTES+O_PLAYER(a5)
        move.w  #SPAWN_COLUMN,O_COLUMN(a5)
        move.w  #SPAWN_ROW,O_ROW(a5)
        clr.w   O_SUB_ROW(a5)
        clr.b   O_ROTATION(a5)
        lea     OBJECT_BYTES(a5),a0
        move.l  a0,O_CHILD(a5)
        bsr     Pair_Follow
        move.b  O_TAG(a2),OBJECT_BYTES+O_TAG(a5)
        move.b  O_TAG(a2),O_TAG(a5)
        bsr.s   Pair_Aim
        bsr     Opponent_Run
        tst.b   P_NUMBER(a2)
        beq     Fault_Play
        rts

| Pair_Aim: of all columns and turns that leave the hidden rows and the cell above the third column free, the one with the
| most neighbours of the same colour, and among those the lowest.
Pair_Aim:
        move.l  a3,-(sp)
        lea     OWN_FREE(a6),a3
        moveq   #0,d1
1:      bsr     Column_Free
        move.b  d0,(a3)+
        addq.w  #1,d1
        cmpi.w  #BOARD_COLUMNS,d1
        bne.s   1b

        moveq   #-1,d7                  | the best so far
        moveq   #BOARD_COLUMNS-1,d6     | column of the axis
2:      moveq   #4-1,d5                 | rotation
3:      bsr.s   Place_Worth
        cmp.w   d7,d4
        ble.s   4f
        move.w  d4,d7
        move.w  d6,OWN_COLUMN(a6)
        move.b  d5,OWN_ROTATION(a6)
4:      dbf     d5,3b
        dbf     d6,2b
        movea.l (sp)+,a3
        tst.w   d7
        bpl.s   5f
        st      OWN_LOST(a6)
        move.w  #SPAWN_COLUMN,OWN_COLUMN(a6)
        clr.b   OWN_ROTATION(a6)
5:      rts

| Place_Worth: d4 = what column d6 with rotation d5 is worth, -1 where the pair has no room. Keeps d5-d7.
Place_Worth:
        lea     (Around).l,a0
        move.w  d5,d0
        add.w   d0,d0
        move.b  (a0,d0.w),d1
        ext.w   d1
        add.w   d6,d1                   | d1 = column of the child
        cmpi.w  #BOARD_COLUMNS,d1
        bcc.s   9f
        moveq   #0,d2                   | d2 = row of the axis
        move.b  OWN_FREE(a6,d6.w),d2
        ext.w   d2
        move.b  OWN_FREE(a6,d1.w),d3    | d3 = row of the child
        ext.w   d3
        cmp.w   d1,d6
        bne.s   2f
        tst.w   d5
        bne.s   1f
        subq.w  #1,d3                   | child on top
        bra.s   2f
1:      subq.w  #1,d2                   | axis on top
2:      move.w  d2,d0
        move.w  d6,d4
        bsr.s   Place_Taken
        bne.s   9f
        move.w  d3,d0
        move.w  d1,d4
        bsr.s   Place_Taken
        bne.s   9f

        move.w  d2,d4
        add.w   d3,d4
        movem.l d1/d3,-(sp)
        move.w  d6,d1
        move.b  O_COLOR(a5),d3
        bsr.s   Neighbors_Add
        movem.l (sp)+,d1/d3
        move.w  d3,d2
        move.b  OBJECT_BYTES+O_COLOR(a5),d3
        bra.s   Neighbors_Add
9:      moveq   #-1,d4
        rts

| Place_Taken: not Z when row d0 of column d4 must stay free.
Place_Taken:
        cmpi.w  #HIDDEN_ROWS,d0
        blt.s   2f
        cmpi.w  #SPAWN_COLUMN,d4
        bne.s   1f
        cmpi.w  #SPAWN_ROW,d0
        beq.s   2f
1:      moveq   #0,d0
        rts
2:      moveq   #1,d0
        rts

| Neighbors_Add: d4 += what the neighbours of row d2, column d1 are worth to the colour d3.
Neighbors_Add:
        lsl.b   #4,d3
        ori.b   #0x80,d3
        move.w  d2,d0
        mulu.w  #ROW_BYTES,d0
        add.w   d1,d0
        add.w   d1,d0
        lea     (a4,d0.w),a0
        cmpi.w  #LOWEST_ROW,d2
        bcc.s   1f
        cmp.b   ROW_BYTES(a0),d3
        bne.s   1f
        addq.w  #FOR_NEIGHBOR,d4
1:      tst.w   d1
        beq.s   2f
        cmp.b   -2(a0),d3
        bne.s   2f
        addq.w  #FOR_NEIGHBOR,d4
2:      cmpi.w  #BOARD_COLUMNS-1,d1
        bcc.s   3f
        cmp.b   2(a0),d3
        bne.s   3f
        addq.w  #FOR_NEIGHBOR,d4
3:      rts

| Pair_Fall: one pass of the pair: towards its column, then turned, always down, until something is below.
Pair_Fall:
        move.w  O_COLUMN(a5),d0
        cmp.w   OWN_COLUMN(a6),d0
        beq.s   2f
        blt.s   1f
        subq.w  #2,d0
1:      addq.w  #1,d0
        move.w  d0,O_COLUMN(a5)
        bra.s   3f
2:      move.b  OWN_ROTATION(a6),O_ROTATION(a5)
3:      addi.w  #DROP,O_SUB_ROW(a5)
        bcc.s   4f
        addq.w  #1,O_ROW(a5)
4:      bsr     Pair_Follow
        move.w  O_COLUMN(a5),d1
        bsr     Column_Free
        cmp.w   O_ROW(a5),d0
        ble.s   Pair_Land
        move.w  OBJECT_BYTES+O_COLUMN(a5),d1
        bsr     Column_Free
        cmp.w   OBJECT_BYTES+O_ROW(a5),d0
        ble     Pair_Land
        rts

| Pair_Follow: the child is where the axis' rotation puts it.
Pair_Follow:
        moveq   #0,d0
        move.b  O_ROTATION(a5),d0
        move.b  d0,OBJECT_BYTES+O_ROTATION(a5)
        add.w   d0,d0
        lea     (Around).l,a0
        adda.w  d0,a0
        move.b  (a0)+,d1
        ext.w   d1
        add.w   O_COLUMN(a5),d1
        move.w  d1,OBJECT_BYTES+O_COLUMN(a5)
        move.b  (a0),d1
        ext.w   d1
        add.w   O_ROW(a5),d1
        move.w  d1,OBJECT_BYTES+O_ROW(a5)
        move.w  O_SUB_ROW(a5),OBJECT_BYTES+O_SUB_ROW(a5)
        rts

| Around: column and row beside the axis, by rotation.
Around: .byte   0, -1,  1, 0,  0, 1,  -1, 0

| Pair_Land: the pair lands in the column it was meant for, if it is still in the air.
Pair_Land:
        tst.b   OWN_FALLING(a6)
        bne.s   1f
        rts
1:      move.w  OWN_COLUMN(a6),O_COLUMN(a5)
        move.b  OWN_ROTATION(a6),O_ROTATION(a5)
        bsr     Pair_Follow

| Pair_Put: both beans drop onto what is below them, the lower one first, and what they complete begins to pop.
Pair_Put:
        clr.b   OWN_FALLING(a6)
        clr.b   O_TAG(a5)
        clr.b   OBJECT_BYTES+O_TAG(a5)
        cmpi.b  #2,O_ROTATION(a5)
        beq.s   1f
        bsr.s   Bean_Put
        lea     OBJECT_BYTES(a5),a5
        bsr.s   Bean_Put
        lea     -OBJECT_BYTES(a5),a5
        bra     Chain_Begin
1:      lea     OBJECT_BYTES(a5),a5
        bsr.s   Bean_Put
        lea     -OBJECT_BYTES(a5),a5
        bsr.s   Bean_Put
        bra     Chain_Begin

| Bean_Put: one bean, object a5, into board a4; with the column full to the top it is gone.
Bean_Put:
        move.w  O_COLUMN(a5),d1
        bsr     Column_Free
        tst.w   d0
        bmi.s   1f
        moveq   #0,d2
        move.b  O_COLOR(a5),d2
        move.w  d2,d3
        lsl.b   #4,d3
        ori.b   #0x80,d3
        addq.w  #1,B_COUNT(a4)
        move.b  d3,(a0)
        move.b  d3,1(a0)                | drawn below
        bsr     Screen_Cell
1:      rts

| Column_Free: d0 = lowest empty row of column d1 (-1: none), a0 = that cell.
        .global Column_Free
Column_Free:
        move.w  d1,d0
        add.w   d0,d0
        addi.w  #LOWEST_ROW*ROW_BYTES,d0
        lea     (a4,d0.w),a0
        moveq   #LOWEST_ROW,d0
1:      tst.b   (a0)
        beq.s   2f
        lea     -ROW_BYTES(a0),a0
        dbf     d0,1b
2:      rts
