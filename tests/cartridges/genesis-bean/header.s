| Vectors, cartridge header, the block tests may patch, and the schedule of rounds.

        .include "ram.inc"

| --- 000000: exception vectors ------------------------------------------------------------------

        .section .vectors,"a"
        .long   STACK_TOP
        .long   Reset
        .rept   26
        .long   Halt                    | errors and traps, and interrupts that never come
        .endr
        .long   Ignore                  | level 4: horizontal interrupt
        .long   Halt
        .long   VerticalInterrupt       | level 6
        .rept   33
        .long   Halt
        .endr

| --- 000100: header -----------------------------------------------------------------------------

        .section .header,"a"
        .if     PUYO
        .ascii  "SEGA MEGA DRIVE "
        .ascii  "(C)NXSC 2026.NOV"
        .ascii  "NEXTSCOPE PUYO TEST                             "      | domestic title, 48
        .ascii  "NEXTSCOPE PUYO TEST                             "      | overseas title, 48
        .ascii  "GM NXSC-005-00"                                        | serial, 14
        .else
        .ascii  "SEGA GENESIS    "
        .ascii  "(C)NXSC 2026.NOV"
        .ascii  "NEXTSCOPE BEAN TEST                             "
        .ascii  "NEXTSCOPE BEAN TEST                             "
        .ascii  "GM NXSC-004-00"
        .endif
        .org    0x8E
        .word   HeaderChecksum          | from the link, see build
        .ascii  "J               "      | three-button pads
        .long   0x00000000, 0x00003FFF  | ROM
        .long   0x00FF0000, 0x00FFFFFF  | RAM
        .ascii  "            "          | no battery RAM
        .ascii  "            "          | no modem
        .ascii  "TEST CARTRIDGE, NOT A GAME              "
        .ascii  "JUE             "

| --- 000200: what tests may patch ---------------------------------------------------------------

        .section .config,"a"
        .ascii  "NXCB"
        .word   0                       | +04 fault switch at boot
        .word   40                      | +06 passes a deal of player 1
        .word   56                      | +08 passes a deal of player 2
        .word   140                     | +0A pairs player 1 deals in a round
        .word   0                       | +0C schedule: 0 all, n + 1 only mode n
        .word   60                      | +0E passes the level menu stays
        .long   0                       | +10 R at a cold boot
        .word   16                      | +14 a fault of a pair about every so many draws
        .word   32                      | +16 events: chance in 256 a pass, 0 = never
        .word   0xFFFF                  | +18 where faults happen, FFFF = anywhere
        .word   24                      | +1A passes a step of a chain, 0 = the whole chain at once
        .word   2400                    | +1C most turns of the waiting loop before a generation
        .word   1                       | +1E 1 = the opponents of stages 7, 14 and 15 set their own pairs

| --- 000220: schedule ---------------------------------------------------------------------------
| The story's stages in their order, other rounds between them.

        .section .schedule,"a"
        .word   (ScheduleEnd-ScheduleBegin)/8
ScheduleBegin:                          |  M  L L1 L2
        .if     PUYO
        .byte   0, 0, 0, 0, 0, 0, 0, 0
        .byte   0, 1, 0, 0, 0, 0, 0, 0
        .byte   0, 2, 0, 0, 0, 0, 0, 0
        .endif
        .byte   0, 3, 0, 0, 0, 0, 0, 0
        .byte   1, 3, 0, 1, 0, 0, 0, 0
        .byte   0, 4, 0, 0, 0, 0, 0, 0
        .byte   0, 5, 0, 0, 0, 0, 0, 0
        .byte   1, 5, 2, 4, 0, 0, 0, 0
        .byte   1, 5, 4, 0, 0, 0, 0, 0
        .byte   0, 6, 0, 0, 0, 0, 0, 0
        .byte   0, 7, 0, 0, 0, 0, 0, 0
        .byte   4, 7, 0, 0, 0, 0, 0, 0
        .byte   0, 8, 0, 0, 0, 0, 0, 0
        .byte   1, 8, 0, 0, 0, 0, 0, 0
        .byte   0, 9, 0, 0, 0, 0, 0, 0
        .byte   0, 10, 0, 0, 0, 0, 0, 0
        .byte   2, 10, 0, 3, 0, 0, 0, 0
        .byte   0, 11, 0, 0, 0, 0, 0, 0
        .byte   1, 11, 3, 0, 0, 0, 0, 0
        .byte   0, 12, 0, 0, 0, 0, 0, 0
        .byte   0, 13, 0, 0, 0, 0, 0, 0
        .byte   0, 14, 0, 0, 0, 0, 0, 0
        .byte   1, 14, 1, 1, 0, 0, 0, 0
        .byte   0, 15, 0, 0, 0, 0, 0, 0
ScheduleEnd:
