// Leaves the process without static destructors while the pool computes.
#include "exit.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif

#include "pool.h"

namespace pt2 {

#ifdef __GLIBC__

void leaveWithoutDestructorsIfBusy() {
  on_exit(
      [](int status, void*) {
        if (Pool::get().busy()) _exit(status);
      },
      nullptr);
}

#else

// The C library does not pass the exit status here, so the handler waits for the running op.
void leaveWithoutDestructorsIfBusy() {
  std::atexit([] {
    while (Pool::get().busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}

#endif

#ifdef _WIN32

void pinModule() {
  HMODULE module = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                     reinterpret_cast<LPCWSTR>(&pinModule), &module);
}

#else

void pinModule() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&pinModule), &self) != 0) dlopen(self.dli_fname, RTLD_LAZY | RTLD_NODELETE);
}

#endif

}  // namespace pt2
