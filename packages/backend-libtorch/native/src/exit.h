// Handles the end of the process while threads of the pool compute.
#pragma once

namespace pt2 {

// Registers an exit handler with the C library. If the process exits while the pool is busy, the handler leaves at
// once, because static destructors would unload libtorch under a running op. Another call moves the handler before
// destructors that were registered since.
void leaveWithoutDestructorsIfBusy();

// Keeps this module in memory when the environment that loaded it ends: threads and registered ops stay.
void pinModule();

}  // namespace pt2
