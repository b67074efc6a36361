@ The card's header and the two programs behind it. Field by field as a DS reads them; whatever is not said is 0.
@ The logo (C0-15B) is left empty: it is not ours to copy, and emulators that start a card directly do not look at it.

        .section .header,"a"

Card:   .ascii  "NXSC 20TH\0\0\0"               @ 000 title
        .ascii  "TP4J"                          @ 00C game code
        .ascii  "NX"                            @ 010 maker
        .space  0x020-0x012                     @ unit 0 (DS), capacity 0 (128 KiB), version 0
        .word   Arm9-Card                       @ 020 below 4000, so that nobody takes it for an encrypted one
        .word   0x02000100                      @ 024 entry
        .word   0x02000000                      @ 028 where it is loaded to
        .word   Arm9End-Arm9                    @ 02C bytes
        .word   Arm7-Card                       @ 030 the same for the ARM7
        .word   0x03800000
        .word   0x03800000
        .word   Arm7End-Arm7
        .space  0x060-0x040                     @ no files, no overlays
        .word   0x00586000                      @ 060 bus timing of plain commands
        .word   0x001808F8                      @ 064 and of encrypted ones
        .space  0x080-0x068                     @ no icon
        .word   Arm7End-Card                    @ 080 bytes used
        .word   0x4000                          @ 084 header bytes
        .space  0x15C-0x088
        .hword  LogoChecksum                    @ 15C of 0C0-15B
        .hword  HeaderChecksum                  @ 15E of 000-15D
        .space  0x200-0x160

Arm9:   .incbin "arm9.bin"
Arm9End:
        .balign 0x200, 0xFF
Arm7:   .incbin "arm7.bin"
Arm7End:
