#include "guard.h"

_Thread_local struct sluice_guard sluice_guard;
