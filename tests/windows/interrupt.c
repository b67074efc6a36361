/* Starts a program, presses Ctrl+C in the console that both have, and ends with the program's status. Ends with 1 if the program goes on, and
   says what it did: whether it used the processor, and whether a second Ctrl+C ended it. Ends with 77 if it cannot be terminated either: then
   it is the system that does not answer. In Wine 10 one of about sixty runs hung without using the processor, probably so. Wine also loses the
   key when it comes while the program is being started: in 7 of 310 runs with three programs at a time that had run for 0.4 to 1.3 s. After
   3 s none of 180 was lost.
   Usage: interrupt MILLISECONDS PROGRAM ARGUMENT... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define PATIENCE 10000

/* What it has used of the processor so far, in all its threads. */
static double processor_seconds(HANDLE process) {
    FILETIME created, ended, kernel, user;
    if (!GetProcessTimes(process, &created, &ended, &kernel, &user))
        return 0;
    return ((kernel.dwHighDateTime + user.dwHighDateTime) * 4294967296.0 + kernel.dwLowDateTime + user.dwLowDateTime) / 1e7;
}

int main(int count, char **arguments) {
    char line[32768] = "";
    if (count < 3) {
        fprintf(stderr, "usage: interrupt MILLISECONDS PROGRAM ARGUMENT...\n");
        return 2;
    }
    for (int i = 2; i < count; i++) {
        strcat(line, i > 2 ? " \"" : "\"");
        strcat(line, arguments[i]);
        strcat(line, "\"");
    }
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION process;
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) {
        fprintf(stderr, "interrupt: %s was not started: error %lu\n", arguments[2], GetLastError());
        return 1;
    }
    Sleep(atoi(arguments[1]));
    SetConsoleCtrlHandler(NULL, TRUE);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
        fprintf(stderr, "interrupt: no Ctrl+C was sent: error %lu\n", GetLastError());
        return 1;
    }
    double before = processor_seconds(process.hProcess);
    if (WaitForSingleObject(process.hProcess, PATIENCE) != WAIT_OBJECT_0) {
        fprintf(stderr, "interrupt: it still runs after %d ms, and has used the processor for %.1f s of them\n", PATIENCE,
                processor_seconds(process.hProcess) - before);
        GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
        int ends = WaitForSingleObject(process.hProcess, PATIENCE) == WAIT_OBJECT_0;
        fprintf(stderr, "interrupt: a second Ctrl+C %s it\n", ends ? "ended" : "did not end");
        TerminateProcess(process.hProcess, 1);
        return WaitForSingleObject(process.hProcess, PATIENCE) == WAIT_OBJECT_0 ? 1 : 77;
    }
    DWORD status;
    GetExitCodeProcess(process.hProcess, &status);
    return (int)status;
}
