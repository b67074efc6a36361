; A level: its start, the deals, falls and erasures of both players, its end (README, rules 3 and 5).

.include "ram.inc"
.import MakeReserve, CountViruses, NextLevel, GameOver, ChooseLevelFault, ChooseDealFault, DealFault, FallFault
.export StartLevel, PlayPass

.segment "CODE"
StartLevel:
        inc Levels
        bne @field
        inc Levels+1
@field: ldx #0
        stx Field
        lda #$FF
@empty: sta Field1,x
        sta Field2,x
        inx
        bne @empty
        jsr ChooseLevelFault
        jsr MakeReserve
        lda #0
        sta LevelOver
        sta WhoWon
        sta WhoFailed
        sta Dealt
        sta Dealt+1
        sta Dealt2
        sta Dealt2+1
        sta Player2+VirusesToAdd
        sta Who
        jsr StartPlayer
        lda Players
        cmp #2
        bne @one
        inc Who
        jsr StartPlayer
@one:   lda Demo
        beq @end
        ldx #84                 ; a demo's 44 viruses are fixed
        ldy #0
@virus: tya
        ora #$D0
        sta Field1,x
        iny
        cpy #3
        bcc @next
        ldy #0
@next:  inx
        bpl @virus
        lda #0
        sta Player1+VirusesToAdd
@end:   rts

StartPlayer:
        jsr CopyIn
        ldx #47
@clear: cpx #Level
        beq @next
        cpx #Speed
        beq @next
        cpx #Won
        beq @next
        lda #0
        sta Current,x
@next:  dex
        bpl @clear
        lda #6
        sta Current+Action
        ldx Who
        lda #0
        sta Pending,x
        lda ConfigErase
        sta EraseWait,x
        lda ConfigThrow
        sta Timer,x
        jsr NextCapsule         ; twice: entry 0 is not dealt at first
        jsr NextCapsule
        jsr CopyOut
        ldx Who
        beq @first
        ldx #$80
@first: jmp CountViruses

; The players' blocks are worked on in a copy.
CopyIn:
        ldx #47
        lda Who
        bne @two
@one:   lda Player1,x
        sta Current,x
        dex
        bpl @one
        rts
@two:   lda Player2,x
        sta Current,x
        dex
        bpl @two
        rts

CopyOut:
        ldx #47
        lda Who
        bne @two
@one:   lda Current,x
        sta Player1,x
        dex
        bpl @one
        rts
@two:   lda Current,x
        sta Player2,x
        dex
        bpl @two
        rts

; The next capsule falls, and the reserve's next entry follows.
NextCapsule:
        lda Current+NextLeft
        sta Current+Left
        lda Current+NextRight
        sta Current+Right
        ldy Current+Index
        lda Demo
        beq @reserve
        tya                     ; a demo's capsules are fixed
        and #7
        jmp @split
@reserve:
        lda Reserve,y
@split: ldx #0
@third: cmp #3
        bcc @right
        sbc #3
        inx
        bne @third
@right: sta Current+NextRight
        stx Current+NextLeft
        iny
        tya
        and #$7F
        sta Current+Index
        rts

; Mode 4: a pass of both players.
PlayPass:
        lda #0
        sta Who
        jsr PlayOne
        lda Players
        cmp #2
        bne @over
        inc Who
        jsr PlayOne
@over:  lda LevelOver
        bne EndLevel
        rts

PlayOne:
        lda Who
        clc
        adc #>Field1
        sta Field+1
        jsr CopyIn
        lda Current+Action
        asl a
        tay
        lda Actions,y
        sta Scratch
        lda Actions+1,y
        sta Scratch+1
        ldx Who
        jsr @act
        jmp CopyOut
@act:   jmp (Scratch)

; A player erased the last virus.
EndLevel:
        sta WhoWon
        ldx #0
        stx Field
        clc
        adc #>Field1-1
        sta Field+1
        lda LevelOver
        lsr a
        bne @two
        ldx #0
        beq @left
@two:   ldx #$80
@left:  lda #0
        sta Player1+VirusesLeft,x
        inc Player1+Won,x
        ldy #127
@erase: lda (Field),y
        and #$F0
        cmp #$D0
        bne @next
        lda #$FF
        sta (Field),y
@next:  dey
        bpl @erase
        inc Round
        lda Entry
        asl a
        asl a
        asl a
        tay
        lda Round
        cmp Script+6,y
        bcs @last
        jmp NextLevel
@last:  txa                     ; the other one failed, or the only one
        ldy Players
        dey
        beq @only
        eor #$80
@only:  tax
        lda #1
        sta Player1+Failed,x
        txa
        asl a
        lda #1
        adc #0
        sta WhoFailed
        jmp GameOver

; Action 6: the next capsule is thrown.
Throw:
        dec Timer,x
        beq @deal
        rts
@deal:  jsr DealtOffset
        lda Dealt,y
        cmp ConfigCapsules
        lda Dealt+1,y
        sbc ConfigCapsules+1
        bcc @more
        lda LevelOver
        bne @wait
        inx
        stx LevelOver
        rts
@wait:  inc Timer,x             ; the other player is first
        rts
@more:  jsr ChooseDealFault
        jsr NextCapsule
        jsr DealtOffset
        lda Dealt,y
        clc
        adc #1
        sta Dealt,y
        lda Dealt+1,y
        adc #0
        sta Dealt+1,y
        inc DealtInAll
        bne @count
        inc DealtInAll+1
@count: inc Current+Counted     ; two decimal digits, and the hundreds after them
        lda Current+Counted
        and #$0F
        cmp #$0A
        bcc @shown
        lda Current+Counted
        adc #5                  ; carry is set
        sta Current+Counted
        cmp #$A0
        bcc @shown
        lda #0
        sta Current+Counted
        inc Current+Counted+1
@shown: jsr DealFault
        lda #3
        sta Current+Column
        lda #$0F
        sta Current+Height
        ldx Who
        jsr DealtOffset
        lda Dealt,y
        and #3
        asl a
        sta Target,x
        tay
        lda #16                 ; down to the lowest height at which both cells are empty
        sta Landing,x
@row:   lda (Field),y
        iny
        and (Field),y
        cmp #$FF
        bne @lowest
        dec Landing,x
        tya
        clc
        adc #7
        tay
        bpl @row
@lowest:
        lda ConfigFall
        sta Timer,x
        lda Target,x            ; the players' deals fall into different passes
        lsr a
        eor Who
        and #1
        clc
        adc Timer,x
        sta Timer,x
        lsr a
        sta HalfTimer,x
        lda #0
        sta Current+Action
        rts

; Y: offset of the current player's count of capsules.
DealtOffset:
        ldy Who
        beq @end
        ldy #Dealt2-Dealt
@end:   rts

; Action 0: the capsule falls.
Fall:
        dec Timer,x
        beq @lands
        lda Timer,x
        cmp HalfTimer,x
        bne @move
        jsr FallFault
        ldx Who
@move:  lda Current+Height
        cmp Landing,x
        beq @aside
        dec Current+Height
@aside: lda Current+Column
        cmp Target,x
        beq @end
        bcc @right
        dec Current+Column
        rts
@right: inc Current+Column
@end:   rts
@lands: lda Target,x
        sta Current+Column
        lda Landing,x
        sta Current+Height
        lda #1
        sta Current+Action
        rts

; Action 1: the capsule is placed. After some, all capsules and one virus are erased.
Place:
        lda Current+PlaceStep
        bne @erase
        lda #15
        sec
        sbc Current+Height
        asl a
        asl a
        asl a
        ora Current+Column
        tay
        lda Current+Left
        ora #$60
        sta (Field),y
        iny
        lda Current+Right
        ora #$70
        sta (Field),y
        lda Landing,x
        cmp #12
        bcs @high
        dec EraseWait,x
        bne @done
@high:  lda ConfigErase
        sta EraseWait,x
        inc Current+PlaceStep
        rts
@done:  lda #0
        sta Current+PlaceStep
        lda #2
        sta Current+Action
        rts
@erase: cmp #2
        beq @emptied
        bcs @empty
        inc Current+PlaceStep
        jsr EraseVirus
        ldy #127                ; capsules are marked
@mark:  lda (Field),y
        cmp #$D0
        bcs @other              ; empty or a virus
        and #3
        ora #$B0
        sta (Field),y
@other: dey
        bpl @mark
        rts
@emptied:
        inc Current+PlaceStep
        ldy #127
@just:  lda (Field),y
        cmp #$C0
        bcs @next
        ora #$F0
        sta (Field),y
@next:  dey
        bpl @just
        rts
@empty: ldy #127
@cell:  lda (Field),y
        cmp #$F0
        bcc @virus
        lda #$FF
        sta (Field),y
@virus: dey
        bpl @cell
        bmi @done

; The topmost virus is marked, unless it is the last one.
EraseVirus:
        lda Current+VirusesLeft
        cmp #2
        bcc @end
        ldy #0
@find:  lda (Field),y
        and #$F0
        cmp #$D0
        beq @found
        iny
        bpl @find
        rts
@found: lda (Field),y
        and #3
        ora #$B0
        sta (Field),y
        dec Current+VirusesLeft ; two decimal digits
        lda Current+VirusesLeft
        and #$0F
        cmp #$0F
        bne @score
        lda Current+VirusesLeft
        sec
        sbc #6
        sta Current+VirusesLeft
@score: lda Players
        cmp #1
        bne @end
        ldy #1                  ; hundreds; the score begins with the tens
        lda Current+Speed
        clc
        adc #1
@digit: clc
        adc Score,y
        cmp #10
        bcc @last
        sbc #10
        sta Score,y
        lda #1
        iny
        cpy #6
        bcc @digit
        rts
@last:  sta Score,y
@end:   rts

; Actions 2 and 3 take a pass each; action 5 leads to the throw.
Check:
        inc Current+Action
        rts
Finish:
        lda #5
        sta Current+Action
        rts
Increment:
        lda #6
        sta Current+Action
        lda ConfigThrow
        sta Timer,x
        rts

.segment "RODATA"
Actions:
        .addr Fall, Place, Check, Finish, Finish, Increment, Throw
