// A program whose ops, arguments and lifetimes are resolved, and its runs. Nothing here depends on JavaScript.
#pragma once

#include <ATen/core/ivalue.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pt2 {

struct PlanSource;  // plan/source.h: the description that JavaScript gave, parsed

class Plan;  // immutable, but for the bound inputs and the set of inputs known to be written

// Resolves every op and argument. Throws Failure with the node's place in the plan. An undefined tensor in `bound`
// stands for an input that each run takes.
std::shared_ptr<Plan> compile(PlanSource source, std::vector<at::Tensor> bound);

// Replaces a bound input for runs that start later. One thread only may call it.
void bind(Plan& plan, size_t input, at::Tensor tensor);

// Returns the bytes of the storages that the bound inputs view, each counted once.
size_t boundBytes(const Plan& plan);

struct StepTime {
  size_t graph;
  size_t node;
  int64_t startNs;
  int64_t durationNs;
};

struct Profile {
  std::vector<StepTime> steps;
  int64_t totalNs = 0;
  int64_t peakBytes = 0;
  int64_t beginnings = 0;  // is more than one where a run found a write that it had not expected
};

struct Step {
  enum class Kind : uint8_t { Host, Node, Done };
  Kind kind = Kind::Done;
  // For a host node these are its place, and its arguments in `values`. For a node that ran they are its results, one
  // entry per return. For the end of a run `values` holds the outputs.
  size_t graph = 0;
  size_t node = 0;
  std::vector<c10::IValue> values;
  // The inputs that were written to, with their new values.
  std::vector<std::pair<size_t, at::Tensor>> written;
  std::unique_ptr<Profile> profile;
  int64_t ns = 0;  // how long it took to get here from the stop before
};

struct RunOptions {
  bool profile = false;
  bool step = false;  // stop after every node
};

// Whether a run calls no JavaScript between its beginning and its end, and leaves its inputs as they were: on the CPU,
// without host nodes, writes, or loops whose length depends on data.
bool runsDirectly(const Plan& plan);

// One run of a plan. Any thread may call `resume`, but only one at a time.
class Run {
 public:
  virtual ~Run() = default;
  // Runs up to the next stop or the end; `results` are those of the host node at which the run stopped, else none.
  virtual Step resume(std::vector<c10::IValue> results) = 0;
  // Makes the run fail with `libtorch.aborted` before its next node. Any thread may call it.
  virtual void cancel() noexcept = 0;
  // Makes the bound inputs what they were before a run that is not to reach its end, and returns whether it had written
  // to any. It must not run meanwhile.
  virtual bool undo() = 0;
  // Lets a run that is over, or has not begun, begin again, on what is in its inputs then. Only for plans that run
  // directly.
  virtual void rewind() = 0;
};

std::unique_ptr<Run> start(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs, RunOptions options);

}  // namespace pt2
