@ What tests may patch in the file (from 200 on): see the README.

        .include "ram.inc"
        .section .config,"a"

        .ascii  "NXCF"
        .hword  0                       @ 204 faults
        .hword  40                      @ 206 passes a deal, player 1
        .hword  56                      @ 208 and player 2
        .hword  140                     @ 20A pairs a round
        .byte   0, 0                    @ 20C colours of the players, 0 = in turn
        .hword  60                      @ 20E passes of the menu
        .word   0x20261121              @ 210 state at the start
        .hword  16                      @ 214 draws a dealt-pair fault
        .hword  96                      @ 216 events
        .hword  0                       @ 218 which half is the seed
        .hword  0                       @ 21A rounds between moves of the block
        .hword  0                       @ 21C rounds between times that the pointer leads nowhere
        .hword  20                      @ 21E and for how many passes
        .hword  0                       @ 220 rounds between those shuffled the other way
        .hword  1                       @ 222 rounds between those with a fault of pool, map or state
        .hword  30                      @ 224 passes of the title
        .hword  30                      @ 226 passes between generation and play
        .hword  60                      @ 228 passes of the result
        .hword  0x3F                    @ 22A stages with events
        .hword  0                       @ 22C 1 = the keys move player 1's pairs
        .hword  2                       @ 22E passes a row with Down held
        .hword  30                      @ 230 passes a step of a chain
        .hword  12                      @ 232 passes from then to the next pair
