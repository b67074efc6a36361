; Faults on purpose (README, "Faults"), drawn from a generator of their own, and the log of them.

.include "ram.inc"
.import Step, SpawnTable, TypeOf
.export ChooseFault, PickFault, StepFault

.segment "CODE"
; Before a deal: whether it gets a fault, and which: of those requested the next in turn.
ChooseFault:
        lda ConfigFaults
        beq @none
        dec FaultWait
        bne @none
        lda ConfigFaultWait
        sta FaultWait
@turn:  lda FaultTurn           ; 1, 2, 4, 1 ...
        asl a
        cmp #8
        bcc @bit
        lda #1
@bit:   sta FaultTurn
        and ConfigFaults
        beq @turn
        cmp #1
        bne @other
        sta WrongPiece
        rts
@other: cmp #2
        bne @skip
        sta WrongStep           ; made while the piece falls
        rts
@skip:  sta SkipCount
        lda SpawnCount
        ldy #4
        ldx #0                  ; right is one more than it will be
        clc
        adc #1
        sta RightPiece
        lda SpawnCount
        jsr LogNext
@none:  rts

; After a pick, with the orientation in A: another piece instead, if requested.
PickFault:
        ldx WrongPiece
        bne @wrong
        rts
@wrong: sta RightPiece
        jsr Dice
        and #3
        sta Scratch
        ldx RightPiece
        lda TypeOf,x
        sec
        adc Scratch             ; one to four places further
        cmp #7
        bcc @place
        sbc #7
@place: tax
        lda #0
        sta WrongPiece
        lda SpawnTable,x
        pha
        ldy #1
        jsr LogThis
        pla
        rts

; In the middle of a fall: an extra step, or a bit of the state turns over.
StepFault:
        lda WrongStep
        beq @none
        lda #0
        sta WrongStep
        lda Rng
        sta RightPiece
        inc StepKind
        lda StepKind
        and #1
        beq @bit
        jsr Step
        jmp @log
@bit:   jsr Dice
        and #7
        tax
        lda Bits,x
        eor Rng
        sta Rng
@log:   lda Rng
        ldy #2
        jmp LogThis
@none:  rts

; The faults' dice: eight bits that shift to the right.
Dice:
        lda FaultDice
        lsr a
        bcc @even
        eor #$B8
@even:  sta FaultDice
        rts

; Writes a record: kind in Y, wrong in A, right in RightPiece, about the piece that is next (number Dealt) or the one that will be.
LogNext:
        sta Scratch
        lda Dealt
        clc
        adc #1
        tax
        lda Dealt+1
        adc #0
        jmp Write
LogThis:
        sta Scratch
        ldx Dealt
        lda Dealt+1
; X and A: the number.
Write:
        pha
        txa
        pha
        lda Faults              ; record (number - 1) modulo 32
        and #31
        asl a
        asl a
        asl a
        tax
        lda Faults
        clc
        adc #1
        sta Log,x
        lda Faults+1
        adc #0
        sta Log+1,x
        tya
        sta Log+2,x
        lda Game
        sta Log+3,x
        pla
        sta Log+4,x
        pla
        sta Log+5,x
        lda RightPiece
        sta Log+6,x
        lda Scratch
        sta Log+7,x
        inc Faults
        bne @end
        inc Faults+1
@end:   rts

.segment "RODATA"
Bits:   .byte 1, 2, 4, 8, 16, 32, 64, 128
