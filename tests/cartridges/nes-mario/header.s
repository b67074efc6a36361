; The file's header (16 KiB of program, 8 KiB of pictures, no mapper) and the configuration block (README, "Configuration").

.segment "HEADER"
        .byte "NES", $1A, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0

.segment "CONFIG"
        .byte "DMCF"
        .byte 0                 ; fault kinds
        .byte 20                ; passes of a fall
        .word 140               ; capsules per level
        .byte 8                 ; deals per fault
        .byte 2                 ; levels per fault
        .byte $89, $88          ; generator state at reset
        .byte 4                 ; passes of a throw
        .byte 8                 ; passes of each mode without play
        .byte 3                 ; work per pass
        .byte 8                 ; capsules per erasure
        .byte 3                 ; script entries
        .byte 0                 ; passes per lag frame on the options screen
        .res 14

; The script: frames on the options screen (word), players (0 = demo), levels of player 1 and 2, speed settings (one per
; nibble, player 1 in the low one), levels or rounds, 1 = reset after the game.
        .word 60
        .byte 1, 0, 0, $01, 3, 0
        .word 90
        .byte 2, 5, 5, $11, 2, 0
        .word 75
        .byte 2, 3, 12, $20, 2, 0
        .res 104

.segment "PICTURES"
        .res $2000
