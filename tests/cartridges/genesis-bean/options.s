| Rule 6: the options block and its copy.

        .include "ram.inc"
        .text

| Options_Valid: Z set when the copy has its checksum; it then replaces the block.
        .global Options_Valid
Options_Valid:
        lea     (OptionsCopy).l,a0
        bsr     Options_Sum
        cmp.w   (OptionsCopy).l,d0
        bne.s   2f
        lea     (OptionsCopy).l,a0
        lea     (Options).l,a1
        bsr.s   Options_Copy
        moveq   #0,d0                   | Z
2:      rts

| Options_Default: a new block, as after the first power on.
        .global Options_Default
Options_Default:
        lea     (Options).l,a0
        moveq   #OPTIONS_BYTES/4-1,d1
1:      clr.l   (a0)+
        dbf     d1,1b
        lea     (Options+2).l,a0        | ten scores of 16 bytes
        move.l  #20000,d0
        moveq   #10-1,d1
2:      move.l  d0,(a0)
        move.l  #0x4E585343,4(a0)
        lea     16(a0),a0
        subi.l  #2000,d0
        dbf     d1,2b
        move.b  #2,(Options+OPT_MATCHES).l
        move.b  #1,(Options+OPT_COM_LEVEL).l
        move.l  #0x00010200,(Options+OPT_BUTTONS).l
        move.w  #0x0102,(Options+OPT_BUTTONS+4).l
        bra.s   Options_Seal

| Options_SetComLevel: the option becomes d0, as a person would set it between two rounds.
        .global Options_SetComLevel
Options_SetComLevel:
        move.b  d0,(Options+OPT_COM_LEVEL).l

| Options_Seal: the checksum of the changed block, then the copy.
Options_Seal:
        lea     (Options).l,a0
        bsr.s   Options_Sum
        move.w  d0,(Options).l
        lea     (Options).l,a0
        lea     (OptionsCopy).l,a1

Options_Copy:
        moveq   #OPTIONS_BYTES/4-1,d1
1:      move.l  (a0)+,(a1)+
        dbf     d1,1b
        rts

| Options_Sum: d0.w = checksum of the 87 words after the first of block a0.
Options_Sum:
        addq.l  #2,a0
        moveq   #OPTIONS_BYTES/2-2,d1
        moveq   #0,d0
        move.w  #0x8810,d2
1:      move.w  (a0)+,d3
        eor.w   d3,d0
        lsr.w   #1,d0
        bcc.s   2f
        eor.w   d2,d0
2:      dbf     d1,1b
        rol.w   #8,d0
        not.w   d0
        rts
