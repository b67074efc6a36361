| The robot: presses the buttons of controller 1, for emulators that tests give no input. A few taps for each pair, some of them too soon
| to count, then Down until it lies; one pair in eight falls by itself.

        .include "ram.inc"
        .text

ROBOT_DOWN      = 0x02

| Robot_Buttons: d0 = the buttons that are held in this pass. Changes d1, a2.
        .global Robot_Buttons
Robot_Buttons:
        tst.b   (Own1+OWN_FALLING).l
        bne.s   1f
        bsr     Robot_Random
        andi.b  #3,d0
        move.b  d0,(RobotTaps).l
        clr.w   (RobotCount).l
        clr.b   (RobotButtons).l
        bra.s   7f

1:      subq.w  #1,(RobotCount).l
        bgt.s   7f
        move.b  (RobotButtons).l,d1
        cmpi.b  #ROBOT_DOWN,d1
        beq.s   7f
        tst.b   d1
        bne.s   5f
        tst.b   (RobotTaps).l
        beq.s   4f

        subq.b  #1,(RobotTaps).l
        bsr.s   Robot_Random
        andi.w  #7,d0
        lea     (RobotChoices,pc),a2
        move.b  (a2,d0.w),(RobotButtons).l
        bsr.s   Robot_Random
        andi.w  #1,d0
        add.w   (CFG_PRESS).l,d0
        bra.s   6f

4:      bsr.s   Robot_Random
        andi.w  #7,d0
        beq.s   8f
        move.b  #ROBOT_DOWN,(RobotButtons).l
        bra.s   7f
8:      move.w  #0x7FFF,d0
        bra.s   6f

5:      clr.b   (RobotButtons).l
        bsr.s   Robot_Random
        andi.w  #3,d0
        subq.w  #1,d0
        add.w   (CFG_RELEASE).l,d0
        bgt.s   6f
        moveq   #1,d0
6:      move.w  d0,(RobotCount).l
7:      moveq   #0,d0
        move.b  (RobotButtons).l,d0
        rts

RobotChoices:   .byte   0x04, 0x08, 0x04, 0x08, 0x04, 0x08, 0x40, 0x10

| Robot_Random: d0 = a random byte.
Robot_Random:
        move.w  (RobotNoise).l,d0
        mulu    #25173,d0
        addi.w  #13849,d0
        move.w  d0,(RobotNoise).l
        lsr.w   #8,d0
        rts
