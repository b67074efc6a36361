| Vectors, cartridge header and the block tests may patch.

        .include "ram.inc"

        .section .vectors,"a"
        .long   STACK_TOP
        .long   Reset
        .rept   26
        .long   Halt                    | errors and traps, and the interrupts nobody asked for
        .endr
        .long   Ignore                  | level 4: horizontal interrupt
        .long   Halt
        .long   VerticalInterrupt       | level 6
        .rept   33
        .long   Halt
        .endr

        .section .header,"a"
        .ascii  "SEGA MEGA DRIVE "                                      | what the console itself asks for
        .ascii  "(C)NXSC 2026.NOV"
        .ascii  "NEXTSCOPE SEGA TEST                             "      | domestic title, 48
        .ascii  "NEXTSCOPE SEGA TEST                             "      | overseas title, 48
        .ascii  "GM NXSC-003-00"                                        | serial, 14
        .org    0x8E
        .word   HeaderChecksum          | from the link, see build
        .ascii  "J               "      | three-button pads
        .long   0x00000000, 0x00003FFF  | ROM
        .long   0x00FF0000, 0x00FFFFFF  | RAM
        .ascii  "            "          | no battery RAM
        .ascii  "            "          | no modem
        .ascii  "TEST CARTRIDGE, NOT A GAME              "
        .ascii  "JUE             "

        .section .config,"a"
        .ascii  "NXCS"
        .word   0                       | +04 faults a game
        .word   6                       | +06 frames a deal
        .word   40                      | +08 pieces dealt in a game
        .word   0                       | +0A game: a thousand pieces
        .word   0                       | +0C table
        .word   0
        .long   0                       | +10 battery RAM: cleared
