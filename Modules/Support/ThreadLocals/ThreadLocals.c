#include "ThreadLocals.h"

_Thread_local ticds_instantiation ticds_thread_instantiation;
