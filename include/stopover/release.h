// Open a release and see what it is. One of three headers that programs include; see <stopover/publish.h>.
//
//   #include <stopover/release.h>
//   #include <iostream>
//
//   int main() {
//     const stopover::Result<stopover::Release> release = stopover::read_release("city.odr");
//     if (!release) {
//       std::cerr << release.error().message << '\n';
//       return static_cast<int>(release.error().failure);
//     }
//     std::cout << release->mechanism << ", epsilon " << stopover::format_epsilon(release->epsilon) << ", "
//               << release->tables[0].rows() << " boxes\n";
//     for (const stopover::Stop& stop : release->domain.stops()) std::cout << stop.name << '\n';
//     return release->is_private() ? 0 : 1;             // false: made with a key that can be repeated, protects nobody
//   }
//
// read_release reads every byte and checks hashes and rules; verify_release checks more, and is for whoever gets a
// release from others. The whole of what a release says in JSON: info_json(release, *content_sha256(release)).
#pragma once

#include "base/ticks.h"
#include "job/reports.h"
#include "release/release.h"
#include "release_io/release_io.h"
