// Shared libraries that register ops.
#pragma once

#include <string>

namespace pt2 {

// Opens the library and never closes it. Throws Failure `libtorch.library` with the system's message.
void openLibrary(const std::string& path);

}  // namespace pt2
