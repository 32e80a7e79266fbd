#include "bindings/bind.h"
#include "testing/test_key.h"

// The same with keys that can be repeated. Never part of a wheel.
NB_MODULE(_lab, m) {
  stopover::bind_stopover(
      m, [](const std::string& name) -> stopover::Result<stopover::ReleaseKey> { return stopover::test_key(name); });
}
