// The end of the process while threads of ours compute.
#pragma once

namespace pt2 {

// Registers with the C library: when the process exits while the pool is busy, leave at once, because static
// destructors would take libtorch away under a running op. Call again to come before destructors registered since.
void leaveWithoutDestructorsIfBusy();

// Keeps this module in memory when the environment that loaded it goes: threads and registered ops stay.
void pinModule();

}  // namespace pt2
