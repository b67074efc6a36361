| The main loop, the vertical interrupt, the clocks, the controllers and what their buttons do.

        .include "ram.inc"
        .text

TICK            = 0x4022
TICK_MODULUS    = 1000000

| MainLoop: one pass a frame. A pass that takes longer than a frame (a round is generated) misses interrupts,
| it does not catch up with them: the pass counter then lags behind TickSum, as in the game.
| Stack pointer here: FF8000. It decides every later one, see random.s.
        .global MainLoop
MainLoop:
        tst.w   (FrameFlag).l
        beq     MainLoop
        clr.w   (FrameFlag).l
        addq.b  #1,(PassCounter).l
        addq.l  #1,(FrameCount).l
        bsr.s   Clock_Run
        bsr     Pads_Read
        bsr     Buttons_Run
        tst.b   (PauseFlag).l
        bne.s   1f
        bsr     Script_Run
        bsr     Events_Run
1:      bsr     Screen_Run
        bra     MainLoop

| VerticalInterrupt: rule 6, the movement that never stops, whatever the main loop is busy with.
        .global VerticalInterrupt
VerticalInterrupt:
        move.l  d0,-(sp)
        move.w  #1,(FrameFlag).l
        tst.b   (TickStop).l
        bne.s   2f
        move.l  (TickSum).l,d0
        addi.l  #TICK,d0
        cmpi.l  #TICK_MODULUS,d0
        bcs.s   1f
        subi.l  #TICK_MODULUS,d0
1:      move.l  d0,(TickSum).l
2:      move.l  (sp)+,d0
        rte

| Clock_Run: rule 6, seconds and minutes of play; a second is 60 passes.
Clock_Run:
        subq.w  #1,(SecondDivider).l
        bgt.s   1f
        move.w  #60,(SecondDivider).l
        addq.w  #1,(PlaySeconds).l
        addq.b  #1,(ClockSeconds).l
        cmpi.b  #60,(ClockSeconds).l
        bne.s   1f
        clr.b   (ClockSeconds).l
        addq.b  #1,(ClockMinutes).l
1:      rts

| Pads_Read: both three-button controllers, held and newly pressed.
Pads_Read:
        lea     (PAD_1_DATA).l,a0
        lea     (Pad1).l,a1
        tst.w   (CFG_ROBOT).l
        beq.s   1f
        bsr     Robot_Buttons
        bsr.s   Pad_Store
        bra.s   2f
1:      bsr.s   Pad_ReadOne
2:      lea     (PAD_2_DATA).l,a0
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
        bne.s   Pad_Store
        moveq   #0,d0

| Pad_Store: the buttons d0 are held now: cells a1.
Pad_Store:
        move.b  (a1),d1
        not.b   d1
        and.b   d0,d1
        move.b  d0,(a1)+
        move.b  d1,(a1)
        rts

| Buttons_Run: controller 1. A and B switch the two kinds of faults, C starts a round, Start pauses. Where the controller
| moves the pairs, Start is all that is left.
Buttons_Run:
        move.b  (Pad1+1).l,d0
        btst    #0,(HandSwitch).l
        beq.s   5f
        andi.b  #0x80,d0
5:      btst    #6,d0
        beq.s   1f
        bchg    #0,(FaultSwitch).l
1:      btst    #4,d0
        beq.s   2f
        bchg    #1,(FaultSwitch).l
2:      btst    #7,d0
        beq.s   3f
        tst.w   (CFG_START).l           | before the first round it may be the button that the title waits for
        beq.s   6f
        tst.l   (RoundNumber).l
        beq.s   3f
6:      not.b   (PauseFlag).l
3:      btst    #5,d0
        beq.s   4f
        clr.b   (PauseFlag).l
        bsr     Script_ForceRound
4:      rts
