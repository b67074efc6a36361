; The viruses of a level (README, rule 4).

.include "ram.inc"
.import Step, VirusFault
.export CountViruses, VirusPass

.segment "CODE"
; Of the player whose block begins X bytes after that of player 1: how many there are to be.
CountViruses:
        lda Player1+Level,x
        cmp #20
        bcc @low
        lda #20
@low:   clc
        adc #1
        asl a
        asl a
        sta Player1+VirusesToAdd,x
        ldy #0                  ; the same as two decimal digits
@ten:   cmp #10
        bcc @digit
        sbc #10
        iny
        bne @ten
@digit: sta Scratch
        tya
        asl a
        asl a
        asl a
        asl a
        ora Scratch
        sta Player1+VirusesLeft,x
        rts

; Mode 8: one attempt for each player; carry when nothing is left to add.
VirusPass:
        lda Player1+VirusesToAdd
        ora Player2+VirusesToAdd
        beq @full
        lda #>Field1
        sta Field+1
        ldx #0
        jsr AddVirus
        ldx Players
        dex
        beq @done
        lda Player1+Level       ; the same level: player 2 gets a copy
        cmp Player2+Level
        bne @other
        lda Position
        bmi @done
        tay
        lda Field1,y
        sta Field2,y
        dec Player2+VirusesToAdd
        jmp @done
@other: lda #>Field2
        sta Field+1
        ldx #$80
        jsr AddVirus
@done:  lda Player1+VirusesToAdd
        ora Player2+VirusesToAdd
        bne @more
        jsr VirusFault
@more:  clc
        rts
@full:  sec
        rts

; One attempt in the field at Field. Position is where the virus is, or has bit 7 set when none fitted.
AddVirus:
        lda #$FF
        sta Position
        lda Player1+VirusesToAdd,x
        bne @draw
        rts
@draw:  jsr Step
        ldy Player1+Level,x
        lda Rng
        and #$0F
        cmp MaxHeight,y
        beq @low
        bcs @draw
@low:   eor #$0F                ; 15 - height
        asl a
        asl a
        asl a
        sta Position
        lda Rng+1
        and #7
        ora Position
        sta Position
        lda Player1+VirusesToAdd,x
        and #3
        cmp #3
        bne @chosen
        jsr Step
        lda Rng+1
        and #$0F
        tay
        lda Colours,y
@chosen:
        sta Colour
@cell:  ldy Position
        lda (Field),y
        cmp #$FF
        bne @next
        lda #0
        sta Near
        tya
        sec
        sbc #16                 ; two rows up; beyond the edge the index wraps to cells that are always empty
        jsr AddNear
        lda Position
        clc
        adc #16
        jsr AddNear
        lda Position
        and #7
        cmp #2
        bcc @right
        lda Position
        sbc #2                  ; carry is set
        jsr AddNear
        lda Position
        and #7
        cmp #6
        bcs @near
@right: lda Position
        clc
        adc #2
        jsr AddNear
@near:  lda Near
        cmp #7
        beq @next
        ldy Colour
@try:   lda Bits,y
        and Near
        beq @put
        dey
        bpl @try
        ldy #2
        bne @try
@put:   tya
        ora #$D0
        ldy Position
        sta (Field),y
        dec Player1+VirusesToAdd,x
        rts
@next:  inc Position
        bpl @cell
        rts

; Adds the colour of the cell in A to those in reach, if it is occupied.
AddNear:
        tay
        lda (Field),y
        cmp #$FF
        beq @end
        and #3
        tay
        lda Bits,y
        ora Near
        sta Near
@end:   rts

.segment "RODATA"
Bits:   .byte 1, 2, 4
Colours:
        .byte 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 1
; The highest a virus may be, by level.
MaxHeight:
        .byte 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 11, 11, 12, 12, 12, 12, 12, 12
