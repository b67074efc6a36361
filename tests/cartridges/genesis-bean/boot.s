| From power on or reset to the main loop.

        .include "ram.inc"
        .text

| Reset: hardware to a known state, RAM cleared as the game does it, so that R is 0 after a reset as well; options checked.
| The stack, the options and our two little generators are above what is cleared.
        .global Reset
Reset:
        move    #0x2700,sr
        move.b  (VERSION).l,d0
        andi.b  #0x0F,d0
        beq.s   1f
        move.l  #0x53454741,(TMSS).l    | "SEGA": later consoles lock the video chip without it
1:      move.w  #0x0100,(Z80_BUS).l     | the Z80 has nothing to do here: bus taken, reset asserted
        move.w  #0x0000,(Z80_RESET).l
        move.b  #0x9F,(PSG).l           | silence
        move.b  #0xBF,(PSG).l
        move.b  #0xDF,(PSG).l
        move.b  #0xFF,(PSG).l
        move.b  #0x40,(PAD_1_CONTROL).l
        move.b  #0x40,(PAD_2_CONTROL).l

        lea     (STACK_TOP).l,sp
        lea     (0x00FF0000).l,a0
        moveq   #0,d0
        move.w  #(CLEARED_TO-0x00FF0000)/4-1,d1
2:      move.l  d0,(a0)+
        dbf     d1,2b

        bsr     Options_Valid
        beq.s   3f                      | warm: the options stay as they are, the little generators go on
        bsr     Options_Default
        move.l  (CFG_SEED).l,d0
        eori.l  #0x6E787363,d0
        move.l  d0,(EventNoise).l
        eori.l  #0x45496E34,d0
        move.l  d0,(FaultNoise).l
3:      move.l  (CFG_SEED).l,(RngState).l

        lea     (0x200).w,a0
        move.w  #(0x4000-0x200)/2-1,d1
        moveq   #0,d0
4:      add.w   (a0)+,d0
        dbf     d1,4b
        move.w  d0,(RomChecksum).l

        move.b  (CFG_FAULTS+1).l,(FaultSwitch).l
        move.b  #0xFF,(PersonSides).l
        move.w  #0xFFFF,(StuckAt).l
        move.w  #0xFFFF,(JumpAt).l
        bsr     Script_Start
        bsr     Screen_Init
        move    #0x2300,sr
        bra     MainLoop

| Halt: any exception that must not happen. Red screen, the counters stop.
        .global Halt, Ignore
Halt:   move    #0x2700,sr
        move.l  #0xC0000000,(VDP_CONTROL).l
        move.w  #0x000E,(VDP_DATA).l
        bra     Halt

| Ignore: an interrupt that needs no answer.
Ignore: rte
