| Play: structs and boards made fresh, pairs dealt; the computer's hand, which deals at its own speed; landing.
| In here a2 = player struct, a3 = queue, a4 = board, a5 = axis object (child behind it), a6 = own cells.

        .include "ram.inc"
        .text

SPAWN_COLUMN    = 2
SPAWN_ROW       = 2

Cells1: .long   Player1, Queue1, Board1, Objects, Own1
Cells2: .long   Player2, Queue2, Board2, Objects+2*OBJECT_BYTES, Own2

| Players_Clear: a step of the round script. Structs, falling objects and boards as at the start of a round; the level
| byte is 0 from here until Play_Begin, which is what makes the first three pairs come from PoolA (rule 3).
        .global Players_Clear
Players_Clear:
        lea     (Player1).l,a0
        move.w  #(Objects+4*OBJECT_BYTES-Player1)/4-1,d0
1:      clr.l   (a0)+
        dbf     d0,1b
        lea     (Own1+OWN_FALLING).l,a0
        lea     (Own2+OWN_FALLING).l,a1
        moveq   #3-1,d0
2:      clr.l   (a0)+
        clr.l   (a1)+
        dbf     d0,2b
        movem.l (Cells1,pc),a2-a6
        move.w  #0x5031,P_TAG(a2)       | "P1"
        move.l  #Player2,P_OPPONENT(a2)
        bsr.s   Player_Init
        movem.l (Cells2,pc),a2-a6
        move.w  #0x5032,P_TAG(a2)
        move.b  #1,P_NUMBER(a2)
        move.l  #Player1,P_OPPONENT(a2)
        bsr.s   Player_Init
        andi    #0xFE,ccr
        rts

Player_Init:
        move.l  #Player_Pass,P_ROUTINE(a2)
        move.l  a3,P_QUEUE(a2)
        move.w  (CFG_FALL).l,P_DROP(a2)
        move.b  #1,P_SPEED(a2)
        move.w  #1,P_MULTIPLIER(a2)
        bsr     Board_Empty
        lea     (StartBoard).l,a0
        movea.l a4,a1
        moveq   #BOARD_ROWS*BOARD_COLUMNS-1,d0
1:      move.b  (a0)+,(a1)
        addq.l  #2,a1
        dbf     d0,1b
        bra     Board_Draw

| Play_Begin: a step of the round script, after the menu: only now the chosen levels go into the structs, and whose hand
| it is is settled.
        .global Play_Begin
Play_Begin:
        move.b  #ST_PLAY,(StateId).l
        move.b  (Entry+E_LEVEL_1).l,d0
        move.b  d0,(Player1+P_LEVEL).l
        move.b  d0,(LastLevel1).l
        move.b  (Entry+E_LEVEL_2).l,d0
        move.b  d0,(Player2+P_LEVEL).l
        move.b  d0,(LastLevel2).l
        move.w  (CFG_DEAL_1).l,(Own1+OWN_TIMER).l
        move.w  (CFG_DEAL_2).l,(Own2+OWN_TIMER).l
        btst    #0,(HandSwitch).l
        beq.s   1f
        st      (Own1+OWN_HAND).l
        move.w  (CFG_DELAY).l,(Own1+OWN_TIMER).l
1:      btst    #1,(HandSwitch).l
        beq.s   2f
        st      (Own2+OWN_HAND).l
        move.w  (CFG_DELAY).l,(Own2+OWN_TIMER).l
2:      movem.l (Cells1,pc),a2-a6
        bsr     Chain_Begin             | what the round begins with may pop
        movem.l (Cells2,pc),a2-a6
        bsr     Chain_Begin
        clr.w   (PlaySeconds).l
        clr.b   (ClockSeconds).l
        clr.b   (ClockMinutes).l
        move.w  #60,(SecondDivider).l
        andi    #0xFE,ccr
        rts

| Play_Run: a step of the round script, until player 1 has been dealt the configured number of pairs.
        .global Play_Run
Play_Run:
        movem.l (Cells1,pc),a2-a6
        move.w  (CFG_DEAL_1).l,d1
        bsr.s   Player_Pass
        movem.l (Cells2,pc),a2-a6
        move.w  (CFG_DEAL_2).l,d1
        bsr.s   Player_Pass
        move.w  (Queue1+Q_DEALT).l,d0
        cmp.w   (CFG_PAIRS).l,d0        | carry: not there yet
        rts

| Player_Pass: d1 = passes a deal (0 counts as 1) of a computer's hand. When they are over, a pair still in the air lands
| at once, and a chain that still runs is finished.
Player_Pass:
        tst.b   OWN_HAND(a6)
        bne     Hand_Pass
        subq.w  #1,OWN_TIMER(a6)
        bls.s   1f
        tst.b   OWN_FALLING(a6)
        bne     Pair_Fall
        bra     Chain_Pass
1:      move.w  d1,OWN_TIMER(a6)
        bsr     Pair_Land
        bsr     Chain_Finish

| Player_Deal, which Player_Pass falls into: the next pair of the queue. Who has lost gets an empty board for it.
        .global Player_Deal
Player_Deal:
        tst.b   SPAWN_ROW*ROW_BYTES+2*SPAWN_COLUMN(a4)
        beq.s   1f
        bsr     Board_Empty
1:      bsr     Queue_Deal

| The pair d2 (axis, child) appears above the third column, child on top.
        st      OWN_FALLING(a6)
        clr.b   OWN_REPEAT(a6)
        clr.b   OWN_QUICK(a6)
        clr.b   OWN_LOCK(a6)
        clr.b   OWN_DOWN(a6)
        clr.w   OWN_SPLIT(a6)
        clr.b   OWN_PENDING(a6)
        st      OWN_RELEASED(a6)
        move.b  d2,OBJECT_BYTES+O_COLOR(a5)
        lsr.w   #8,d2
        move.b  d2,O_COLOR(a5)
        moveq   #0,d0
        move.b  P_NUMBER(a2),d0
        move.b  d0,O_PLAYER(a5)
        move.b  d0,OBJECT_BYTES+O_PLAYER(a5)
        move.w  #SPAWN_COLUMN,O_COLUMN(a5)
        move.w  #SPAWN_ROW,O_ROW(a5)
        clr.w   O_SUB_ROW(a5)
        clr.b   O_ROTATION(a5)
        bsr     Pair_Follow
        move.w  #1,O_TAG(a5)
        move.w  #1,OBJECT_BYTES+O_TAG(a5)
        tst.b   OWN_HAND(a6)
        beq.s   Pair_Aim
        rts

| Pair_Aim: the computer's pair will go to the lowest column, turned as the number of pairs dealt says. Columns nearly
| full: the board is emptied.
Pair_Aim:
        moveq   #BOARD_COLUMNS-1,d1
        moveq   #-1,d3
1:      bsr     Column_Free
        cmp.w   d3,d0
        blt.s   2f
        move.w  d0,d3
        move.w  d1,d4
2:      dbf     d1,1b
        cmpi.w  #SPAWN_ROW+1,d3
        bge.s   3f
        bsr     Board_Empty
        moveq   #0,d4
3:      move.w  d4,OWN_COLUMN(a6)

        move.w  Q_DEALT(a3),d0
        andi.w  #3,d0
        cmpi.w  #1,d0                   | right of the last column there is nothing,
        bne.s   4f
        cmpi.w  #BOARD_COLUMNS-1,d4
        bne.s   5f
        moveq   #3,d0
4:      cmpi.w  #3,d0                   | nor left of the first
        bne.s   5f
        tst.w   d4
        bne.s   5f
        moveq   #1,d0
5:      move.b  d0,OWN_ROTATION(a6)
        rts

| Pair_Fall: one pass of the computer's pair: towards its column, then turned, always down, until something is below.
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
3:      move.w  P_DROP(a2),d0
        add.w   d0,O_SUB_ROW(a5)
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
        .global Pair_Follow
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
        .global Around
Around: .byte   0, -1,  1, 0,  0, 1,  -1, 0

| Pair_Land: the computer's pair lands in the column it was meant for, if it is still in the air.
Pair_Land:
        tst.b   OWN_FALLING(a6)
        bne.s   1f
        rts
1:      move.w  OWN_COLUMN(a6),O_COLUMN(a5)
        move.b  OWN_ROTATION(a6),O_ROTATION(a5)
        bsr     Pair_Follow

| Pair_Put: both puyos drop onto what is below them, the lower one first, and what they complete begins to pop.
        .global Pair_Put
Pair_Put:
        clr.b   OWN_FALLING(a6)
        clr.w   O_TAG(a5)
        clr.w   OBJECT_BYTES+O_TAG(a5)
        cmpi.b  #2,O_ROTATION(a5)
        beq.s   1f
        bsr.s   Puyo_Put
        lea     OBJECT_BYTES(a5),a5
        bsr.s   Puyo_Put
        lea     -OBJECT_BYTES(a5),a5
        bra     Chain_Begin
1:      lea     OBJECT_BYTES(a5),a5
        bsr.s   Puyo_Put
        lea     -OBJECT_BYTES(a5),a5
        bsr.s   Puyo_Put
        bra     Chain_Begin

| Puyo_Put: one puyo, object a5, into board a4; with the column full to the top it is gone.
Puyo_Put:
        move.w  O_COLUMN(a5),d1
        bsr     Column_Free
        tst.w   d0
        bmi.s   1f
        moveq   #0,d2
        move.b  O_COLOR(a5),d2
        move.w  d2,d3
        lsl.b   #4,d3
        ori.b   #0x80,d3
        move.b  d3,(a0)
        move.b  d3,1(a0)                | drawn below
        bsr     Screen_Cell
1:      rts

        .global Column_Free
| Column_Free: d0 = lowest empty row of column d1 (-1: none), a0 = that cell.
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

| Board_Empty: every cell of board a4 to 00FF, and the screen with it.
Board_Empty:
        movea.l a4,a0
        moveq   #BOARD_ROWS*BOARD_COLUMNS-1,d0
1:      move.w  #CELL_EMPTY,(a0)+
        dbf     d0,1b
        bra     Screen_Board
