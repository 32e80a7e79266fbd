// Together: who does pieces of work that do not touch each other's data.
//
// This room starts no threads, since it also runs in a web page; whoever has some hands them in. Without, pieces are
// done one after the other. What comes out is the same.
#pragma once

#include <functional>
#include <span>

namespace stopover {

// Does all of them and returns when the last is done.
using Together = std::function<void(std::span<const std::function<void()>> work)>;

}  // namespace stopover
