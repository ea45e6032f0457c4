// Records work on a device and repeats it without work on the CPU.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <memory>
#include <vector>

namespace pt2 {

using Values = std::vector<c10::IValue>;
using Work = std::function<Values()>;

class Recorder {
 public:
  virtual ~Recorder() = default;
  // Records once, on the stream and device of the calling thread.
  virtual void record(Work work) = 0;
  // Repeats the work in the same memory; the next replay overwrites the results.
  virtual const Values& replay() = 0;
};

// Makes a recorder that runs the work again each time, for devices that cannot record.
std::unique_ptr<Recorder> repeatingRecorder();

// Makes a recorder of CUDA graphs. Throws Failure `libtorch.device` when this module was built without CUDA's headers.
std::unique_ptr<Recorder> cudaRecorder();

}  // namespace pt2
