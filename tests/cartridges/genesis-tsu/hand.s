| The controller's hand: how it moves and turns a pair, how the pair falls and comes to rest. Rule 7.
| Registers as in players.s.

        .include "ram.inc"
        .text

REPEAT_AFTER    = 16                    | passes that left or right is held until it counts once more,
REPEAT_EVERY    = 2                     | and then again
HIGHEST_AXIS    = 1                     | RAM's row

| Hand_Pass: one pass of a player whose pairs the controller moves.
        .global Hand_Pass
Hand_Pass:
        tst.b   OWN_FALLING(a6)
        bne.s   Hand_Move
        tst.b   OWN_CHAIN(a6)
        bne     Chain_Pass
        subq.w  #1,OWN_TIMER(a6)
        bls.s   Hand_Next
        rts

| Hand_Next: the next pair, but first garbage, if it is due: a row of it.
Hand_Next:
        tst.b   OWN_GARBAGE(a6)
        bne.s   4f
        move.w  (CFG_GARBAGE).l,d1
        beq.s   4f
        moveq   #0,d0
        move.w  Q_DEALT(a3),d0
        beq.s   4f
        divu    d1,d0
        swap    d0
        tst.w   d0
        bne.s   4f
        moveq   #BOARD_COLUMNS-1,d5
        moveq   #1,d6                   | the lowest row that it falls to, from the row above the visible ones
1:      move.w  d5,d1
        bsr     Column_Free
        tst.w   d0
        bmi.s   3f
        move.b  #CELL_GARBAGE,(a0)
        cmp.w   d6,d0
        ble.s   3f
        move.w  d0,d6
3:      dbf     d5,1b
        bsr     Board_Draw
        move.w  d6,d0
        subq.w  #1,d0
        lea     (CFG_GARBAGE_ROWS).l,a0
        bsr.s   Time_Of
        beq.s   4f
        move.w  d0,OWN_TIMER(a6)
        st      OWN_GARBAGE(a6)
        rts
4:      clr.b   OWN_GARBAGE(a6)
        bra     Player_Deal

| Time_Of: d0 = the word for d0 rows of table a0, and the flags of it.
        .global Time_Of
Time_Of:
        add.w   d0,d0
        move.w  (a0,d0.w),d0
        rts

| Hand_Move: first it turns, then it moves, then it falls.
Hand_Move:
        lea     (Pad1).l,a0
        tst.b   P_NUMBER(a2)
        beq.s   1f
        lea     (Pad2).l,a0
1:      move.b  (a0)+,d7                | held
        move.b  (a0),d6                 | newly pressed
        tst.w   OWN_SPLIT(a6)
        beq.s   1f
        subq.w  #1,OWN_SPLIT(a6)
        beq     Hand_Put
        rts
1:      bsr     Hand_Press

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
        clr.w   O_SUB_ROW(a5)           | down: a row and a point, as a rule in each pass
        addq.b  #1,OWN_DOWN(a6)
        move.w  (CFG_DOWN).l,d0
        cmp.b   OWN_DOWN(a6),d0
        bhi     Pair_Follow
        clr.b   OWN_DOWN(a6)
        addq.w  #1,O_ROW(a5)
        addq.l  #1,P_SCORE(a2)
        bra     Pair_Follow
8:      clr.b   OWN_DOWN(a6)
        move.w  P_DROP(a2),d0
        add.w   d0,O_SUB_ROW(a5)
        bcc     Pair_Follow
        addq.w  #1,O_ROW(a5)
        bra     Pair_Follow

9:      clr.w   O_SUB_ROW(a5)
        clr.b   OWN_DOWN(a6)
        addq.b  #1,OWN_LOCK(a6)
        move.w  (CFG_REST).l,d0
        btst    #1,d7
        beq.s   10f
        move.w  (CFG_LOCK).l,d0
10:     cmp.b   OWN_LOCK(a6),d0
        bhi     Pair_Follow
        bsr.s   Split_Rows
        lea     (CFG_SPLIT).l,a0
        bsr     Time_Of
        beq.s   Hand_Put
        move.w  d0,OWN_SPLIT(a6)
        bra     Pair_Follow

Hand_Put:
        move.w  (CFG_DELAY).l,OWN_TIMER(a6)
        bra     Pair_Put

| Split_Rows: d0 = rows that one puyo of the pair falls further than the other.
Split_Rows:
        moveq   #0,d0
        btst    #0,O_ROTATION(a5)
        beq.s   1f
        move.w  O_COLUMN(a5),d1
        bsr     Column_Free
        move.w  d0,d2
        move.w  OBJECT_BYTES+O_COLUMN(a5),d1
        bsr     Column_Free
        sub.w   d2,d0
        bpl.s   1f
        neg.w   d0
1:      rts

| Hand_Press: d6 = the buttons that count as newly pressed in this pass: those that have been held for long enough, when all had
| been released for long enough before. d7 = held.
Hand_Press:
        move.b  d7,d0
        andi.b  #0x7C,d0
        bne.s   1f
        clr.b   OWN_PENDING(a6)
        addq.b  #1,OWN_RELEASED(a6)
        bcc.s   4f
        st      OWN_RELEASED(a6)
        bra.s   4f
1:      andi.b  #0x7C,d6
        beq.s   3f
        move.w  (CFG_RELEASE).l,d0
        cmpi.w  #1,d0
        bls.s   2f                      | then another button may still be held
        cmp.b   OWN_RELEASED(a6),d0
        bls.s   2f
        moveq   #0,d6
2:      move.b  d6,OWN_PENDING(a6)
        clr.b   OWN_PRESSED(a6)
3:      clr.b   OWN_RELEASED(a6)
        move.b  OWN_PENDING(a6),d6
        move.b  d6,d0
        and.b   d7,d0
        cmp.b   d0,d6
        bne.s   4f
        addq.b  #1,OWN_PRESSED(a6)
        move.w  (CFG_PRESS).l,d0
        cmp.b   OWN_PRESSED(a6),d0
        bhi.s   5f
        clr.b   OWN_PENDING(a6)
        rts
4:      clr.b   OWN_PENDING(a6)
5:      moveq   #0,d6
        rts

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

| Pair_Turned: the child is now in direction d4.
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
