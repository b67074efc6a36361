| Rule 5: the opponents that set their own pairs.

        .include "ram.inc"
        .text

DEALS_BETWEEN   = 8
SCRIPTS_7       = 12                    | scripts of stage 7, and of stages 14 and 15
SCRIPTS_LAST    = 8
L_NUMBER        = 0
L_ROUND         = 4
L_DEALT         = 8
L_COLUMN        = 10
L_PAIRS         = 12

| Opponent_Scripts: d0 = number of scripts that this round's opponent has, 0 (and Z) for one who takes what comes.
        .global Opponent_Scripts, Opponent_Sets
Opponent_Scripts:
        moveq   #0,d0
        tst.w   (CFG_REWRITE).l
        beq.s   2f
        tst.b   (GameMode).l
        bne.s   2f
        cmpi.b  #7,(Level).l
        bne.s   1f
        moveq   #SCRIPTS_7,d0
1:      cmpi.b  #14,(Level).l
        bcs.s   2f
        cmpi.b  #15,(Level).l
        bhi.s   2f
        moveq   #SCRIPTS_LAST,d0
2:      tst.w   d0
        rts

| Opponent_Sets: the same for player a2: only player 2 is an opponent.
Opponent_Sets:
        moveq   #0,d0
        tst.b   P_NUMBER(a2)
        bne.s   Opponent_Scripts
        rts

| Opponent_Run: after player a2 was dealt a pair. From the eighth deal on a script is drawn; if the column that it is for is
| no higher than the one beside it, its pairs take the place of the second and the third, and two bytes of the pool at
| the number of that column are overwritten as well.
        .global Opponent_Run
Opponent_Run:
        bsr.s   Opponent_Sets
        beq     9f
        addq.w  #1,(OpponentDeals).l
        cmpi.w  #DEALS_BETWEEN,(OpponentDeals).l
        bcs     9f
        bsr     Random_Below
        lsl.w   #3,d0
        lea     (Scripts,pc),a0
        adda.w  d0,a0

        moveq   #0,d1
        move.b  (a0)+,d1
        bsr     Column_Free
        move.w  d0,d3
        move.w  d1,d6
        addq.w  #1,d1
        cmpi.w  #BOARD_COLUMNS,d1
        bcs.s   1f
        subq.w  #2,d1
1:      move.l  a0,-(sp)
        bsr     Column_Free
        movea.l (sp)+,a0
        cmp.w   d0,d3
        blt     9f                      | higher: its lowest free row is further up

        lea     (ScriptColors).l,a1
        moveq   #0,d1
        lea     (Colors).l,a3
2:      move.b  (a3,d1.w),(a1,d1.w)
        addq.w  #1,d1
        cmpi.w  #5,d1
        bne.s   2b
        moveq   #4,d1
3:      moveq   #5,d0
        bsr     Random_Below
        move.b  (a1,d0.w),d2
        move.b  (a1,d1.w),(a1,d0.w)
        move.b  d2,(a1,d1.w)
        dbf     d1,3b

        movea.l P_QUEUE(a2),a3
        lea     Q_SECOND(a3),a3
        moveq   #4-1,d1
        bsr.s   Colors_Put
        lea     (Pool2).l,a3
        adda.w  d6,a3
        moveq   #2-1,d1
        bsr.s   Colors_Put
        clr.w   (OpponentDeals).l

        movea.l P_QUEUE(a2),a3
        move.l  (RewriteCount).l,d0
        andi.w  #0x7F,d0
        lsl.w   #4,d0
        lea     (RewriteLog).l,a0
        adda.w  d0,a0
        move.l  (RewriteCount).l,d0
        addq.l  #1,d0
        move.l  d0,L_NUMBER(a0)
        move.l  (RoundNumber).l,L_ROUND(a0)
        move.w  Q_DEALT(a3),L_DEALT(a0)
        move.w  d6,L_COLUMN(a0)
        move.l  Q_SECOND(a3),L_PAIRS(a0)
        move.l  d0,(RewriteCount).l
9:      rts

| Colors_Put: d1 + 1 bytes of the script at a0 to a3, each one of the shuffled colours at a1.
Colors_Put:
        moveq   #0,d0
1:      move.b  (a0)+,d0
        move.b  (a1,d0.w),(a3)+
        dbf     d1,1b
        rts

| Scripts: column; second pair, third pair, two bytes of the pool, each as a place in the shuffled colours; unused.
Scripts:
        .byte   0, 0, 0, 1, 1, 0, 1, 0
        .byte   1, 0, 1, 1, 0, 2, 2, 0
        .byte   2, 2, 2, 0, 1, 1, 1, 0
        .byte   3, 0, 1, 2, 2, 3, 0, 0
        .byte   4, 1, 1, 1, 0, 0, 3, 0
        .byte   5, 0, 0, 0, 1, 2, 3, 0
        .byte   0, 2, 1, 0, 0, 3, 3, 0
        .byte   5, 3, 0, 3, 1, 1, 2, 0
        .byte   1, 4, 4, 0, 0, 2, 1, 0
        .byte   2, 0, 2, 2, 4, 4, 0, 0
        .byte   3, 1, 4, 1, 4, 0, 4, 0
        .byte   4, 3, 3, 4, 4, 1, 0, 0
