#include "bindings/bind.h"

// The module that users have: its randomness cannot be repeated.
NB_MODULE(_core, m) { stopover::bind_stopover(m, nullptr); }
