// Five names that g++ 12 and Debian 12's archives take from glibc and that glibc 2.28 does not have yet, for programs
// that run there too. scripts/get-portable puts them behind libc; they are never used where the program is not
// portable.
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern "C" {

// 2.32: whether there is one thread only. "No" costs an atomic operation where none was needed, and is never wrong.
char __libc_single_threaded = 0;

// 2.36: numbers from the kernel's generator. There is nothing to do but stop when it gives none.
void arc4random_buf(void* into, size_t size) {
  char* next = static_cast<char*>(into);
  while (size > 0) {
    const long got = syscall(SYS_getrandom, next, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) abort();
    next += got;
    size -= static_cast<size_t>(got);
  }
}

uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof value);
  return value;
}

// 2.30: waits until a time of the given clock. Older conditions know the clock on the wall alone, which may be set: a
// wait is cut after a second and ends as if it had been woken, which every user of a condition must expect.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  constexpr long kSecond = 1000000000;
  struct timespec now, wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  long long left = (until->tv_sec - now.tv_sec) * static_cast<long long>(kSecond) + (until->tv_nsec - now.tv_nsec);
  if (left < 0) left = 0;
  const bool cut = until->tv_sec - now.tv_sec > 2 || left > kSecond;
  const long long wait = (cut ? kSecond : left) + wall.tv_nsec;
  wall.tv_sec += static_cast<time_t>(wait / kSecond);
  wall.tv_nsec = static_cast<long>(wait % kSecond);
  const int result = pthread_cond_timedwait(condition, mutex, &wall);
  return cut && result == ETIMEDOUT ? 0 : result;
}

// 2.35: which loaded object holds an address, and where its table for unwinding is. g++ 12's unwinder asks nobody else.
struct Search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look_at(struct dl_phdr_info* object, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  uintptr_t start = UINTPTR_MAX, end = 0, table = 0;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const uintptr_t from = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) table = from;
    if (part.p_type != PT_LOAD) continue;
    if (from < start) start = from;
    if (from + part.p_memsz > end) end = from + part.p_memsz;
    if (search.address >= from && search.address < from + part.p_memsz) inside = true;
  }
  if (!inside) return 0;
  if (table == 0) return -1;
  *search.found = {};
  search.found->dlfo_map_start = reinterpret_cast<void*>(start);
  search.found->dlfo_map_end = reinterpret_cast<void*>(end);
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(table);
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* result) noexcept {
  Search search{reinterpret_cast<uintptr_t>(address), result};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

// Not of glibc: what scripts/get-portable calls stderr and stdout in HDF5's objects.
FILE* stopover_stderr = nullptr;
FILE* stopover_stdout = nullptr;

__attribute__((constructor(101))) static void know_streams() {
  stopover_stderr = stderr;
  stopover_stdout = stdout;
}
}
