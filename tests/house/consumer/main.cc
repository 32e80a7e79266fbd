// The smallest project that uses an installed stopover.
#include <iostream>

#include "base/ticks.h"

int main() {
  const auto epsilon = stopover::parse_epsilon("0.1");
  if (!epsilon) return 1;
  std::cout << *epsilon << " ticks are epsilon " << stopover::format_epsilon(*epsilon) << '\n';
}
