| Faults on purpose, and the log that says which. Their own chances come from FaultNoise, never from R.

        .include "ram.inc"
        .text

KIND_POOL       = 1
KIND_PAIR       = 2
KIND_STEP       = 3
KIND_ORDER      = 4
KIND_FRAMES     = 5
KIND_JUMP       = 6
STUCK_FOR       = 180                   | vertical interrupts

| Fault_At: d0.w = the configured place if it is below d0, otherwise any place below d0.
Fault_At:
        cmp.w   (CFG_FAULT_AT).l,d0
        bls.s   1f
        move.w  (CFG_FAULT_AT).l,d0
        rts
1:      lea     (FaultNoise).l,a0
        bra     Noise_Below

| Fault_Plan: a step of the round script, before the generator: behind which of its draws R is spoilt, and at which pairs
| of player 1 the frame counter sticks and R jumps.
        .global Fault_Plan
Fault_Plan:
        clr.w   (FaultDraw).l
        cmpi.b  #2,(GameMode).l         | exercise has no generation
        beq.s   2f
        btst    #FAULT_STEP,(FaultSwitch).l
        beq.s   2f
        move.w  #256,d0
        cmpi.b  #1,(GameMode).l
        bne.s   1f
        move.w  #504,d0
1:      subq.w  #1,d0                   | not behind the last, which no pool shows
        bsr.s   Fault_At
        addq.w  #1,d0
        move.w  d0,(FaultDraw).l
2:      moveq   #FAULT_FRAMES,d1
        lea     (StuckAt).l,a1
        bsr.s   Fault_PlanPair
        moveq   #FAULT_JUMP,d1
        lea     (JumpAt).l,a1
        bsr.s   Fault_PlanPair
        andi    #0xFE,ccr
        rts

| Fault_PlanPair: at a1 the pair for the fault of switch bit d1.
Fault_PlanPair:
        move.w  #0xFFFF,(a1)
        btst    d1,(FaultSwitch).l
        beq.s   1f
        move.w  (CFG_PAIRS).l,d0
        bsr.s   Fault_At
        move.w  d0,(a1)
1:      rts

| Fault_Step: behind the planned draw of a generation. Preserves all but a0.
        .global Fault_Step
Fault_Step:
        movem.l d0-d7,-(sp)
        move.w  (FaultDraw).l,d6
        moveq   #KIND_STEP,d4
        bsr.s   Fault_Jump
        movem.l (sp)+,d0-d7
        rts

| Fault_Jump: a bit of R's high word changes, by one instruction that no interrupt divides; for the log: d4 kind, d6 index.
Fault_Jump:
        lea     (FaultNoise).l,a0
        moveq   #8,d0
        bsr     Noise_Below
        move.b  (RngState).l,d3
        move.b  d3,d1
        bchg    d0,d1
        bchg    d0,(RngState).l
        moveq   #0,d5
        moveq   #0,d7
        bra     Fault_Log

| Fault_Pool: a step of the round script, between generator and queues. One byte of one pool of this round becomes another
| colour of that place.
        .global Fault_Pool
Fault_Pool:
        btst    #FAULT_POOL,(FaultSwitch).l
        beq     9f
        cmpi.b  #2,(GameMode).l
        beq     9f
        moveq   #0,d5                   | the pool
        bsr     Opponent_Scripts
        bne.s   1f                      | who writes to the second pool himself spoils only the first
        lea     (FaultNoise).l,a0
        moveq   #2,d0
        bsr     Noise_Below
        move.w  d0,d5
1:      lea     (Pool1).l,a1
        move.w  d5,d0
        lsl.w   #8,d0
        adda.w  d0,a1
        move.w  #POOL_BYTES,d0
        bsr     Fault_At
        move.w  d0,d6                   | the byte
        adda.w  d0,a1
        moveq   #KIND_POOL,d4
        moveq   #0,d7
        bsr     Fault_Color
9:      andi    #0xFE,ccr
        rts

| Fault_Deal: after a pair was drawn into the third slot of queue a3 of player a2: about once in so many draws as the
| configuration says, or at the configured pair of every round. A pair's number is the number of pairs dealt when it is
| next in the queue: for the third slot the count before this deal, and three more. Keeps d2 and a2-a6.
        .global Fault_Deal
Fault_Deal:
        move.b  (FaultSwitch).l,d0
        andi.b  #(1<<FAULT_PAIR)+(1<<FAULT_ORDER),d0
        beq     9f
        cmpi.b  #2,(GameMode).l         | nobody knows what should have come
        beq     9f
        bsr     Opponent_Sets
        bne     9f
        move.w  (CFG_FAULT_AT).l,d0
        cmpi.w  #0xFFFF,d0
        beq.s   1f
        subq.w  #3,d0
        cmp.w   Q_DEALT(a3),d0
        beq.s   2f
        rts
1:      tst.w   (FaultCountdown).l
        bne.s   3f
        bsr     Fault_NextCountdown     | the switch has just been turned on for the first time
3:      subq.w  #1,(FaultCountdown).l
        bne     9f
        bsr     Fault_NextCountdown

2:      lea     (FaultNoise).l,a0
        moveq   #2,d0
        bsr     Noise_Below
        move.w  d0,d7                   | 0 axis, 1 child
        moveq   #0,d5
        move.b  P_NUMBER(a2),d5
        move.w  Q_DEALT(a3),d6
        btst    #FAULT_ORDER,(FaultSwitch).l
        beq.s   5f
        btst    #FAULT_PAIR,(FaultSwitch).l
        beq.s   4f
        moveq   #2,d0
        bsr     Noise_Below
        tst.w   d0
        beq.s   5f

| Order: second and third change places, if they differ. Pair number and bytes are those of the second slot.
4:      move.l  Q_SECOND(a3),d0
        move.w  d0,d1
        swap    d0
        cmp.w   d0,d1
        beq     9f
        move.l  d0,Q_SECOND(a3)
        move.w  d0,d3
        lsr.w   #8,d3
        lsr.w   #8,d1
        addq.w  #2,d6
        moveq   #0,d7
        moveq   #KIND_ORDER,d4
        bra     Fault_Log
5:      lea     Q_SECOND+2(a3),a1
        adda.w  d7,a1
        addq.w  #3,d6
        moveq   #KIND_PAIR,d4
        bsr     Fault_Color
9:      rts

| Fault_Play: after player 1 was dealt a pair: the frame counter sticks for a while, R jumps.
        .global Fault_Play
Fault_Play:
        move.w  (Queue1+Q_DEALT).l,d6
        cmp.w   (JumpAt).l,d6
        bne.s   1f
        move.w  #0xFFFF,(JumpAt).l
        moveq   #KIND_JUMP,d4
        bsr     Fault_Jump
1:      cmp.w   (StuckAt).l,d6
        bne.s   2f
        move.w  #0xFFFF,(StuckAt).l
        move.w  #STUCK_FOR,(StuckFrames).l
        moveq   #KIND_FRAMES,d4
        moveq   #0,d5
        moveq   #0,d7
        move.w  (FrameCounter).l,d3
        move.b  d3,d1
        lsr.w   #8,d3
        bsr     Fault_Log
2:      rts

| Fault_NextCountdown: 1 to 2n-1 draws for a configured mean of n.
Fault_NextCountdown:
        lea     (FaultNoise).l,a0
        move.w  (CFG_FAULT_EVERY).l,d0
        bne.s   1f
        moveq   #1,d0
1:      add.w   d0,d0
        subq.w  #1,d0
        bsr     Noise_Below
        addq.w  #1,d0
        move.w  d0,(FaultCountdown).l
        rts

| Fault_Color: the byte at a1 becomes another colour, one of the first four. For the log: d4 kind, d5 pool or player, d6
| index, d7 byte of the pair.
Fault_Color:
        move.l  a4,-(sp)
        lea     (FaultNoise).l,a0
        moveq   #4,d0
        bsr     Noise_Below
        lea     (Colors).l,a4
        move.b  (a1),d3                 | right
        move.b  (a4,d0.w),d1
        cmp.b   d1,d3
        bne.s   1f
        addq.w  #1,d0
        andi.w  #3,d0
        move.b  (a4,d0.w),d1            | wrong
1:      move.b  d1,(a1)
        movea.l (sp)+,a4

| Fault_Log: the record of a fault. The count goes up last.
Fault_Log:
        move.l  (FaultCount).l,d0
        andi.w  #0xFF,d0
        lsl.w   #4,d0
        lea     (FaultLog).l,a0
        adda.w  d0,a0
        move.l  (FaultCount).l,d0
        addq.l  #1,d0
        move.l  d0,(a0)+                | +0 number
        move.b  d4,(a0)+                | +4 kind
        move.b  d5,(a0)+                | +5 pool or player
        move.w  d6,(a0)+                | +6 index
        move.b  d3,(a0)+                | +8 right
        move.b  d1,(a0)+                | +9 wrong
        move.b  d7,(a0)+                | +A axis or child
        clr.b   (a0)+
        move.l  (RoundNumber).l,(a0)+   | +C round
        move.l  d0,(FaultCount).l
        rts
