| Vectors, cartridge header, the block tests may patch, and the schedule of rounds.

        .include "ram.inc"

| --- 000000: exception vectors ------------------------------------------------------------------

        .section .vectors,"a"
        .long   STACK_TOP               | rule 1 depends on it: the stack pointer is part of every draw
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

| --- 000100: header -----------------------------------------------------------------------------

        .section .header,"a"
        .ascii  "SEGA MEGA DRIVE "                                      | what the console itself asks for
        .ascii  "(C)NXSC 2026.NOV"
        .ascii  "NEXTSCOPE TSU TEST                              "      | domestic title, 48
        .ascii  "NEXTSCOPE TSU TEST                              "      | overseas title, 48
        .ascii  "GM NXSC-002-00"                                        | serial, 14
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
        .ascii  "NXCF"
        .word   0                       | +04 fault switch at boot
        .word   40                      | +06 passes a deal of player 1
        .word   56                      | +08 passes a deal of player 2
        .word   140                     | +0A pairs player 1 deals in a round
        .word   0                       | +0C schedule: 0 all, 1 versus only, 2 story only
        .word   60                      | +0E passes the level menu stays
        .long   0                       | +10 R at a cold boot, 0 = the boot constant
        .word   16                      | +14 a dealt-pair fault about every so many draws
        .word   96                      | +16 events: chance in 256 a pass, 0 = never
        .word   0                       | +18 hands: bit 0 player 1, bit 1 player 2; 0 computer, 1 controller
        .word   24                      | +1A passes a step of a chain, 0 = the whole chain at once
        .word   8                       | +1C passes from the end of a chain to the next pair of a controller's hand
        .word   0x8000                  | +1E 1/65536 rows that a pair falls a pass

| --- 000220: schedule ---------------------------------------------------------------------------
| The rank of a versus entry and the levels of a story entry are there to be ignored (rules 2 and 3).

        .section .schedule,"a"
        .word   (ScheduleEnd-ScheduleBegin)/8
ScheduleBegin:                          |  M  K  N  L1 L2
        .byte   1, 0, 4, 0, 2, 0, 0, 0
        .byte   1, 3, 4, 2, 4, 0, 0, 0
        .byte   0, 0, 4, 2, 4, 0, 0, 0
        .byte   1, 0, 4, 4, 1, 0, 0, 0
        .byte   0, 2, 4, 0, 3, 0, 0, 0
        .byte   1, 2, 5, 1, 3, 0, 0, 0
        .byte   1, 0, 4, 3, 0, 0, 0, 0
        .byte   0, 1, 4, 4, 4, 0, 0, 0
        .byte   1, 0, 6, 2, 4, 0, 0, 0
        .byte   1, 1, 4, 1, 2, 0, 0, 0
        .byte   0, 3, 4, 3, 2, 0, 0, 0
        .byte   0, 0, 6, 1, 0, 0, 0, 0
        .byte   1, 0, 4, 2, 3, 0, 0, 0
        .byte   1, 0, 5, 4, 2, 0, 0, 0
        .byte   0, 2, 5, 0, 1, 0, 0, 0
ScheduleEnd:

| --- 0002A0: the content of both boards when a round begins, RAM's row 0 first -------------------

        .section .board,"a"
        .fill   BOARD_ROWS*BOARD_COLUMNS

| --- 003F00: how long things take where a controller moves the pairs, in passes -------------------

        .section .times,"a"
        .word   1                       | +00 a button is held until it counts
        .word   1                       | +02 no button is held until the next one counts
        .word   1                       | +04 a row with Down
        .word   1                       | +06 put down after the last row with Down
        .word   16                      | +08 the same without Down
        .word   0                       | +0A more before the next pair when the board is all clear
        .word   0                       | +0C garbage falls before every so many-th pair, 0 = never
        .word   0                       | +0E nonzero: the robot holds controller 1
        .fill   BOARD_ROWS*2            | +10 more until it is put down, by rows that one puyo falls alone
        .fill   BOARD_ROWS*2            | +2C more of a step of a chain, by rows that things fall
        .fill   BOARD_ROWS*2            | +48 garbage falls, by rows
        .word   0                       | +64 nonzero: the title waits for Start, see README.md
