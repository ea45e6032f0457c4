// Loads shared libraries that register ops.
#include "library.h"

#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "failure.h"

namespace pt2 {

void openLibrary(const std::string& path) {
#ifdef _WIN32
  if (LoadLibraryA(path.c_str()) == nullptr) {
    throw Failure("libtorch.library", path + ": error " + std::to_string(GetLastError()));
  }
#else
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* reason = dlerror();
    throw Failure("libtorch.library", reason == nullptr ? path : reason);
  }
#endif
}

}  // namespace pt2
