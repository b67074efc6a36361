| Faults on purpose, and the log that says which. Their own chances come from FaultNoise, never from R.

        .include "ram.inc"
        .text

KIND_POOL       = 1
KIND_DEALT      = 2

| Fault_Pool: a step of the round script, after the generator and before the queues. One byte of one pool of this
| round becomes another of that pool's colours.
        .global Fault_Pool
Fault_Pool:
        btst    #0,(FaultSwitch).l
        beq.s   9f
        lea     (FaultNoise).l,a0

| d5 = the pool: 0 PoolA, 1 PoolB, 2 PoolC; d1 = its number of colours
        moveq   #2,d0
        cmpi.b  #1,(GameMode).l
        bne.s   1f
        moveq   #3,d0
1:      bsr     Noise_Below
        move.w  d0,d5
        moveq   #4,d1
        cmpi.b  #1,(GameMode).l
        beq.s   2f
        cmpi.b  #2,(Rank).l             | story: 4 colours, 5 from rank 2
        bcs.s   3f
        moveq   #5,d1
        bra.s   3f
2:      moveq   #3,d1                   | versus: 3, 4 and 5, one less with N >= 5
        add.w   d5,d1
        cmpi.b  #5,(Options+OPT_POP_COUNT).l
        bcs.s   3f
        subq.w  #1,d1

3:      lea     (PoolA).l,a1
        move.w  d5,d0
        lsl.w   #8,d0
        adda.w  d0,a1
        move.w  #256,d0
        bsr     Noise_Below
        move.w  d0,d6                   | d6 = the byte
        adda.w  d0,a1
        moveq   #KIND_POOL,d4
        moveq   #0,d7
        bsr.s   Fault_Make
9:      andi    #0xFE,ccr
        rts

| Fault_Deal: after player a2's queue a3 got a new pair in slot 4, about once in so many draws as the config says.
| One byte of it becomes another of the set's five colours. The pair's number is the number of pairs dealt when it
| will be first in the queue: the count before this deal, and three more. Keeps d2 and a2-a6.
        .global Fault_Deal
Fault_Deal:
        btst    #1,(FaultSwitch).l
        beq.s   9f
        lea     (FaultNoise).l,a0
        tst.w   (FaultCountdown).l
        bne.s   1f
        bsr.s   Fault_NextCountdown     | the switch has just been turned on for the first time
1:      subq.w  #1,(FaultCountdown).l
        bne.s   9f
        bsr.s   Fault_NextCountdown
        lea     Q_NEXT+4(a3),a1
        moveq   #2,d0
        bsr     Noise_Below
        move.w  d0,d7                   | d7 = 0 axis, 1 child
        adda.w  d0,a1
        moveq   #0,d5
        move.b  P_NUMBER(a2),d5
        move.w  Q_DEALT(a3),d6
        addq.w  #3,d6
        moveq   #5,d1
        moveq   #KIND_DEALT,d4
        bsr.s   Fault_Make
9:      rts

| Fault_NextCountdown: 1 to 2n-1 draws for a configured mean of n.
Fault_NextCountdown:
        move.w  (CFG_FAULT_EVERY).l,d0
        bne.s   1f
        moveq   #1,d0
1:      add.w   d0,d0
        subq.w  #1,d0
        bsr     Noise_Below
        addq.w  #1,d0
        move.w  d0,(FaultCountdown).l
        rts

| Fault_Make: the byte at a1 becomes another of the first d1 colours of the set, and the log gets its record:
| d4 kind, d5 pool or player, d6 index, d7 byte of the pair. The count goes up last.
Fault_Make:
        move.l  a4,-(sp)
        move.w  d1,d0
        bsr     Noise_Below
        lea     (ColorSet).l,a4
        move.b  (a1),d3                 | right
1:      cmp.b   (a4,d0.w),d3
        bne.s   2f
        addq.w  #1,d0
        cmp.w   d1,d0
        bcs.s   1b
        moveq   #0,d0
        bra.s   1b
2:      move.b  (a4,d0.w),(a1)
        move.b  (a4,d0.w),d1            | wrong

        move.l  (FaultCount).l,d0
        andi.w  #0xFF,d0
        lsl.w   #4,d0
        lea     (FaultLog).l,a4
        adda.w  d0,a4
        move.l  (FaultCount).l,d0
        addq.l  #1,d0
        move.l  d0,(a4)+                | +0 number
        move.b  d4,(a4)+                | +4 kind
        move.b  d5,(a4)+                | +5 pool or player
        move.w  d6,(a4)+                | +6 index
        move.b  d3,(a4)+                | +8 right
        move.b  d1,(a4)+                | +9 wrong
        move.b  d7,(a4)+                | +A axis or child
        clr.b   (a4)+
        move.l  (RoundNumber).l,(a4)+   | +C round
        move.l  d0,(FaultCount).l
        movea.l (sp)+,a4
        rts
