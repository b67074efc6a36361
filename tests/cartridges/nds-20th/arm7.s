@ The other processor: it has nothing to do and sleeps for good.

        .text
        mov     r0, #0x04000000
        mov     r1, #0
        str     r1, [r0, #0x208]        @ no interrupts
        str     r1, [r0, #0x210]
        mov     r1, #0x80
1:      strb    r1, [r0, #0x301]        @ halt
        b       1b
