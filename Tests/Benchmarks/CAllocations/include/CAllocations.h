#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* Counts allocations of the program that it is linked to: its `malloc` and the like take the place of the C library's, for
   Swift's libraries too, and hand on to that. */

/* How often this thread has asked for memory. */
unsigned long callocations_count(void);

#endif
