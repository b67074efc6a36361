; Injected faults (README, "Faults"), drawn from a generator of their own, and their log.

.include "ram.inc"
.import Step
.export ChooseLevelFault, VirusFault, ChooseDealFault, DealFault, FallFault

.define DealKinds       $BB
.define LevelKinds      $44

.segment "CODE"
; Before a level: whether it gets a fault, and which.
ChooseLevelFault:
        lda #$FF
        sta ExtraStepAt
        lda #0
        sta WrongVirus
        lda Demo
        bne @none
        lda ConfigFaults
        and #LevelKinds
        beq @none
        sta Scratch
        dec LevelWait
        bne @none
        lda ConfigLevelFault
        sta LevelWait
        lda LevelTurn
        jsr NextKind
        sta LevelTurn
        cmp #4
        beq @virus
        jsr Dice
        and #$7F
        ora #8                  ; so many entries show it
        sta ExtraStepAt
        sta LogIndex
        lda #0
        sta Who
        lda Rng
        sta LogRight
        lda Rng+1
        sta LogWrong
        lda #64
        jmp WriteLog
@virus: sta WrongVirus
@none:  rts

; The kind after that in A: the next higher bit among those in Scratch, then from the lowest again.
NextKind:
        asl a
        bne @bit
        lda #1
@bit:   bit Scratch
        beq NextKind
        rts

; All viruses are added: one of them changes colour, if this level is to have that fault. With two players each has one in turn.
VirusFault:
        lda WrongVirus
        beq @none
        lda #0
        sta WrongVirus
        sta Who
        ldx Players
        dex
        beq @field
        jsr Dice
        and #1
        sta Who
@field: lda #>Field1
        clc
        adc Who
        sta Field+1
        jsr Dice
        and #$7F
        tay
@find:  lda (Field),y
        cmp #$FF
        bne @found
        iny
        bpl @find
        ldy #0
        beq @find
@found: sta LogRight
        clc
        adc #1
        cmp #$D3
        bne @colour
        lda #$D0
@colour:
        sta LogWrong
        sta (Field),y
        sty LogIndex
        lda #4
        jmp WriteLog
@none:  rts

; Before a deal: whether the capsule gets a fault, and which.
ChooseDealFault:
        lda Demo
        bne @none
        lda ConfigFaults
        and #DealKinds
        beq @none
        sta Scratch
        dec DealWait
        bne @none
        lda ConfigDealFault
        sta DealWait
        lda DealTurn
        jsr NextKind
        sta DealTurn
        ldx Who
        sta Pending,x
@none:  rts

; In a deal: another next capsule, or the index is not increased.
DealFault:
        ldx Who
        lda Pending,x
        cmp #1
        beq @capsule
        cmp #32
        beq @index
        rts
@capsule:
        jsr IndexOfNext
        lda Current+NextLeft
        asl a
        clc
        adc Current+NextLeft
        adc Current+NextRight
        sta LogRight
        jsr Dice
        and #7
        sec
        adc LogRight            ; one to eight further
        cmp #9
        bcc @number
        sbc #9
@number:
        sta LogWrong
        ldx #0
@third: cmp #3
        bcc @right
        sbc #3
        inx
        bne @third
@right: sta Current+NextRight
        stx Current+NextLeft
        jmp LogPending
@index: lda Current+Left        ; nobody can notice it when the next capsule is like this one: then in the deal after this one
        cmp Current+NextLeft
        bne @notice
        lda Current+Right
        cmp Current+NextRight
        beq @end
@notice:
        lda Current+Index
        sta LogRight
        sec
        sbc #1
        and #$7F
        sta LogWrong
        sta Current+Index
        jsr IndexOfNext
        jmp LogPending
@end:   rts

; In the middle of a fall.
FallFault:
        ldx Who
        lda Pending,x
        beq @none
        jsr IndexOfNext
        lda Pending,x
        cmp #2
        beq @reserve
        cmp #8
        beq @step
        cmp #16
        beq @frozen
        cmp #128
        bne @none               ; an index that the next deal does not count
        lda LogIndex            ; the falling capsule itself
        sec
        sbc #1
        and #$7F
        sta LogIndex
        jsr Falling
        sta LogRight
        inc Current+Left
        lda Current+Left
        cmp #3
        bcc @left
        lda #0
        sta Current+Left
@left:  jsr Falling
        sta LogWrong
        jmp LogPending
@none:  rts
@frozen:
        lda FrameCounter
        sta LogRight
        sta LogWrong
        lda #60
        sta Freeze
        jmp LogPending
@step:  lda Rng
        sta LogRight
        inc StepTurn
        lda StepTurn
        and #1
        beq @bit
        jsr Step
        jmp @log
@bit:   jsr Dice
        and #7
        tay
        lda Bits,y
        eor Rng
        sta Rng
@log:   lda Rng
        sta LogWrong
        jmp LogPending
@reserve:
        jsr Dice                ; an entry that comes two to five deals later
        and #3
        clc
        adc #1
        adc Current+Index
        and #$7F
        sta LogIndex
        jsr Dice
        and #7
        ldy LogIndex
        ldx Reserve,y
        stx LogRight
        sec
        adc LogRight
        cmp #9
        bcc @entry
        sbc #9
@entry: sta LogWrong
        sta Reserve,y
        jmp LogPending

; A: the falling capsule's number.
Falling:
        lda Current+Left
        asl a
        clc
        adc Current+Left
        adc Current+Right
        rts

; LogIndex: the capsule that is next by the index, 0 = first of the level.
IndexOfNext:
        lda Current+Index
        sec
        sbc #2
        and #$7F
        sta LogIndex
        rts

; Eight bits that shift to the right. Changes A only.
Dice:
        lda FaultDice
        lsr a
        bcc @even
        eor #$B8
@even:  sta FaultDice
        rts

; Writes the record of the current player's pending fault.
LogPending:
        ldx Who
        lda Pending,x
        pha
        lda #0
        sta Pending,x
        pla
; Writes the record of a fault of the kind in A.
WriteLog:
        sta LogKind
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
        lda LogKind
        sta Log+1,x
        lda Levels
        sta Log+2,x
        lda Who
        sta Log+3,x
        lda Round
        sta Log+4,x
        lda LogIndex
        sta Log+5,x
        lda LogRight
        sta Log+6,x
        lda LogWrong
        sta Log+7,x
        inc Faults
        bne @end
        inc Faults+1
@end:   rts

.segment "RODATA"
Bits:   .byte 1, 2, 4, 8, 16, 32, 64, 128
