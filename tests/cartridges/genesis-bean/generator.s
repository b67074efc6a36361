| Rule 3: the pools of a round.

        .include "ram.inc"
        .text

SECOND_FROM     = 8                     | bytes of the second pool that stay those of the first
SECOND_BYTES    = POOL_BYTES-SECOND_FROM

        .global Colors
Colors: .byte   0, 1, 3, 4, 5
        .even

| Generate: a step of the round script; exercise has no pools. Interrupts stay enabled while it draws; they are masked only where it notes R, so
| that the note and the count of draws belong together.
        .global Generate
Generate:
        cmpi.b  #2,(GameMode).l
        beq     9f
        move    #0x2700,sr
        clr.w   (DrawCount).l
        clr.w   (InterruptCount).l
        st      (Generating).l
        move.l  (RngState).l,(SeedBefore).l
        move    #0x2300,sr

        move.w  (FaultDraw).l,d4        | draws to the one after which R is spoilt

| 4 colours in versus and in the lessons, 5 elsewhere.
        moveq   #4,d2
        cmpi.b  #1,(GameMode).l
        beq.s   1f
        cmpi.b  #3,(Level).l
        bcs.s   1f
        moveq   #5,d2
1:      lea     (Pool1).l,a1
        move.w  #POOL_BYTES,d1
        bsr     Pool_Fill
        lea     (Pool1).l,a1
        move.w  #POOL_BYTES-1,d1
2:      bsr     Random
        subq.w  #1,d4
        bne.s   3f
        bsr     Fault_Step
3:      andi.w  #0x00FF,d0
        move.b  (a1,d0.w),d3
        move.b  (a1,d1.w),(a1,d0.w)
        move.b  d3,(a1,d1.w)
        dbf     d1,2b

        lea     (Pool2).l,a2
        moveq   #POOL_BYTES/4-1,d1
4:      move.l  (a1)+,(a2)+
        dbf     d1,4b
        cmpi.b  #1,(GameMode).l
        bne.s   7f

| Versus: the second pool from its fifth pair on has 5 colours and a shuffle of its own.
        lea     (Pool2+SECOND_FROM).l,a1
        move.w  #SECOND_BYTES,d1
        moveq   #5,d2
        bsr     Pool_Fill
        lea     (Pool2+SECOND_FROM).l,a1
        move.w  #SECOND_BYTES-1,d1
5:      move.w  #SECOND_BYTES,d0
        bsr     Random_Below
        subq.w  #1,d4
        bne.s   6f
        bsr     Fault_Step
6:      move.b  (a1,d0.w),d3
        move.b  (a1,d1.w),(a1,d0.w)
        move.b  d3,(a1,d1.w)
        dbf     d1,5b

7:      move    #0x2700,sr
        clr.b   (Generating).l
        move.l  (RngState).l,(SeedAfter).l
        move    #0x2300,sr
9:      andi    #0xFE,ccr
        rts

| Pool_Fill: d1 bytes at a1, the first d2 colours in turn.
Pool_Fill:
        subq.w  #1,d1
        lea     (Colors,pc),a0
        moveq   #0,d0
1:      move.b  (a0,d0.w),(a1)+
        addq.w  #1,d0
        cmp.w   d2,d0
        bcs.s   2f
        moveq   #0,d0
2:      dbf     d1,1b
        rts

| Generation_Log: a step of the round script: what the generation was, and where the interrupts fell. The number comes last.
        .global Generation_Log
Generation_Log:
        cmpi.b  #2,(GameMode).l
        beq.s   2f
        move.l  (GenerationCount).l,d0
        andi.l  #0xFF,d0
        lsl.l   #5,d0
        lea     (GenerationLog).l,a0
        adda.l  d0,a0
        move.l  (RoundNumber).l,(a0)+
        move.l  (SeedBefore).l,(a0)+
        move.l  (SeedAfter).l,(a0)+
        move.b  (GameMode).l,(a0)+
        move.b  (Level).l,(a0)+
        move.w  (InterruptCount).l,(a0)+
        lea     (Interrupts).l,a1
        moveq   #INTERRUPTS_MOST-1,d0
1:      move.l  (a1)+,(a0)+
        dbf     d0,1b
        addq.l  #1,(GenerationCount).l
2:      andi    #0xFE,ccr
        rts
