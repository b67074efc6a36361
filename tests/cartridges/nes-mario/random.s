; The interrupt, the generator (README, rule 1) and the reserve of capsules (rule 3).

.include "ram.inc"
.export Nmi, Step, MakeReserve

.segment "CODE"
Nmi:
        pha
        lda Freeze
        beq @count
        dec Freeze
        jmp @flag
@count: inc FrameCounter
@flag:  lda #1
        sta VblankFlag
        pla
        rti

; Changes A only.
Step:
        lda Rng
        and #2
        sta Scratch
        lda Rng+1
        and #2
        eor Scratch
        cmp #1                  ; carry: the two bits differ
        ror Rng
        ror Rng+1
        rts

MakeReserve:
        lda #0
        sta Capsule
        ldx #127
@entry: cpx ExtraStepAt
        bne @step
        jsr Step
@step:  jsr Step
        lda Rng
        and #$0F
        clc
        adc Capsule
@nine:  cmp #9
        bcc @done
        sbc #9                  ; carry is set
        bcs @nine
@done:  sta Capsule
        sta Reserve,x
        dex
        bpl @entry
        rts
