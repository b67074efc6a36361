| From power on or reset to the main loop.

        .include "ram.inc"
        .text

BOOT_STATE      = 0x35879DE2            | rule 1: R after a cold boot

| Reset: hardware to a known state, RAM cleared, options checked (rule 5), then the main loop.
| Cleared is everything but the options blocks, R and our two little generators: a reset must keep those.
| The list is walked without a subroutine, for it clears the stack as well.
        .global Reset
Reset:
        move    #0x2700,sr
        move.b  (VERSION).l,d0
        andi.b  #0x0F,d0
        beq.s   1f
        move.l  #0x53454741,(TMSS).l    | "SEGA": later consoles lock the video chip without it
1:      move.w  #0x0100,(Z80_BUS).l     | the Z80 has nothing to do here: bus taken, reset held
        move.w  #0x0000,(Z80_RESET).l
        move.b  #0x9F,(PSG).l           | silence
        move.b  #0xBF,(PSG).l
        move.b  #0xDF,(PSG).l
        move.b  #0xFF,(PSG).l
        move.b  #0x40,(PAD_1_CONTROL).l
        move.b  #0x40,(PAD_2_CONTROL).l

        lea     (ClearList,pc),a0
2:      move.l  (a0)+,d0
        beq.s   4f
        movea.l d0,a1
        movea.l (a0)+,a2
        moveq   #0,d0
3:      move.w  d0,(a1)+
        cmpa.l  a2,a1
        bne.s   3b
        bra.s   2b

4:      lea     (STACK_TOP).l,sp
        bsr     Options_Valid
        beq.s   7f                      | warm: R and the options stay as they are
        bsr     Options_Default
        move.l  #BOOT_STATE,d0
        move.l  (CFG_SEED).l,d1
        beq.s   6f
        move.l  d1,d0
6:      move.l  d0,(RngState).l
        eori.l  #0x6E787363,d0          | the events differ with the first R,
        move.l  d0,(EventNoise).l
        eori.l  #0x2B7E1517,d1          | the faults with the configured one only
        move.l  d1,(FaultNoise).l

7:      move.b  (CFG_FAULTS+1).l,(FaultSwitch).l
        move.b  (CFG_HANDS+1).l,(HandSwitch).l
        move.w  #0x0202,(LastLevel1).l  | both players
        bsr     Script_Start
        bsr     Screen_Init
        move    #0x2300,sr
        bra     MainLoop

ClearList:
        .long   0x00FF0000, EventNoise
        .long   FaultNoise+4, Options
        .long   OptionsCopy+OPTIONS_BYTES, RngState
        .long   RngState+4, 0x01000000
        .long   0

| Halt: any exception that must not happen. Red screen, the counters stop.
        .global Halt, Ignore
Halt:   move.l  #0xC0000000,(VDP_CONTROL).l
        move.w  #0x000E,(VDP_DATA).l
        bra     Halt

| Ignore: an interrupt that needs no answer.
Ignore: rte
