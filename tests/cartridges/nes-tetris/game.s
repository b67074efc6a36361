; A game: its start, the deals, and its end.

.include "ram.inc"
.import Pick, Step, SpawnTable, TypeOf, ChooseFault, StepFault
.export StartGame, Play, Curtain

.segment "CODE"
; README, rule 3.
StartGame:
        inc Game
        bne @clear
        inc Game+1
@clear: lda #$EF
        ldx #0
@field: sta Playfield,x
        inx
        cpx #200
        bne @field
        lda #0
        ldx #13
@count: sta Statistics,x
        dex
        bpl @count
        sta SpawnId
        sta Dealt
        sta Dealt+1
        sta Where
        jsr Pick
        sta CurrentPiece
        jsr Counted
        jsr Step
        jsr Pick
        sta NextPiece
        jmp Fresh

; A pass of play: the piece falls, turns once, and locks when its time is over.
Play:
        dec Timer
        beq Deal
        lda Timer
        cmp HalfTimer
        bne @falls
        ldx CurrentPiece        ; turned
        lda Turned,x
        sta CurrentPiece
        jsr StepFault
@falls: lda Timer
        and #1
        bne @end
        lda PieceY
        cmp #19
        bcs @end
        inc PieceY
@end:   rts

; README, rule 4.
Deal:
        jsr Lock
        lda Dealt
        cmp ConfigPieces
        lda Dealt+1
        sbc ConfigPieces+1
        bcs @over
        jsr ChooseFault
        ldx NextPiece
        ldy TypeOf,x
        lda SpawnTable,y
        sta CurrentPiece
        jsr Counted
        jsr Pick
        sta NextPiece
        lda #0
        sta SkipCount
        jmp Fresh
@over:  lda #10
        sta PlayState
        lda #0
        sta Where
        rts

; The piece in play begins at the top.
Fresh:
        lda #1
        sta PlayState
        lda #5
        sta PieceX
        lda #0
        sta PieceY
        lda ConfigDeal          ; a little more or less, or the frames between picks were always the same
        sta Timer
        lsr a
        sta HalfTimer
        lda Dealt
        eor SpawnCount
        and #1
        clc
        adc Timer
        sta Timer
        rts

; The piece in A came into play.
Counted:
        tax
        lda TypeOf,x
        asl a
        tax
        lda Statistics,x        ; two decimal digits, and the hundreds above
        clc
        adc #1
        sta Scratch
        and #$0F
        cmp #$0A
        bcc @digits
        lda Scratch
        clc
        adc #6
        sta Scratch
        cmp #$A0
        bcc @digits
        lda #0
        sta Scratch
        inc Statistics+1,x
@digits:
        lda Scratch
        sta Statistics,x
        inc Dealt
        bne @all
        inc Dealt+1
@all:   inc DealtInAll
        bne @end
        inc DealtInAll+1
@end:   rts

; Four cells of the field, from the bottom up; a full field is emptied.
Lock:
        ldy #4
@cell:  lda #199
        sec
        sbc Where
        tax
        lda #$7B
        sta Playfield,x
        inc Where
        lda Where
        cmp #160
        bcc @next
        jsr Emptied
@next:  dey
        bne @cell
        rts

Emptied:
        lda #$EF
        ldx #0
        stx Where
@field: sta Playfield,x
        inx
        cpx #200
        bne @field
        rts

; The curtain falls, a row a pass; carry when it is down.
Curtain:
        lda #$13
        sta CurrentPiece
        ldx Where
        ldy #10
        lda #$4F
@cell:  sta Playfield,x
        inx
        dey
        bne @cell
        stx Where
        cpx #200
        bcc @more
        lda #0
        sta PlayState
        sec
@more:  rts

.segment "RODATA"
; The orientation after a turn.
Turned: .byte $03, $00, $01, $02, $07, $04, $05, $06, $09, $08, $0A, $0C, $0B, $10, $0D, $0E, $0F, $12, $11, $13
