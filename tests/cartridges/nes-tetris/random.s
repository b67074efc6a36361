; The generator (README, rule 1), the interrupt that steps it, and the pick of a piece (rule 2).

.include "ram.inc"
.import PickFault
.export Nmi, Step, Pick, SpawnTable, TypeOf

.segment "CODE"
; Count the frame first, then step, then let the main loop go on.
Nmi:
        pha
        txa
        pha
        lda FrameCounter
        clc
        adc #1
        sta FrameCounter
        lda #0
        adc FrameCounter+1
        sta FrameCounter+1
        lda Rng
        and #2
        sta NmiScratch
        lda Rng+1
        and #2
        eor NmiScratch
        clc
        beq @shift
        sec
@shift: ror Rng
        ror Rng+1
        lda #1
        sta VblankFlag
        pla
        tax
        pla
        rti

; A step beside those of the frames. The interrupt may come in between, so that the scratch cell is the main loop's own; the
; passes are short enough that it does not.
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

; Picks a piece: A and SpawnId are its orientation.
Pick:
        lda SkipCount           ; a fault: this pick is not counted
        bne @counted
        inc SpawnCount
@counted:
        lda Rng
        clc
        adc SpawnCount
        and #7
        cmp #7
        beq @again
        tax
        lda SpawnTable,x
        cmp SpawnId
        bne @taken
@again: jsr Step
        lda Rng
        and #7
        clc
        adc SpawnId
@seven: cmp #7
        bcc @second
        sbc #7                  ; carry is set
        bcs @seven
@second:
        tax
        lda SpawnTable,x
@taken: jsr PickFault
        sta SpawnId
        rts

.segment "RODATA"
; T J Z O S L I
SpawnTable:
        .byte $02, $07, $08, $0A, $0B, $0E, $12
; Place in that table, by orientation.
TypeOf: .byte 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6
