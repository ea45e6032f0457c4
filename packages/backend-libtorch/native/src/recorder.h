// Records work on a device, to repeat it without the CPU's part in it.
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
  // Once, on the stream and device of the calling thread.
  virtual void record(Work work) = 0;
  // Repeats the work in the same memory; the results are overwritten by the next replay.
  virtual const Values& replay() = 0;
};

// Does the work again each time: where a device cannot record.
std::unique_ptr<Recorder> repeatingRecorder();

// A CUDA graph. Failure `libtorch.device` when this module was built without CUDA's headers.
std::unique_ptr<Recorder> cudaRecorder();

}  // namespace pt2
