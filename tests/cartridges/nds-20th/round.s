@ A round from its menu to its result, and what becomes of the block in between.

        .include "ram.inc"
        .text

@ Round_Run: one pass of the stage we are in.
        .global Round_Run
Round_Run:
        push    {r4-r7, lr}
        ldr     r4, =OWN
        ldr     r6, =CONFIG
        ldr     r0, [r4, #O_STAGE]
        cmp     r0, #STAGE_MENU
        bleq    Pointer_Run
        ldr     r0, [r4, #O_STAGE]
        cmp     r0, #STAGE_PLAY
        beq     Play_Run
        ldr     r1, [r4, #O_TIMER]
        cmp     r1, #0
        subne   r1, r1, #1
        strne   r1, [r4, #O_TIMER]
        bne     1f
        cmp     r0, #STAGE_MENU
        beq     Round_Begin
        cmp     r0, #STAGE_READY
        beq     Play_Begin
        b       Menu_Begin              @ after the title and after a result
1:      pop     {r4-r7, pc}

@ Round_Force: whatever runs is left; the next round is generated in this pass. r4 = OWN.
        .global Round_Force
Round_Force:
        mov     r0, #STAGE_MENU
        str     r0, [r4, #O_STAGE]
        mov     r0, #0
        str     r0, [r4, #O_TIMER]
        str     r0, [r4, #O_NOWHERE]
        str     r0, [r4, #O_PAUSED]
        ldr     r0, [r4, #O_BLOCK]
        ldr     r1, =POINTER
        str     r0, [r1]
        bx      lr

@ Menu_Begin: between rounds the block may move, and the pointer may lead nowhere for a while.
Menu_Begin:
        mov     r0, #STAGE_MENU
        str     r0, [r4, #O_STAGE]
        ldrh    r0, [r6, #C_MENU]
        str     r0, [r4, #O_TIMER]
        ldr     r0, [r4, #O_ROUND]
        cmp     r0, #0
        beq     2f
        ldrh    r1, [r6, #C_MOVE_EVERY]
        bl      Every
        bleq    Block_Move
2:      ldr     r7, [r4, #O_BLOCK]
        ldr     r0, [r4, #O_ROUND]
        cmp     r0, #0
        beq     3f
        ldrh    r1, [r6, #C_NOWHERE_EVERY]
        bl      Every
        bne     3f
        ldrh    r0, [r6, #C_NOWHERE]
        cmp     r0, #0
        beq     3f
        str     r0, [r4, #O_NOWHERE]
        ldr     r0, [r4, #O_NOWHERES]
        add     r1, r0, #1
        str     r1, [r4, #O_NOWHERES]
        and     r0, r0, #3
        ldr     r1, =Nowhere
        ldr     r7, [r1, r0, lsl #2]
3:      ldr     r0, =POINTER
        str     r7, [r0]
        pop     {r4-r7, pc}

@ Null, no memory at all, hardware registers, and main RAM with an end too near for a whole block.
Nowhere:
        .word   0x00000000, 0xFFFFFFFF, 0x04000130, 0x023FFF00

@ Where the block lies after 0, 1, 2, 3 moves, and from the beginning again.
Blocks: .word   BLOCK_USUAL, 0x02151234, 0x021A0FF8, 0x02170604

@ Block_Move: all of it to the next place; what it leaves behind stays as it was. r4 = OWN. The pointer is the caller's.
Block_Move:
        push    {r4, lr}
        ldr     r0, [r4, #O_MOVES]
        add     r0, r0, #1
        str     r0, [r4, #O_MOVES]
        and     r0, r0, #3
        ldr     r1, =Blocks
        ldr     r0, [r1, r0, lsl #2]
        ldr     r1, [r4, #O_BLOCK]
        ldr     r2, =B_BYTES
1:      subs    r2, r2, #4
        ldr     r3, [r1, r2]
        str     r3, [r0, r2]
        bne     1b
        str     r0, [r4, #O_BLOCK]
        pop     {r4, pc}

@ Pointer_Run: leads back to the block when its time is over, at the latest with the menu.
Pointer_Run:
        ldr     r0, [r4, #O_NOWHERE]
        cmp     r0, #0
        bxeq    lr
        ldr     r1, [r4, #O_TIMER]
        cmp     r1, #0
        moveq   r0, #1
        subs    r0, r0, #1
        str     r0, [r4, #O_NOWHERE]
        bxne    lr
        ldr     r0, [r4, #O_BLOCK]
        ldr     r1, =POINTER
        str     r0, [r1]
        bx      lr

@ Round_Begin: all in one pass: seed, generation, faults, queues.
Round_Begin:
        ldr     r0, [r4, #O_ROUND]
        add     r0, r0, #1
        str     r0, [r4, #O_ROUND]
        mov     r0, #STAGE_GENERATE
        str     r0, [r4, #O_STAGE]
        ldr     r7, [r4, #O_BLOCK]

@ which shuffle: a number below 8000, or one from 8000 to FFFF
        mov     r0, #0x8000
        add     r1, r4, #O_EVENT_NOISE
        bl      Noise_Below
        str     r0, [r7, #B_ALTERNATE]
        mov     r0, #0
        str     r0, [r4, #O_OTHER]
        ldr     r0, [r4, #O_ROUND]
        ldrh    r1, [r6, #C_OTHER_EVERY]
        bl      Every
        bne     1f
        mov     r0, #1
        str     r0, [r4, #O_OTHER]
        ldr     r0, [r7, #B_ALTERNATE]
        orr     r0, r0, #0x8000
        str     r0, [r7, #B_ALTERNATE]

@ the seed
1:      ldr     r0, [r7, #B_STATE]
        str     r0, [r4, #O_BEFORE]
        ldrh    r5, [r6, #C_SEED_RULE]
        cmp     r5, #1
        moveq   r0, #0
        bleq    Random
        ldr     r0, [r7, #B_STATE]
        cmp     r5, #2
        movne   r0, r0, lsr #16
        moveq   r0, r0, lsl #16
        moveq   r0, r0, lsr #16
        str     r0, [r4, #O_SEED]
        str     r0, [r7, #B_STATE]
        bl      Generate
        ldr     r0, [r7, #B_STATE]
        str     r0, [r4, #O_AFTER]
        bl      Fault_Round

@ players: colours as configured, or each of 3, 4 and 5 against each
        ldr     r5, =PLAYER_1
        ldrb    r0, [r6, #C_COLORS_1]
        cmp     r0, #0
        bne     2f
        ldr     r0, [r4, #O_ROUND]
        mov     r1, #3
        bl      Divide
        add     r0, r1, #3
2:      strb    r0, [r5, #P_COLORS]
        bl      Queue_Fill
        ldr     r5, =PLAYER_2
        ldrb    r0, [r6, #C_COLORS_2]
        cmp     r0, #0
        bne     3f
        ldr     r0, [r4, #O_ROUND]
        mov     r1, #3
        bl      Divide
        mov     r1, #3
        bl      Divide
        add     r0, r1, #3
3:      strb    r0, [r5, #P_COLORS]
        bl      Queue_Fill
        mov     r0, #STAGE_READY
        str     r0, [r4, #O_STAGE]
        ldrh    r0, [r6, #C_READY]
        str     r0, [r4, #O_TIMER]
        pop     {r4-r7, pc}

@ Play_Begin: both get their first pair in this very pass.
Play_Begin:
        mov     r0, #STAGE_PLAY
        str     r0, [r4, #O_STAGE]
        mov     r0, #1
        ldr     r5, =PLAYER_1
        str     r0, [r5, #P_TIMER]
        ldr     r5, =PLAYER_2
        str     r0, [r5, #P_TIMER]

@ Play_Run: deals when it is time, until player 1 has had the pairs of a round.
Play_Run:
        ldr     r5, =PLAYER_1
        ldrh    r7, [r6, #C_FRAMES_1]
        adr     lr, 1f
        ldrh    r0, [r6, #C_HAND]
        cmp     r0, #0
        beq     Player_Run
        b       Hand_Run
1:
        ldr     r5, =PLAYER_2
        ldrh    r7, [r6, #C_FRAMES_2]
        bl      Player_Run
        ldr     r5, =PLAYER_1
        ldrh    r0, [r5, #P_DEALT]
        ldrh    r1, [r6, #C_PAIRS]
        cmp     r0, r1
        movcs   r0, #STAGE_RESULT
        strcs   r0, [r4, #O_STAGE]
        ldrhcs  r0, [r6, #C_RESULT]
        strcs   r0, [r4, #O_TIMER]
        pop     {r4-r7, pc}

@ Player_Run: player r5, a pair every r7 passes.
Player_Run:
        ldr     r0, [r5, #P_TIMER]
        subs    r0, r0, #1
        str     r0, [r5, #P_TIMER]
        bxgt    lr
        str     r7, [r5, #P_TIMER]
        b       Queue_Deal
