@ The other processor: it counts the vertical blanks, as the interrupt handler of the console's development kit does, and
@ sleeps in between. The count never stops, whatever the ARM9 is busy with.

VBLANKS         = 0x027FFC3C

        .text
        mov     r0, #0xDF               @ system mode, interrupts off
        msr     cpsr_c, r0
        mov     r4, #0x04000000
        ldr     r5, =VBLANKS
        mov     r6, #0
        str     r6, [r5]
        mov     r7, #1
        mov     r0, #8                  @ vertical blank: it wakes us though the processor takes no interrupts
        strh    r0, [r4, #0x04]
        add     r3, r4, #0x200
        str     r7, [r3, #0x10]         @ IE
        str     r7, [r3, #0x08]         @ IME
1:      str     r7, [r3, #0x14]         @ IF: taken notice of
2:      mov     r0, #0x80
        strb    r0, [r4, #0x301]        @ sleep
        ldr     r0, [r3, #0x14]
        tst     r0, #1
        beq     2b
        add     r6, r6, #1
        str     r6, [r5]
        b       1b
        .pool
