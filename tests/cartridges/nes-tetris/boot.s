; From reset to the main loop, and the main loop.

.include "ram.inc"
.import Nmi, Step, StartGame, Play, Curtain
.export Reset

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
        sta $0200,x
        sta $0300,x
        sta $0400,x
        sta $0500,x
        sta $0600,x
        sta $0700,x
        inx
        bne @clear
        ldx #4                  ; what tells a warm boot from a cold one
@magic: lda MagicBytes,x        ; so that the image does not contain them as RAM does
        eor #$FF
        sta Magic,x
        dex
        bpl @magic
        lda ConfigState
        sta Rng
        lda ConfigState+1
        sta Rng+1
        lda #1
        sta Players
        sta FaultDice
        sta FaultTurn
        lda ConfigFaultWait
        sta FaultWait
        lda #$3F                ; one colour for the whole screen
        sta $2006
        lda #0
        sta $2006
        lda #$11
        sta $2007
        ldx #0                  ; an empty playfield
        lda #$EF
@field: sta Playfield,x
        inx
        bne @field
        jsr Menu
        lda #$80                ; the interrupt of the vertical blank
        sta $2000

MainLoop:
        lda GameMode
        cmp #4
        beq @play
        jsr MenuPass
        jmp @done
@play:  jsr PlayPass
@done:  ldx #$1F                ; the player's cells are the active ones too
@copy:  lda Player,x
        sta ActivePlayer,x
        dex
        bpl @copy
        jsr Work
        lda ConfigMusic
        beq @quiet
        inc Sound+$34           ; a note that lasts so much less
        bne @quiet
        inc Sound+$35
@quiet: lda #0
        sta VblankFlag
@wait:  lda VblankFlag
        beq @wait
        jmp MainLoop

; As much work as a real game has, so that a pass takes its time.
Work:
        ldy ConfigWork
        beq @end
        ldx #0
@round: dex
        bne @round
        dey
        bne @round
@end:   rts

; Mode 3: the menu in front of a game.
Menu:
        lda #3
        sta GameMode
        lda #0
        sta ModeState
        lda ConfigMenu
        sta Wait
        rts

; In the menu the generator makes two steps more in every pass.
MenuPass:
        jsr Step
        jsr Step
        dec Wait
        bne @end
        lda #4
        sta GameMode
        lda #0
        sta ModeState
        lda #6
        sta Wait
@end:   rts

; Mode 4: state 0 some passes of preparation, 1 the start, 2 play.
PlayPass:
        lda ModeState
        bne @started
        dec Wait
        bne @end
        inc ModeState
        rts
@started:
        cmp #1
        bne @play
        jsr StartGame
        inc ModeState
        rts
@play:  lda PlayState
        cmp #10
        beq @over
        jmp Play
@over:  jsr Curtain
        bcc @end
        jmp Menu
@end:   rts

.segment "RODATA"
MagicBytes:
        .byte $ED, $CB, $A9, $87, $65

.segment "VECTORS"
        .addr Nmi, Reset, Irq

.segment "CODE"
Irq:    rti
