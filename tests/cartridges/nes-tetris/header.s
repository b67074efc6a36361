; The file's header: 16 KiB of program, 8 KiB of pictures, no mapper, mirrored vertically. And what may be changed in a copy of it.

.segment "HEADER"
        .byte "NES", $1A, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0

.segment "CONFIG"
        .byte "NXCF"
        .byte 0                 ; faults: 1 wrong piece, 2 wrong step, 4 pick not counted
        .byte 40                ; passes a deal
        .word 200               ; pieces a game
        .byte 8                 ; a fault in every so manyth deal
        .byte 60                ; passes of the menu
        .byte $89, $88          ; state at the start
        .byte 1                 ; music: the sound cells move
        .byte 12                ; work of a pass, in pieces of 256 rounds of 5 cycles

.segment "PICTURES"
        .res $2000
