// UntouchedVector: a vector whose resize() leaves new elements as memory is, for whoever writes each of them next.
//
// The system hands out memory page by page when it is first written, which for hundreds of megabytes takes longer than
// what is then done with them. A vector that fills itself does this on one thread; here those who write the elements do
// it, several at once.
//
// REQUIRES: T can be copied as bytes; every element is written before it is read.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace stopover {

template <typename T>
struct UntouchedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T>);
  template <typename U>
  struct rebind {
    using other = UntouchedAllocator<U>;
  };
  UntouchedAllocator() = default;
  template <typename U>
  UntouchedAllocator(const UntouchedAllocator<U>&) noexcept {}

  void construct(T*) noexcept {}
  template <typename... Values>
  void construct(T* at, Values&&... values) {
    std::construct_at(at, std::forward<Values>(values)...);
  }
};

template <typename T>
using UntouchedVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace stopover
