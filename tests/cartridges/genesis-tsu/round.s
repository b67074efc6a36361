| The round script: which round comes next, and its steps from the pause before it to its end.

        .include "ram.inc"
        .text

TITLE_PASSES    = 30
RESULT_PASSES   = 60                    | after a round, everything still as it was
BETWEEN_PASSES  = 60                    | then with the settings of the next round

| The script: addresses of steps. A step that returns with carry clear is done, and the next one runs in the same
| pass; with carry set it runs again in the next pass.
Script:
        .long   Title_Begin, Hold, Title_Wait, Hold
RoundScript:
        .long   Round_Setup, Hold
        .long   Round_Begin, Generate, Round_Generated
        .long   Fault_Pool, Players_Clear, Queues_Fill
        .long   Menu_Begin, Hold
        .long   Play_Begin, Play_Run
        .long   Round_End, Hold, Script_Again

        .global Script_Start, Script_ForceRound, Script_Run
Script_Start:
        move.l  #Script,(ScriptPc).l
        move.w  #-1,(ScheduleIndex).l
        rts

| Script_ForceRound: whatever runs is left, the next round of the schedule starts in this pass.
Script_ForceRound:
        move.l  #RoundScript,(ScriptPc).l
        st      (ForceRound).l
        rts

| Script_Run: called from the main loop, so sp = FF7FFC here and FF7FF8 in the step.
Script_Run:
        movea.l (ScriptPc).l,a0
        movea.l (a0)+,a1
        move.l  a0,(ScriptPc).l
        cmpa.l  #Generate,a1
        beq.s   1f
        jsr     (a1)
        bcc     Script_Run
        subq.l  #4,(ScriptPc).l
        rts
1:      jsr     (a1)                    | the generator has more to do than to mind its carry
        bra     Script_Run

Script_Again:
        move.l  #RoundScript,(ScriptPc).l
        andi    #0xFE,ccr
        rts

| Hold: until ScriptTimer has run out.
Hold:
        tst.w   (ScriptTimer).l
        beq.s   1f                      | carry is clear
        subq.w  #1,(ScriptTimer).l
        ori     #1,ccr
1:      rts

Title_Begin:
        move.b  #ST_TITLE,(StateId).l
        move.w  #TITLE_PASSES,(ScriptTimer).l
        andi    #0xFE,ccr
        rts

| Title_Wait: if the title waits for Start, the round is generated so many passes after the press: in its pass, or later.
Title_Wait:
        move.w  (CFG_START).l,d0
        beq.s   3f                      | carry is clear
        btst    #7,(Pad1+1).l
        bne.s   1f
        ori     #1,ccr
        rts
1:      tst.w   d0
        bpl.s   2f
        move.w  #-1,(QuietPasses).l     | longer than any wait, and cleared by the generation
        clr.b   (EventForced).l
2:      andi.w  #START_PASSES,d0
        subq.w  #1,d0
        move.w  d0,(ScriptTimer).l
        st      (ForceRound).l
        andi    #0xFE,ccr
3:      rts

| Round_Setup: the next entry of the schedule that the config lets through: mode, rank and pop count are settled here,
| a good while before the generator reads them (unless the round is forced).
Round_Setup:
        lea     (ScheduleEntries).l,a0
        move.w  (ScheduleIndex).l,d0
        move.w  (Schedule).l,d1         | so many tries
1:      addq.w  #1,d0
        cmp.w   (Schedule).l,d0
        bcs.s   2f
        moveq   #0,d0
2:      move.w  d0,d2
        lsl.w   #3,d2
        move.b  E_MODE(a0,d2.w),d3
        cmpi.w  #1,(CFG_SCHEDULE).l
        bcs.s   4f                      | 0: any
        bne.s   3f
        cmpi.b  #1,d3                   | 1: versus
        beq.s   4f
        bra.s   5f
3:      tst.b   d3                      | 2: story
        beq.s   4f
5:      subq.w  #1,d1
        bgt.s   1b
4:      move.w  d0,(ScheduleIndex).l
        lea     (a0,d2.w),a0
        lea     (Entry).l,a1
        move.l  (a0)+,(a1)+
        move.l  (a0)+,(a1)+

        move.b  (Entry+E_MODE).l,(GameMode).l
        move.b  (Entry+E_RANK).l,(Rank).l
        move.b  (Entry+E_RANK).l,(Stage).l
        move.b  #2,(PlayerCount).l
        move.b  #3,(ActivePlayers).l
        tst.b   (GameMode).l
        bne.s   6f
        move.b  #1,(PlayerCount).l
        move.b  #1,(ActivePlayers).l
6:      move.b  (Entry+E_POP_COUNT).l,d0
        bsr     Options_SetPopCount
        move.b  #ST_BETWEEN,(StateId).l
        move.w  #BETWEEN_PASSES,(ScriptTimer).l
        tst.b   (ForceRound).l
        beq.s   7f
        clr.b   (ForceRound).l
        clr.w   (ScriptTimer).l
7:      andi    #0xFE,ccr
        rts

Round_Begin:
        move.b  #ST_GENERATE,(StateId).l
        addq.l  #1,(RoundNumber).l
        move.l  (RngState).l,(SeedBefore).l
        andi    #0xFE,ccr
        rts

| Round_Generated: the state afterwards, and when R moves next: in this very pass, in the next one, not for long, or as
| chance has it.
Round_Generated:
        move.l  (RngState).l,(SeedAfter).l
        bsr     Events_AfterRound
        andi    #0xFE,ccr
        rts

Menu_Begin:
        move.b  #ST_MENU,(StateId).l
        move.w  (CFG_MENU).l,(ScriptTimer).l
        andi    #0xFE,ccr
        rts

| Round_End: the one with more points has won. Pools, queues and settings stay for a while.
Round_End:
        lea     (Wins1).l,a0
        move.l  (Player1+P_SCORE).l,d0
        cmp.l   (Player2+P_SCORE).l,d0
        bcc.s   1f
        addq.l  #1,a0
1:      addq.b  #1,(a0)
        move.b  #ST_BETWEEN,(StateId).l
        move.w  #RESULT_PASSES,(ScriptTimer).l
        andi    #0xFE,ccr
        rts
