; Reset, the main loop, and the modes around play (README, rules 2 and 6).

.include "ram.inc"
.import Nmi, Step, StartLevel, VirusPass, PlayPass
.export Reset, NextLevel, GameOver

.segment "CODE"
Reset:
        sei
        cld
        ldx #$FF
        txs
        inx
        stx $2000               ; no interrupt, no picture yet
        stx $2001
        stx $4015               ; no sound
        bit $2002
@warm1: bit $2002
        bpl @warm1
@warm2: bit $2002
        bpl @warm2
        txa
@clear: sta $0000,x
        sta $0100,x
        sta $0300,x
        sta $0400,x
        sta $0500,x
        inx
        bne @clear
        ldx #9                  ; the text tells a reset from a cold boot
@text:  lda TextBytes,x
        eor #$FF                ; the image does not contain the text itself
        cmp Text,x
        bne @cold
        dex
        bpl @text
        jmp @seed
@cold:  ldx #0
        lda #$FF
@fill:  sta $0700,x
        inx
        bne @fill
        txa
@own:   sta Log,x
        sta Own,x
        inx
        bne @own
        ldx #9
@write: lda TextBytes,x
        eor #$FF
        sta Text,x
        dex
        bpl @write
        lda #1
        sta FaultDice
        lda ConfigDealFault
        sta DealWait
        lda ConfigLevelFault
        sta LevelWait
@seed:  lda ConfigState
        sta Rng
        lda ConfigState+1
        sta Rng+1
        lda #1
        sta Players
        lda #3
        sta Victories
        lda #0
        sta Demo
        ldx #5
@score: sta Score,x
        dex
        bpl @score
        lda ConfigLag
        sta LagWait
        lda #$3F                ; one colour for the entire screen
        sta $2006
        lda #0
        sta $2006
        lda #$11
        sta $2007
        jsr Title
        lda #$80                ; the interrupt of the vertical blank
        sta $2000

MainLoop:
        lda Mode
        asl a
        tax
        lda Passes,x
        sta Scratch
        lda Passes+1,x
        sta Scratch+1
        jsr @pass
        jsr Work
        lda #0
        sta VblankFlag
@wait:  lda VblankFlag
        beq @wait
        jmp MainLoop
@pass:  jmp (Scratch)

; Work, so that a pass takes as long as in a real game.
Work:
        ldy ConfigWork
        beq @end
        ldx #0
@round: dex
        bne @round
        dey
        bne @round
@end:   rts

; Sets the mode in A, which lasts as long as the configuration says.
SetMode:
        sta Mode
        lda ConfigWait
        sta Wait
        rts

Title:
        lda #0
        jmp SetMode

TitlePass:
        dec Wait
        bne End
; The entry of the script that is next: the options screen, or a demo.
BeginEntry:
        lda Entry
        asl a
        asl a
        asl a
        tax
        lda Script,x
        sta OptionFrames
        lda Script+1,x
        sta OptionFrames+1
        lda Script+3,x
        sta Player1+Level
        lda Script+4,x
        sta Player2+Level
        lda Script+5,x
        and #$0F
        sta Player1+Speed
        lda Script+5,x
        lsr a
        lsr a
        lsr a
        lsr a
        sta Player2+Speed
        lda #0
        sta Player1+Won
        sta Player2+Won
        sta Player1+Failed
        sta Player2+Failed
        sta Round
        sta Demo
        lda Script+2,x
        sta Players
        bne @player
        lda #1
        sta Players
        lda #$FE
        sta Demo
        lda #10
        sta Player1+Level
@player:
        lda #1
        jmp SetMode
End:    rts

; Mode 1, options screen: a step in each frame, also in the one in which Start is pressed.
OptionsPass:
        lda Demo
        bne @start              ; a demo starts without one
        jsr Step
        lda ConfigLag
        beq @count
        dec LagWait
        bne @count
        lda ConfigLag
        sta LagWait
        lda #0                  ; this pass takes two frames
        sta VblankFlag
@lag:   lda VblankFlag
        beq @lag
@count: lda OptionFrames
        bne @low
        dec OptionFrames+1
@low:   dec OptionFrames
        lda OptionFrames
        ora OptionFrames+1
        bne End
@start: inc Game
        bne @mode
        inc Game+1
@mode:  lda #0
        ldx #5
@score: sta Score,x
        dex
        bpl @score
        lda #2
        jmp SetMode

ToLevelPass:
        dec Wait
        bne End
        lda #3
        jsr SetMode
        rts

; Mode 3: the level is made in the first pass.
PreparePass:
        lda Wait
        cmp ConfigWait
        bne @wait
        jsr StartLevel
@wait:  dec Wait
        bne End
        lda #8
        jmp SetMode

; Mode 8: the viruses, and a pause after them.
IntroPass:
        jsr VirusPass
        bcc End
        dec Wait
        bne End
        lda #4
        jmp SetMode

NextLevel:
        lda #7
        jmp SetMode

; Mode 7, end screen: the level of a single player increases.
EndPass:
        dec Wait
        bne End
        lda Players
        cmp #1
        bne @same
        lda Player1+Level
        cmp #24
        bcs @same
        inc Player1+Level
@same:  lda #2
        jmp SetMode

GameOver:
        lda #5
        jmp SetMode

; Mode 5: then the next entry, through the title screen before and after a demo, or by a reset.
FailedPass:
        dec Wait
        bne @end
        lda Entry
        asl a
        asl a
        asl a
        tax
        lda Script+7,x
        pha
        inc Entry
        lda Entry
        cmp ConfigEntries
        bcc @entry
        lda #0
        sta Entry
@entry: pla
        beq @stay
        jmp Reset
@stay:  lda Demo
        bne @title
        lda Entry
        asl a
        asl a
        asl a
        tax
        lda Script+2,x
        beq @title
        jmp BeginEntry
@title: lda #0
        sta Demo
        jmp Title
@end:   rts

Irq:    rti

.segment "RODATA"
TextBytes:
        .byte $DE, $BB, $AD, $D1, $B2, $BE, $AD, $B6, $B0, $DE
Passes: .addr TitlePass, OptionsPass, ToLevelPass, PreparePass, PlayPass, FailedPass, End, EndPass, IntroPass

.segment "VECTORS"
        .addr Nmi, Reset, Irq
