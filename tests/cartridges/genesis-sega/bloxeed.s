| The pieces as Bloxeed deals them: one by one, from a generator of their own.

        .include "ram.inc"
        .text

| Bloxeed_Begin: rule 6, one result of the main generator seeds the pieces. Every game with an odd number is continued once:
| it begins again from the stored seed.
        .global Bloxeed_Begin
Bloxeed_Begin:
        btst    #0,(GameNumber+3).l
        beq.s   1f
        tst.w   (Continued).l
        bne.s   1f
        move.w  #1,(Continued).l
        addq.l  #1,(ContinueCount).l
        move.l  (PieceSeed).l,(PieceState).l
        bra.s   2f
1:      clr.w   (Continued).l
        lea     (Seed).l,a0
        bsr     RandomLater
        move.l  d0,(PieceSeed).l
        move.l  d0,(PieceState).l
        addq.l  #1,(GameNumber).l
2:      clr.w   (DealtHere).l
        move.w  (CFG_FRAMES).l,(FramesLeft).l
        move.w  (CFG_PIECES).l,(PiecesLeft).l
        rts

| Bloxeed_Deal: rule 7, a piece from the lowest seven bits of a draw; rule 8, after every third piece an item.
        .global Bloxeed_Deal
Bloxeed_Deal:
        lea     (PieceState).l,a0
        bsr     RandomLater
        andi.l  #0x7F,d0
        move.w  d0,d4
        divu.w  #7,d0
        swap    d0
        tst.w   (CFG_TABLE).l
        beq.s   2f
        cmpi.w  #0x70,d4
        bcs.s   2f
        cmpi.w  #1,d0
        beq.s   1f
        cmpi.w  #2,d0
        bne.s   2f
1:      moveq   #0,d0
2:      move.w  d0,d3                   | the code that was drawn
        tst.w   (CFG_FAULTS).l
        beq.s   4f
        lea     (FaultNoise).l,a0
        bsr     Noise
        clr.w   d0
        swap    d0
        divu.w  (CFG_FAULTS).l,d0
        swap    d0
        tst.w   d0
        bne.s   4f
        bsr     Noise
        clr.w   d0
        swap    d0
        divu.w  #6,d0
        swap    d0
        addq.w  #1,d0                   | 1 to 6 further on
        add.w   d3,d0
        cmpi.w  #7,d0
        bcs.s   3f
        subq.w  #7,d0
3:      move.l  (FaultCount).l,d6
        bsr     Record
        move.l  (GameNumber).l,(L_GAME,a1)
        move.w  (DealtHere).l,(L_INDEX,a1)
        move.b  d3,(L_RIGHT,a1)
        move.b  d0,(L_WRITTEN,a1)
        addq.l  #1,d6
        move.l  d6,(L_NUMBER,a1)
        move.l  d6,(FaultCount).l
        move.w  d0,d3
4:      move.b  d3,(Piece).l
        addq.w  #1,(DealtHere).l
        addq.l  #1,(DealCount).l
        move.l  (DealCount).l,d0
        divu.w  #3,d0
        swap    d0
        tst.w   d0
        bne.s   5f
        lea     (Seed).l,a0
        bsr     RandomLater
5:      rts
