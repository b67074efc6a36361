| Rule 2: the generator of a round: colour set, pools, and what is copied between them.

        .include "ram.inc"
        .text

| Generate: a step of the round script, entered with sp = FF7FF8 (main loop, Script_Run, here). It must save no
| register, for that would move the stack. Takes longer than a frame; the vertical interrupt goes on.
        .global Generate
Generate:
        bsr     ColorSet_Draw           | a0 = the set; d0 high = low word of R * 4 of the last draw

| Rule 2.2: the first pool has 4 colours, 3 in versus with N >= 5, 5 in story from rank 2.
        moveq   #4,d2
        cmpi.b  #1,(GameMode).l
        bne.s   1f
        cmpi.b  #5,(Options+OPT_POP_COUNT).l
        bcs.s   2f
        moveq   #3,d2
        bra.s   2f
1:      cmpi.b  #2,(Rank).l
        bcs.s   2f
        moveq   #5,d2

| PoolA[i] = set[i mod n]. The index runs in d0's low word, so that it ends as 256 mod n, which the first
| draw of the shuffle takes in (rule 2.3) together with the high word left by the colour set.
2:      lea     (PoolA).l,a1
        clr.w   d0
        move.w  #255,d1
3:      move.b  (a0,d0.w),(a1)+
        addq.w  #1,d0
        cmp.w   d2,d0
        bcs.s   4f
        clr.w   d0
4:      dbf     d1,3b

| Rule 2.3: shuffle. Each draw is taken with the high word of the one before and its low byte.
        lea     (PoolA).l,a1
        move.w  #255,d1
5:      bsr     Random_Step
        andi.w  #0x00FF,d0
        move.b  (a1,d0.w),d3
        move.b  (a1,d1.w),(a1,d0.w)
        move.b  d3,(a1,d1.w)
        dbf     d1,5b

| Rule 2.4: this is PoolB too. Only versus goes on; elsewhere PoolC keeps whatever it had.
        lea     (PoolB).l,a2
        moveq   #256/4-1,d1
6:      move.l  (a1)+,(a2)+
        dbf     d1,6b
        cmpi.b  #1,(GameMode).l
        bne     GenerateEnd

| Rule 2.5: PoolA again with 3 colours and PoolC with 5 (2 and 4 with N >= 5). The count runs in d0's low word
| and ends as FFFF, which the first draw of the second shuffle takes in.
        moveq   #3,d2
        moveq   #5,d3
        cmpi.b  #5,(Options+OPT_POP_COUNT).l
        bcs.s   7f
        moveq   #2,d2
        moveq   #4,d3
7:      lea     (PoolA).l,a1
        lea     (PoolC).l,a2
        moveq   #0,d4
        moveq   #0,d5
        move.w  #255,d0
8:      move.b  (a0,d4.w),(a1)+
        addq.w  #1,d4
        cmp.w   d2,d4
        bcs.s   9f
        moveq   #0,d4
9:      move.b  (a0,d5.w),(a2)+
        addq.w  #1,d5
        cmp.w   d3,d5
        bcs.s   10f
        moveq   #0,d5
10:     dbf     d0,8b

| One sequence of draws shuffles both.
        lea     (PoolA).l,a1
        lea     (PoolC).l,a2
        move.w  #255,d1
11:     bsr     Random_Step
        andi.w  #0x00FF,d0
        move.b  (a1,d0.w),d3
        move.b  (a1,d1.w),(a1,d0.w)
        move.b  d3,(a1,d1.w)
        move.b  (a2,d0.w),d3
        move.b  (a2,d1.w),(a2,d0.w)
        move.b  d3,(a2,d1.w)
        dbf     d1,11b

| Rule 2.6: everybody starts with two pairs of the smallest pool, and PoolC goes on with two of PoolB.
        move.l  (PoolA).l,(PoolB).l
        move.l  (PoolA).l,(PoolC).l
        move.l  (PoolB+4).l,(PoolC+4).l
GenerateEnd:
        rts

| ColorSet_Draw: rule 2.1. Five draws of 0-3, each swapped with the next place; places 5-7 never move.
| Returns a0 = the set and d0 as the last draw left it.
ColorSet_Draw:
        lea     (ColorSet).l,a0
        move.l  #0x00010305,(a0)
        move.l  #0x04060200,4(a0)
        moveq   #0,d1
1:      moveq   #4,d0
        bsr     Random
        move.b  (a0,d0.w),d2
        move.b  (a0,d1.w),(a0,d0.w)
        move.b  d2,(a0,d1.w)
        addq.w  #1,d1
        cmpi.w  #5,d1
        bne.s   1b
        rts
