// Memory that was freed, and what becomes of it.
#pragma once

namespace pt2 {

/// Lets the C library keep up to 64 MB of what is freed, for each of its heaps, instead of returning it to the system:
/// a run would take the same memory again page by page, and each page is cleared on the way.
void keepFreedMemory();

}  // namespace pt2
