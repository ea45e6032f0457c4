// Shared libraries that register ops.
#pragma once

#include <string>

namespace pt2 {

// Opens it for good. Failure `libtorch.library` with the system's own words.
void openLibrary(const std::string& path);

}  // namespace pt2
