| Rule 3: the queues the players see, and dealing from them.

        .include "ram.inc"
        .text

| Queues_Fill: a step of the round script. The player structs are fresh, so their level is 0 and the first three
| pairs of both come from PoolA, whatever level is chosen afterwards.
        .global Queues_Fill
Queues_Fill:
        lea     (Player1).l,a2
        bsr.s   Queue_Init
        lea     (Player2).l,a2
        bsr.s   Queue_Init
        andi    #0xFE,ccr
        rts

| Queue_Init: of player a2. The three slots are drawn last first: hence the dealt order 2, 1, 0, 3, 4 ...
Queue_Init:
        movea.l P_QUEUE(a2),a3
        clr.b   Q_INDEX(a3)
        clr.w   Q_DEALT(a3)
        clr.b   Q_CLEARED(a3)
        moveq   #4,d1
1:      bsr.s   Queue_Draw
        subq.w  #2,d1
        bcc.s   1b
        rts

| Queue_Deal: player a2 takes the pair of slot 0 (d2.w: axis, child), the others move up, a new pair is drawn for slot 4.
        .global Queue_Deal
Queue_Deal:
        movea.l P_QUEUE(a2),a3
        move.w  Q_NEXT(a3),d2
        move.l  Q_NEXT+2(a3),Q_NEXT(a3)
        moveq   #4,d1
        bsr.s   Queue_Draw
        bsr     Fault_Deal
        addq.w  #1,Q_DEALT(a3)
        addq.l  #1,(PairsDealt).l
        rts

| Queue_Draw: the next two bytes of the player's pool into slot d1 of queue a3. The index wraps at 256, so 128 pairs
| come again and again. Keeps d1, d2, a2, a3.
Queue_Draw:
        bsr.s   Pool_Choose
        moveq   #0,d0
        move.b  Q_INDEX(a3),d0
        move.b  (a1,d0.w),Q_NEXT(a3,d1.w)
        addq.b  #1,d0
        move.b  (a1,d0.w),Q_NEXT+1(a3,d1.w)
        addq.b  #1,d0
        move.b  d0,Q_INDEX(a3)
        rts

| Pool_Choose: a1 = pool of player a2. Levels 0 and 1: PoolA, 2: PoolB, 3 and 4: PoolC; in story always PoolA.
Pool_Choose:
        lea     (PoolA).l,a1
        move.b  (GameMode).l,d0
        andi.b  #3,d0
        beq.s   1f
        move.b  P_LEVEL(a2),d0
        cmpi.b  #2,d0
        bcs.s   1f
        lea     (PoolB).l,a1
        beq.s   1f
        lea     (PoolC).l,a1
1:      rts
