| Rule 5: the options block and its copy, the pair of self-checking blocks every state of the game shows.

        .include "ram.inc"
        .text

MAGIC_HIGH      = 0x434F4D50            | "COMP"
MAGIC_LOW       = 0x494C4521            | "ILE!"

| Options_Valid: Z set when the block has its magic and its checksum.
        .global Options_Valid
Options_Valid:
        cmpi.l  #MAGIC_HIGH,(Options+OPTIONS_MAGIC).l
        bne.s   1f
        cmpi.l  #MAGIC_LOW,(Options+OPTIONS_MAGIC+4).l
        bne.s   1f
        bsr.s   Options_Sum
        cmp.w   (Options).l,d0
1:      rts

| Options_Default: a fresh block, as after the first power on.
        .global Options_Default
Options_Default:
        lea     (Options).l,a0
        move.w  #OPTIONS_BYTES/4-1,d1
1:      clr.l   (a0)+
        dbf     d1,1b
        move.b  #70,(Options+OPT_TARGET).l
        move.b  #4,(Options+OPT_POP_COUNT).l
        move.l  #MAGIC_HIGH,(Options+OPTIONS_MAGIC).l
        move.l  #MAGIC_LOW,(Options+OPTIONS_MAGIC+4).l
        bra.s   Options_Seal

| Options_SetPopCount: N := d0. Nothing is written when it is so already.
        .global Options_SetPopCount
Options_SetPopCount:
        cmp.b   (Options+OPT_POP_COUNT).l,d0
        beq.s   1f
        move.b  d0,(Options+OPT_POP_COUNT).l
        bra.s   Options_Seal
1:      rts

| Options_Seal: the checksum of the changed block, then the copy.
Options_Seal:
        bsr.s   Options_Sum
        move.w  d0,(Options).l
        lea     (Options).l,a0
        lea     (OptionsCopy).l,a1
        move.w  #OPTIONS_BYTES/4-1,d1
1:      move.l  (a0)+,(a1)+
        dbf     d1,1b
        rts

| Options_Sum: d0.w = sum of the 383 words after the first.
Options_Sum:
        lea     (Options+2).l,a0
        move.w  #OPTIONS_BYTES/2-2,d1
        moveq   #0,d0
1:      add.w   (a0)+,d0
        dbf     d1,1b
        rts
