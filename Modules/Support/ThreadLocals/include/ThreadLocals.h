#ifndef TICDS_THREAD_LOCALS_H
#define TICDS_THREAD_LOCALS_H

#include <stdint.h>

// Where a thread is in the object that it is making. Swift has no variables of threads, and a key of POSIX threads takes a
// call of the system's library for each look.
typedef struct {
    // The index of the wrapper that is initialised next; null while declarations are collected, and outside of any object.
    const int16_t *_Nullable next;
    // The scope that collects declarations; null outside of any object.
    const void *_Nullable scope;
} ticds_instantiation;

#if defined(__linux__)
// Found without a call: sixteen bytes of the room that the loader keeps for libraries that are opened later.
__attribute__((tls_model("initial-exec")))
#endif
extern _Thread_local ticds_instantiation ticds_thread_instantiation;

// The place stays the same as long as the thread lives.
static inline ticds_instantiation *_Nonnull ticds_current_instantiation(void) { return &ticds_thread_instantiation; }

#endif
