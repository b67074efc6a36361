| Rule 4: the queues the players see, and dealing from them.

        .include "ram.inc"
        .text

SPECIAL_AT      = 0xFFFF                | exercise: pairs after which a special one comes

| Queues_Fill: a step of the round script. The level of both players is still 0, whatever they choose afterwards.
        .global Queues_Fill
Queues_Fill:
        lea     (Player1).l,a2
        bsr.s   Queue_Init
        lea     (Player2).l,a2
        bsr.s   Queue_Init
        andi    #0xFE,ccr
        rts

| Queue_Init: of player a2. The third slot is drawn first, then the second, then the next: hence the order 2, 1, 0, 3, 4 ...
Queue_Init:
        movea.l P_QUEUE(a2),a3
        clr.w   Q_INDEX(a3)
        clr.w   Q_DEALT(a3)
        moveq   #4,d1
1:      bsr.s   Queue_Draw
        subq.w  #2,d1
        bcc.s   1b
        cmpi.b  #2,(GameMode).l
        bne.s   2f
        move.w  #SPECIAL_AT,Q_INDEX(a3)
2:      rts

| Queue_Deal: player a2 takes the next pair (d2.w: axis, child), the others move up, the third is drawn.
        .global Queue_Deal
Queue_Deal:
        movea.l P_QUEUE(a2),a3
        move.w  Q_NEXT(a3),d2
        move.l  Q_SECOND(a3),Q_NEXT(a3)
        moveq   #4,d1
        bsr.s   Queue_Draw
        bsr     Fault_Deal
        addq.w  #1,Q_DEALT(a3)
        addq.l  #1,(PairsDealt).l
        rts

| Queue_Draw: the next two bytes of the player's pool into the slot at offset d1 of queue a3. Keeps d1, d2, a2, a3.
Queue_Draw:
        move.b  (GameMode).l,d0
        cmpi.b  #2,d0
        beq.s   Queue_Exercise
        bsr.s   Pool_Choose
        moveq   #0,d0
        move.b  Q_INDEX(a3),d0
        move.b  (a1,d0.w),Q_NEXT(a3,d1.w)
        addq.b  #1,d0
        move.b  (a1,d0.w),Q_NEXT+1(a3,d1.w)
        addq.b  #1,d0
        move.b  d0,Q_INDEX(a3)
        rts

| Pool_Choose: a1 = pool of player a2. Versus: by his level, 0 the first; elsewhere by his number.
Pool_Choose:
        move.b  P_NUMBER(a2),d3
        andi.b  #3,d0
        cmpi.b  #1,d0
        bne.s   1f
        move.b  P_LEVEL(a2),d3
1:      lea     (Pool1).l,a1
        tst.b   d3
        beq.s   2f
        lea     (Pool2).l,a1
2:      rts

| Queue_Exercise: no pool; the child is drawn first, then the axis, 4 colours at level 0, otherwise 5.
Queue_Exercise:
        moveq   #4,d3
        tst.b   P_LEVEL(a2)
        beq.s   1f
        moveq   #5,d3
1:      lea     (Colors).l,a1
        move.w  d3,d0
        bsr     Random_Below
        move.b  (a1,d0.w),Q_NEXT+1(a3,d1.w)
        move.w  d3,d0
        bsr     Random_Below
        move.b  (a1,d0.w),Q_NEXT(a3,d1.w)
        rts
