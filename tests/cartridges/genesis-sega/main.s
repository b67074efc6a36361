| From power on to the main loop; the game: a thousand pieces are drawn, some of them dealt, the monkey is shown every other time.

        .include "ram.inc"
        .text

        .global Reset
Reset:
        move    #0x2700,sr
        move.b  (VERSION).l,d0
        andi.b  #0x0F,d0
        beq.s   1f
        move.l  #0x53454741,(TMSS).l    | "SEGA": later consoles lock the video chip without it
1:      move.w  #0x0100,(Z80_BUS).l     | the Z80 has nothing to do here: bus taken, reset held
        move.w  #0x0000,(Z80_RESET).l
        move.b  #0x9F,(PSG).l           | silence
        move.b  #0xBF,(PSG).l
        move.b  #0xDF,(PSG).l
        move.b  #0xFF,(PSG).l

        | RAM is noise, as other parts of a game would leave it; our own cells are zero.
        lea     (STACK_TOP).l,sp
        lea     (FaultNoise).l,a0
        move.l  #0x31415926,(a0)
        lea     (0x00FF3000).l,a1
        move.w  #(0x8F00/4)-1,d7        | to FFBF00: the stack is left alone
2:      bsr     Noise
        move.l  d0,(a1)+
        dbra    d7,2b
        lea     (0x00FFC000).l,a1
        move.w  #(0x4000/4)-1,d7
3:      bsr     Noise
        move.l  d0,(a1)+
        dbra    d7,3b
        moveq   #0,d0
        move.l  d0,(GameNumber).l
        move.l  d0,(DealCount).l
        move.l  d0,(FrameCount).l
        move.w  d0,(FrameFlag).l
        move.l  d0,(FaultCount).l
        move.w  d0,(Continued).l
        move.l  d0,(ContinueCount).l
        move.l  (CFG_SEED).l,(Seed).l

        | Video: only the vertical interrupt is needed, and a picture.
        lea     (VDP_CONTROL).l,a1
        lea     (VideoSetup,pc),a2
        moveq   #(VideoSetupEnd-VideoSetup)/2-1,d7
4:      move.w  (a2)+,(a1)
        dbra    d7,4b

        bsr     Game_Begin
        move    #0x2300,sr

| MainLoop: one pass a frame.
MainLoop:
        tst.w   (FrameFlag).l
        beq     MainLoop
        clr.w   (FrameFlag).l
        addq.l  #1,(FrameCount).l
        subq.w  #1,(FramesLeft).l
        bgt     MainLoop
        move.w  (CFG_FRAMES).l,(FramesLeft).l
        tst.w   (PiecesLeft).l
        beq.s   1f
        subq.w  #1,(PiecesLeft).l
        bsr     Piece_Deal
        bra     MainLoop
1:      bsr     Game_Over
        bsr     Game_Begin
        bra     MainLoop

| Piece_Deal: the next piece comes into play, and the count goes up; after the thousandth comes the first again.
Piece_Deal:
        tst.w   (CFG_GAME).l
        bne     Bloxeed_Deal
        lea     (Sequence).l,a0
        move.w  (Index).l,d0
        move.b  (a0,d0.w),(Piece).l
        addq.w  #1,d0
        cmpi.w  #LENGTH,d0
        bne.s   1f
        moveq   #0,d0
1:      move.w  d0,(Index).l
        addq.l  #1,(DealCount).l
        rts

| Game_Over: after every second game the monkey is shown, which takes one draw.
Game_Over:
        tst.w   (CFG_GAME).l
        bne.s   1f
        btst    #0,(GameNumber+3).l
        bne.s   1f
        bsr     Random
1:      rts

| Game_Begin: rule 2, a thousand pieces from the lowest six bits of a thousand draws.
Game_Begin:
        tst.w   (CFG_GAME).l
        bne     Bloxeed_Begin
        clr.w   (Index).l
        lea     (Sequence).l,a3
        move.w  #LENGTH-1,d7
1:      bsr     Random
        andi.l  #0x3F,d0
        divu.w  #7,d0
        swap    d0
        move.b  d0,(a3)+
        dbra    d7,1b
        addq.l  #1,(GameNumber).l
        move.w  (CFG_FRAMES).l,(FramesLeft).l
        move.w  (CFG_PIECES).l,(PiecesLeft).l
        move.w  (CFG_FAULTS).l,d7
        bra.s   3f
2:      bsr.s   Fault_Make
3:      dbra    d7,2b
        rts

| Fault_Make: another code than the one that was drawn, at a place that no fault of this game has touched, and a record.
Fault_Make:
        lea     (FaultNoise).l,a0
1:      bsr     Noise
        clr.w   d0
        swap    d0
        divu.w  #LENGTH,d0
        swap    d0
        move.w  d0,d4                   | the place
        move.w  (CFG_FAULTS).l,d5       | records of this game are the last ones: look through them
        move.l  (FaultCount).l,d6
2:      subq.w  #1,d5
        blt.s   3f
        tst.l   d6
        beq.s   3f
        subq.l  #1,d6
        bsr     Record
        move.l  (L_GAME,a1),d0
        cmp.l   (GameNumber).l,d0
        bne.s   2b
        cmp.w   (L_INDEX,a1),d4
        beq.s   1b
        bra.s   2b
3:      bsr     Noise
        clr.w   d0
        swap    d0
        divu.w  #6,d0
        swap    d0
        addq.w  #1,d0                   | 1 to 6 further on
        lea     (Sequence).l,a3
        moveq   #0,d3
        move.b  (a3,d4.w),d3
        add.w   d3,d0
        cmpi.w  #7,d0
        bcs.s   4f
        subq.w  #7,d0
4:      move.l  (FaultCount).l,d6
        bsr     Record
        move.l  (GameNumber).l,(L_GAME,a1)
        move.w  d4,(L_INDEX,a1)
        move.b  d3,(L_RIGHT,a1)
        move.b  d0,(L_WRITTEN,a1)
        move.b  d0,(a3,d4.w)
        addq.l  #1,d6
        move.l  d6,(L_NUMBER,a1)
        move.l  d6,(FaultCount).l
        rts

| Record: a1 = the record with number d6, counted from 0.
        .global Record
Record:
        move.l  d6,-(sp)
        andi.l  #0xFF,d6
        lsl.l   #4,d6
        lea     (FaultLog).l,a1
        adda.l  d6,a1
        move.l  (sp)+,d6
        rts

| VerticalInterrupt: says that a frame has passed.
        .global VerticalInterrupt
VerticalInterrupt:
        move.w  #1,(FrameFlag).l
        rte

| Halt: any exception that must not happen. Red screen, the counters stop.
        .global Halt, Ignore
Halt:   move.l  #0xC0000000,(VDP_CONTROL).l
        move.w  #0x000E,(VDP_DATA).l
        bra     Halt

| Ignore: an interrupt that needs no answer.
Ignore: rte

VideoSetup:
        .word   0x8004                  | no horizontal interrupt
        .word   0x8164                  | picture on, vertical interrupt on
        .word   0x8230, 0x8407          | planes at C000 and E000
        .word   0x8700                  | background: colour 0
        .word   0x8A00, 0x8B00, 0x8C81  | 40 columns
        .word   0x8F02
VideoSetupEnd:
