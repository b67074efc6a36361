| Rule 4: R moves by events, not by the clock. Blinking, creatures, particles, garbage and a computer player, all of
| them draws with other limits and from other stack depths.

        .include "ram.inc"
        .text

| Events_Run: the events of one pass, after the state machine. None before the first round, so that it is generated
| from the R the cartridge began with, unless the title waits for Start.
        .global Events_Run
Events_Run:
        move.w  (CFG_EVENT_RATE).l,d1
        beq.s   3f
        tst.l   (RoundNumber).l
        bne.s   5f
        tst.w   (CFG_START).l
        beq.s   3f
5:      lea     (EventNoise).l,a0
        tst.b   (EventForced).l
        beq.s   1f
        subq.b  #1,(EventForced).l
        beq.s   4f
        rts
1:      tst.w   (QuietPasses).l
        beq.s   2f
        subq.w  #1,(QuietPasses).l
        rts
2:      move.w  #256,d0
        bsr     Noise_Below
        cmp.w   d1,d0
        bcs.s   4f
3:      rts

| One to five events, and after one burst in 64 a quiet stretch of half a second to five.
4:      moveq   #64,d0
        bsr     Noise_Below
        tst.w   d0
        bne.s   5f
        move.w  #270,d0
        bsr     Noise_Below
        addi.w  #30,d0
        move.w  d0,(QuietPasses).l
5:      moveq   #5,d0
        bsr     Noise_Below
        move.w  d0,d7
6:      bsr     Noise
        move.l  d0,d6                   | what the event makes of it
        andi.w  #7,d0
        lsl.w   #2,d0
        movea.l (EventTable,pc,d0.w),a1
        jsr     (a1)
        dbf     d7,6b
        rts

EventTable:
        .long   Event_Blink, Event_Blink, Event_Creature, Event_Carbuncle
        .long   Event_Particles, Event_Garbage, Event_Computer, Event_Scenery

| Events_AfterRound: what comes after a generation, each a quarter of the time.
        .global Events_AfterRound
Events_AfterRound:
        clr.b   (EventForced).l
        clr.w   (QuietPasses).l
        lea     (EventNoise).l,a0
        moveq   #4,d0
        bsr     Noise_Below
        subq.w  #1,d0
        bcs.s   1f                      | as chance has it
        beq.s   2f                      | nothing for one to five seconds
        move.b  d0,(EventForced).l      | 1: in this very pass, 2: in the next
1:      rts
2:      move.w  #240,d0
        bsr     Noise_Below
        addi.w  #60,d0
        move.w  d0,(QuietPasses).l
        rts

| Event_Blink: when the next puyo blinks. The limit is a constant.
Event_Blink:
        moveq   #60,d0
        bra     Random

| Event_Creature: the limit varies, the depth is that of a routine that saves registers.
Event_Creature:
        movem.l d2-d5,-(sp)
        move.l  d6,d0
        swap    d0
        andi.l  #0x000001FF,d0
        addq.l  #1,d0
        bsr     Random
        movem.l (sp)+,d2-d5
        rts

| Event_Carbuncle: one draw decides the limit of the other; d0 comes with the product's low word in its upper half.
Event_Carbuncle:
        moveq   #8,d0
        bsr     Random
        addq.w  #1,d0
        bra     Random

| Event_Particles: one to four draws, each a level deeper than the one before.
Event_Particles:
        move.l  d2,-(sp)
        move.l  d6,d2
        swap    d2
        andi.w  #3,d2
        bsr.s   Particle
        move.l  (sp)+,d2
        rts
Particle:
        move.w  d2,-(sp)
        moveq   #0,d0
        move.b  (PassCounter).l,d0
        add.w   d2,d0
        bsr     Random
        subq.w  #1,d2
        bcs.s   1f
        bsr.s   Particle
1:      move.w  (sp)+,d2
        rts

| Event_Garbage: the six columns' order before garbage falls, six draws of 0-5.
Event_Garbage:
        movem.l d2/a2,-(sp)
        moveq   #5,d2
1:      moveq   #6,d0
        bsr     Random
        dbf     d2,1b
        movem.l (sp)+,d2/a2
        rts

| Event_Computer: a bare step with a whole longword of anything in d0.
Event_Computer:
        move.l  d6,d0
        bra     Random_Step

| Event_Scenery: a word in the upper half of d0, none in the lower: the draw is always 0, R moves all the same.
Event_Scenery:
        move.l  d6,d0
        clr.w   d0
        bsr.s   1f
        rts
1:      bra     Random
