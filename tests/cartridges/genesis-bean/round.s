| The round script: which round comes next, and its steps from the pause before it to its end.

        .include "ram.inc"
        .text

TITLE_PASSES    = 30
RESULT_PASSES   = 20                    | after a round, everything still as it was
BETWEEN_PASSES  = 20                    | then with the settings of the next round, and no objects

| The script: addresses of steps. A step that returns with carry clear is done, and the next one runs in the same
| pass; with carry set it runs again in the next pass.
Script:
        .long   Title_Begin, Hold
RoundScript:
        .long   Round_Setup, Hold
        .long   Fault_Plan, Round_Begin, Generate, Generation_Log
        .long   Fault_Pool, Players_Make, Queues_Fill
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

Script_Run:
        movea.l (ScriptPc).l,a0
        movea.l (a0)+,a1
        move.l  a0,(ScriptPc).l
        jsr     (a1)
        bcc     Script_Run
        subq.l  #4,(ScriptPc).l
        rts

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

| Round_Setup: the next entry of the schedule that the configuration lets through; mode and stage are set here, a good while
| before the generator reads them (unless the round is forced). A person now and then changes an option.
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
        tst.w   (CFG_SCHEDULE).l
        beq.s   3f
        moveq   #1,d3
        add.b   E_MODE(a0,d2.w),d3
        cmp.w   (CFG_SCHEDULE).l,d3
        beq.s   3f
        subq.w  #1,d1
        bgt.s   1b
3:      move.w  d0,(ScheduleIndex).l
        lea     (a0,d2.w),a0
        lea     (Entry).l,a1
        move.l  (a0)+,(a1)+
        move.l  (a0)+,(a1)+

        bsr     Objects_Clear
        move.b  (Entry+E_MODE).l,(GameMode).l
        move.b  (Entry+E_STAGE).l,(Level).l
        move.b  (Entry+E_STAGE).l,(Opponent).l
        move.w  (ScheduleIndex).l,d0
        andi.b  #3,d0
        bsr     Options_SetComLevel
        .if     PUYO==0
        move.b  (Options+OPT_COM_LEVEL).l,(Difficulty).l
        .endif
        move.b  #ST_BETWEEN,(StateId).l
        move.w  #BETWEEN_PASSES,(ScriptTimer).l
        tst.b   (ForceRound).l
        beq.s   4f
        clr.b   (ForceRound).l
        clr.w   (ScriptTimer).l
4:      andi    #0xFE,ccr
        rts

| Round_Begin: what the game does just before, decompressing, takes a different time in every round, so that the interrupts
| fall anywhere in the generation.
Round_Begin:
        move.b  #ST_GENERATE,(StateId).l
        addq.l  #1,(RoundNumber).l
        move.w  (CFG_GEN_DELAY).l,d0
        beq.s   2f
        lea     (EventNoise).l,a0
        bsr     Noise_Below
        addq.w  #1,d0
        move.w  d0,d1
1:      muls.w  d1,d2
        subq.w  #1,d1
        bne.s   1b
2:      andi    #0xFE,ccr
        rts

Menu_Begin:
        move.b  #ST_MENU,(StateId).l
        move.w  (CFG_MENU).l,(ScriptTimer).l
        andi    #0xFE,ccr
        rts

Round_End:
        move.b  #ST_BETWEEN,(StateId).l
        move.w  #RESULT_PASSES,(ScriptTimer).l
        andi    #0xFE,ccr
        rts
