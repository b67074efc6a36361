| The main loop, the vertical interrupt, the clocks, the controllers and what their buttons do.

        .include "ram.inc"
        .text

| MainLoop: one pass a frame. A pass that takes longer than a frame misses interrupts, it does not catch up with them.
        .global MainLoop
MainLoop:
        tst.w   (FrameFlag).l
        beq     MainLoop
        clr.w   (FrameFlag).l
        addq.l  #1,(PassCount).l
        bsr     Clock_Run
        bsr     Pads_Read
        bsr     Buttons_Run
        tst.b   (PauseFlag).l
        bne.s   1f
        bsr     Script_Run
        bsr     Events_Run
1:      bsr     Screen_Run
        bra     MainLoop

| VerticalInterrupt: rule 2, whatever the main loop is busy with. The interrupted address is behind the four saved
| registers and the status word.
        .global VerticalInterrupt
VerticalInterrupt:
        movem.l d0-d2/a0,-(sp)
        tst.w   (StuckFrames).l         | a fault: the counter does not move
        beq.s   1f
        subq.w  #1,(StuckFrames).l
        bra.s   2f
1:      addq.w  #1,(FrameCounter).l
2:      move.w  #1,(FrameFlag).l
        tst.b   (Generating).l
        beq.s   3f
        move.l  18(sp),d0
        bsr.s   Interrupt_Note
3:      bsr     Random
        subq.w  #1,(DrawCount).l        | this was none of the generator's
        movem.l (sp)+,d0-d2/a0
        rte

| Interrupt_Note: the generation was interrupted before the instruction at d0. Between load and store of Random the step of
| this interrupt is lost; behind the store the draw is over but not yet counted.
Interrupt_Note:
        move.w  (DrawCount).l,d1
        moveq   #IN_EXTRA,d2
        cmpi.l  #Random_Loaded,d0
        bcs.s   2f
        cmpi.l  #Random_Stored,d0
        bhi.s   2f
        beq.s   1f
        moveq   #IN_LOST,d2
        bra.s   2f
1:      addq.w  #1,d1
2:      move.w  (InterruptCount).l,d0
        cmpi.w  #INTERRUPTS_MOST,d0
        bcc.s   3f
        addq.w  #1,(InterruptCount).l
        lsl.w   #2,d0
        lea     (Interrupts).l,a0
        adda.w  d0,a0
        move.w  d1,(a0)+
        move.w  d2,(a0)
3:      rts

| Clock_Run: frames, seconds and minutes of play; a second is 60 passes.
Clock_Run:
        cmpi.b  #0x7F,(PlayerFlags).l
        bne.s   1f
        addq.w  #1,(PlayFrames).l
        subq.w  #1,(SecondDivider).l
        bgt.s   1f
        move.w  #60,(SecondDivider).l
        addq.w  #1,(PlaySeconds).l
        addq.w  #1,(ClockSeconds).l
        cmpi.w  #60,(ClockSeconds).l
        bne.s   1f
        clr.w   (ClockSeconds).l
        addq.w  #1,(ClockMinutes).l
1:      rts

| Pads_Read: both three-button controllers, held and newly pressed.
Pads_Read:
        lea     (PAD_1_DATA).l,a0
        lea     (Pad1).l,a1
        bsr.s   Pad_ReadOne
        lea     (PAD_2_DATA).l,a0
        lea     (Pad2).l,a1

| Pad_ReadOne: port a0 to cells a1. Bits: 7 Start, 6 A, 5 C, 4 B, 3 right, 2 left, 1 down, 0 up; 1 = pressed.
| All four directions at once cannot be: a port that says so has no controller.
Pad_ReadOne:
        move.b  #0x00,(a0)              | select low: Start and A
        nop
        nop
        move.b  (a0),d1
        lsl.b   #2,d1
        andi.b  #0xC0,d1
        move.b  #0x40,(a0)              | select high: C, B and the directions
        nop
        nop
        move.b  (a0),d0
        andi.b  #0x3F,d0
        or.b    d1,d0
        not.b   d0
        move.b  d0,d1
        andi.b  #0x0F,d1
        cmpi.b  #0x0F,d1
        bne.s   1f
        moveq   #0,d0
1:      move.b  (a1),d1
        not.b   d1
        and.b   d0,d1
        move.b  d0,(a1)+
        move.b  d1,(a1)
        rts

| Buttons_Run: controller 1. A switches pool faults, B faults of pairs, C starts a round, Start pauses.
Buttons_Run:
        move.b  (Pad1+1).l,d0
        btst    #6,d0
        beq.s   1f
        bchg    #FAULT_POOL,(FaultSwitch).l
1:      btst    #4,d0
        beq.s   2f
        bchg    #FAULT_PAIR,(FaultSwitch).l
2:      btst    #7,d0
        beq.s   3f
        not.b   (PauseFlag).l
        bchg    #7,(PlayerFlags).l
        bchg    #7,(PlayerFlags+1).l
3:      btst    #5,d0
        beq.s   4f
        clr.b   (PauseFlag).l
        bsr     Script_ForceRound
4:      rts
