// Lets one caller at a time continue a run.
#include "run-state.h"

#include <c10/core/InferenceMode.h>

#include <chrono>

#include "failure.h"
#include "threads.h"

namespace pt2 {

void RunState::claim() {
  if (busy_.exchange(true))
    throw Failure("libtorch.busy", "This run is under way; it can be resumed when it has answered.");
}

std::shared_ptr<Run> RunState::current() {
  const std::lock_guard lock(mutex_);
  return run_;
}

void RunState::finish() noexcept {
  std::shared_ptr<Run> ended;
  const std::lock_guard lock(mutex_);
  ended.swap(run_);
  stream_.reset();
}

Step RunState::resume(std::vector<c10::IValue> results) {
  const Claim claim{busy_};
  const std::shared_ptr<Run> run = current();
  if (!run) throw Failure("libtorch.finished", "This run is over; start another one.");
  const c10::InferenceMode inference;
  adoptThreads();
  try {
    Step step = resumeOnStream(*run, std::move(results));
    if (step.kind == Step::Kind::Done) finish();
    return step;
  } catch (...) {
    finish();
    throw;
  }
}

Step RunState::resumeOnStream(Run& run, std::vector<c10::IValue> results) {
  // Kernels that are queued on the device may still read these values after the interpreter has released them.
  const std::vector<c10::IValue> held = results;
  if (!stream_) stream_.emplace(device_);
  StreamLease::Scope stream(*stream_);
  const auto begin = std::chrono::steady_clock::now();
  Step step;
  try {
    step = run.resume(std::move(results));
  } catch (...) {
    if (run.undo()) stream.synchronize();
    throw;
  }
  stream.synchronize();
  step.ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  return step;
}

void RunState::undo() {
  if (busy_.exchange(true)) return;
  const Claim claim{busy_};
  const std::shared_ptr<Run> run = current();
  // A run that has not begun has no stream, and has written nothing.
  if (!run || !stream_) return;
  const c10::InferenceMode inference;
  const StreamLease::Scope stream(*stream_);
  run->undo();
}

void RunState::cancel() noexcept {
  const std::lock_guard lock(mutex_);
  if (run_) run_->cancel();
}

}  // namespace pt2
