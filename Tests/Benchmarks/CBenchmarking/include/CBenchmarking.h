#ifndef CBENCHMARKING_H
#define CBENCHMARKING_H

/* System calls for the benchmarks that Swift can't make. */

#include <sys/types.h>

/* Starts a program that is killed when this process ends, however it does. Its standard streams are `streams`; it inherits
   the core that this process is held to. Returns its number, or the negated error. */
pid_t cbenchmarking_spawn(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments, const int *_Nonnull streams);

/* Holds this thread, and what it starts from now on, to one core: the last of those that it may run on. 0, or the negated
   error. */
int cbenchmarking_pin(void);

/* Takes that back. */
void cbenchmarking_unpin(void);

/* The processor time of a process with all its threads, those that ended included, in nanoseconds; negative when it is gone. */
long long cbenchmarking_processor_time(pid_t process);

/* The memory of this process that was asked of the C library and isn't free, in bytes, with what the library adds. */
size_t cbenchmarking_allocated_bytes(void);

#endif
