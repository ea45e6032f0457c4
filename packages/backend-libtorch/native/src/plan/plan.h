// A program whose ops, arguments and lifetimes are resolved, and its runs. Knows nothing of JavaScript.
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

// Resolves every op and argument. Throws Failure with the place in the plan. An undefined tensor in `bound` is an input
// that each run gives.
std::shared_ptr<Plan> compile(PlanSource source, std::vector<at::Tensor> bound);

// Replaces a bound input for runs that start later. Call from one thread only.
void bind(Plan& plan, size_t input, at::Tensor tensor);

// Bytes of the storages that the bound inputs view, each counted once.
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
  int64_t beginnings = 0;  // more than one where a run found a write that it had not expected
};

struct Step {
  enum class Kind : uint8_t { Host, Node, Done };
  Kind kind = Kind::Done;
  // Of a host node: its place, and its arguments in `values`. Of a node that ran: what it gave, one entry per return.
  // When done: the outputs.
  size_t graph = 0;
  size_t node = 0;
  std::vector<c10::IValue> values;
  // Inputs that were written to, with their new values.
  std::vector<std::pair<size_t, at::Tensor>> written;
  std::unique_ptr<Profile> profile;
};

struct RunOptions {
  bool profile = false;
  bool step = false;  // stop after every node
};

// One run of a plan. `resume` may be called from any thread, by one at a time.
class Run {
 public:
  virtual ~Run() = default;
  // Up to the next stop or the end; `results` are those of the host node at which it stopped, else none.
  virtual Step resume(std::vector<c10::IValue> results) = 0;
  // From any thread: makes the run fail with `libtorch.aborted` before its next node.
  virtual void cancel() noexcept = 0;
};

std::unique_ptr<Run> start(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs, RunOptions options);

}  // namespace pt2
