| The controller's hand: how it moves and turns a pair, how the pair falls and comes to rest. Rule 7.
| Registers as in players.s.

        .include "ram.inc"
        .text

REPEAT_AFTER    = 16                    | passes that left or right is held until it counts once more,
REPEAT_EVERY    = 2                     | and then again
LOCK_PASSES     = 16                    | passes that a pair may rest before it stays
HIGHEST_AXIS    = 1                     | RAM's row

| Hand_Pass: one pass of a player whose pairs the controller moves.
        .global Hand_Pass
Hand_Pass:
        tst.b   OWN_FALLING(a6)
        bne.s   Hand_Move
        tst.b   OWN_CHAIN(a6)
        bne     Chain_Pass
        subq.w  #1,OWN_TIMER(a6)
        bls     Player_Deal
        rts

| Hand_Move: first it turns, then it moves, then it falls.
Hand_Move:
        lea     (Pad1).l,a0
        tst.b   P_NUMBER(a2)
        beq.s   1f
        lea     (Pad2).l,a0
1:      move.b  (a0)+,d7                | held
        move.b  (a0),d6                 | newly pressed

        moveq   #3,d5                   | A: anticlockwise
        btst    #6,d6
        bne.s   2f
        moveq   #1,d5                   | B, C: clockwise
        move.b  d6,d0
        andi.b  #0x30,d0
        beq.s   3f
2:      bsr     Pair_Turn

3:      moveq   #-1,d5
        btst    #2,d7
        bne.s   4f
        moveq   #1,d5
        btst    #3,d7
        bne.s   4f
        clr.b   OWN_REPEAT(a6)
        bra.s   7f
4:      andi.b  #0x0C,d6
        bne.s   5f
        addq.b  #1,OWN_REPEAT(a6)
        cmpi.b  #REPEAT_AFTER,OWN_REPEAT(a6)
        bcs.s   7f
        subq.b  #REPEAT_EVERY,OWN_REPEAT(a6)
        bra.s   6f
5:      clr.b   OWN_REPEAT(a6)
6:      bsr     Pair_Shift

7:      move.w  O_COLUMN(a5),d1
        move.w  O_ROW(a5),d2
        addq.w  #1,d2
        bsr     Cell_Taken
        bne.s   9f
        move.w  OBJECT_BYTES+O_COLUMN(a5),d1
        move.w  OBJECT_BYTES+O_ROW(a5),d2
        addq.w  #1,d2
        bsr     Cell_Taken
        bne.s   9f
        btst    #1,d7
        beq.s   8f
        clr.w   O_SUB_ROW(a5)           | down: a row and a point a pass
        addq.w  #1,O_ROW(a5)
        addq.l  #1,P_SCORE(a2)
        bra     Pair_Follow
8:      move.w  P_DROP(a2),d0
        add.w   d0,O_SUB_ROW(a5)
        bcc     Pair_Follow
        addq.w  #1,O_ROW(a5)
        bra     Pair_Follow

9:      clr.w   O_SUB_ROW(a5)
        addq.b  #1,OWN_LOCK(a6)
        btst    #1,d7
        bne.s   10f
        cmpi.b  #LOCK_PASSES,OWN_LOCK(a6)
        bcs     Pair_Follow
10:     move.w  (CFG_DELAY).l,OWN_TIMER(a6)
        bra     Pair_Put

| Pair_Shift: d5 columns over (1 or -1), if both cells are free.
Pair_Shift:
        move.w  O_COLUMN(a5),d1
        move.w  O_ROW(a5),d2
        add.w   d5,d1
        bsr     Cell_Taken
        bne.s   1f
        move.w  OBJECT_BYTES+O_COLUMN(a5),d1
        move.w  OBJECT_BYTES+O_ROW(a5),d2
        add.w   d5,d1
        bsr     Cell_Taken
        bne.s   1f
        add.w   d5,O_COLUMN(a5)
        clr.b   OWN_QUICK(a6)
        bra     Pair_Follow
1:      rts

| Pair_Turn: d5 quarters clockwise (1 or 3), or half round when the press before was blocked on both sides.
Pair_Turn:
        moveq   #0,d4
        move.b  O_ROTATION(a5),d4
        tst.b   OWN_QUICK(a6)
        bne.s   Pair_HalfTurn
        add.w   d5,d4
        andi.w  #3,d4
        bsr.s   Cell_Around
        beq.s   Pair_Turned
        btst    #0,d4
        bne.s   1f
        tst.w   d4
        bne.s   Pair_TurnedUp
        rts                             | up, and something is there: it stays as it is

1:      eori.w  #2,d4                   | to a side: the axis gives way to the other one
        bsr.s   Cell_Around
        bne.s   2f
        eori.w  #2,d4
        move.w  d1,O_COLUMN(a5)
        bra.s   Pair_Turned
2:      st      OWN_QUICK(a6)
        rts

| Axis and child change places, wherever in its cell the pair is.
Pair_HalfTurn:
        eori.w  #2,d4
        beq.s   1f
        cmpi.w  #HIGHEST_AXIS,O_ROW(a5)
        beq.s   2f                      | no higher: nothing turns
        subq.w  #1,O_ROW(a5)
        bra.s   Pair_Turned
1:      addq.w  #1,O_ROW(a5)
        bra.s   Pair_Turned
2:      rts

| Pair_TurnedUp: the child goes below, where something is: the axis goes up a row for it.
Pair_TurnedUp:
        move.w  O_COLUMN(a5),d1
        move.w  O_ROW(a5),d2
        cmpi.w  #HIGHEST_AXIS,d2
        beq.s   1f
        subq.w  #1,d2
        bsr.s   Cell_Taken
        bne.s   1f
        move.w  d2,O_ROW(a5)
        clr.w   O_SUB_ROW(a5)

| Pair_Turned: the child now stands in direction d4.
Pair_Turned:
        move.b  d4,O_ROTATION(a5)
        clr.b   OWN_QUICK(a6)
        bra     Pair_Follow
1:      rts

| Cell_Around: as Cell_Taken, of the cell beside the axis in direction d4.
Cell_Around:
        lea     (Around).l,a0
        adda.w  d4,a0
        adda.w  d4,a0
        move.b  (a0)+,d1
        ext.w   d1
        add.w   O_COLUMN(a5),d1
        move.b  (a0),d2
        ext.w   d2
        add.w   O_ROW(a5),d2

| Cell_Taken: Z clear when there is something in column d1, row d2 of board a4, or no such cell. Changes d0.
Cell_Taken:
        cmpi.w  #BOARD_COLUMNS,d1
        bcc.s   1f
        cmpi.w  #BOARD_ROWS,d2
        bcc.s   1f
        move.w  d2,d0
        add.w   d0,d0
        add.w   d2,d0
        add.w   d0,d0                   | six cells a row,
        add.w   d1,d0
        add.w   d0,d0                   | two bytes each
        tst.b   (a4,d0.w)
        rts
1:      moveq   #1,d0
        rts
