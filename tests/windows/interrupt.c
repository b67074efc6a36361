/* Starts a program, presses Ctrl+C in the console that both have, and ends with the program's status. Ends with 77 if the program goes on
   and cannot be terminated either: then it is the system that does not answer. In Wine 10 one of about sixty runs hung without using the processor, probably so.
   Usage: interrupt MILLISECONDS PROGRAM ARGUMENT... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define PATIENCE 10000

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
    if (WaitForSingleObject(process.hProcess, PATIENCE) != WAIT_OBJECT_0) {
        fprintf(stderr, "interrupt: it still runs after %d ms\n", PATIENCE);
        TerminateProcess(process.hProcess, 1);
        return WaitForSingleObject(process.hProcess, PATIENCE) == WAIT_OBJECT_0 ? 1 : 77;
    }
    DWORD status;
    GetExitCodeProcess(process.hProcess, &status);
    return (int)status;
}
