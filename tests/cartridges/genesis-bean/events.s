| Rule 2: besides the interrupt, events of the main loop draw from R: animations, particles, a computer player.

        .include "ram.inc"
        .text

| Events_Run: one to eight draws with any limit, in so many of 256 passes as the configuration says.
        .global Events_Run
Events_Run:
        lea     (EventNoise).l,a0
        move.w  #256,d0
        bsr     Noise_Below
        cmp.w   (CFG_EVENT_RATE).l,d0
        bcc.s   2f
        moveq   #8,d0
        bsr     Noise_Below
        move.w  d0,d7
1:      bsr     Noise
        bsr     Random_Below
        dbf     d7,1b
2:      rts
