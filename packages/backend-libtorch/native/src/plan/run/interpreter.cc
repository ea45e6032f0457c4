// Runs nodes one after another, and stops at those that JavaScript computes.
#include "plan/run/interpreter.h"

#include <c10/core/InferenceMode.h>

#include <string>
#include <utility>

#include "errors.h"
#include "plan/args/argument-failure.h"
#include "plan/args/checks/opaque.h"
#include "plan/plan-error.h"
#include "run-memory.h"
#include "threads.h"

namespace pt2 {
namespace {

[[noreturn]] void refuseValue(const std::string& op, const c10::Argument& argument, const c10::IValue& value) {
  refuseArgument(op, argument.name(),
                 "must be " + schemaTypeOf(argument) + ", and a " + value.tagKind() + " was computed");
}

bool haveLess(const std::vector<c10::IValue>& arguments, int64_t elements) {
  for (size_t i = 0; i < arguments.size() && elements > 0; ++i) {
    if (arguments[i].isTensor()) {
      elements -= arguments[i].toTensor().numel();
    } else if (arguments[i].isTensorList()) {
      for (const c10::IValue& tensor : arguments[i].toListRef()) elements -= tensor.toTensor().numel();
    }
  }
  return elements > 0;
}

}  // namespace

Interpreter::Interpreter(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs, RunOptions options)
    : plan_(std::move(plan)),
      program_(plan_->program()),
      protection_(plan_, std::move(inputs)),
      stepping_(options.step) {
  if (options.profile) profiler_ = std::make_unique<Profiler>(program_.device);
}

Step Interpreter::resume(std::vector<c10::IValue> results) {
  if (state_ == State::Over) throw Failure("libtorch.plan", "The run is over; start a new one.");
  const c10::InferenceMode inference;
  // Between the steps of a run the caller has what they made.
  const RunScope allocations(stepping_ ? nullptr : plan_->memory());
  const auto memory = profiler_ ? profiler_->watchMemory() : nullptr;
  try {
    if (state_ == State::New) {
      if (program_.writes && program_.random) random_ = RandomState::save(program_.device);
      begin();
    } else {
      reenterRegions();
      if (state_ == State::AtHost) deliver(std::move(results));
    }
    Outcome outcome = advance();
    while (outcome == Outcome::Restart) {
      if (random_.has_value()) random_->restore();
      begin();
      outcome = advance();
    }
    autocast_.clear();
    return stop(outcome);
  } catch (...) {
    autocast_.clear();
    Failure failure = toFailure(std::current_exception());
    if (!frames_.empty()) {
      const Frame& frame = frames_.back();
      failure = located(std::move(failure), frame.index, frame.at);
    }
    state_ = State::Over;
    frames_.clear();
    stack_.clear();
    answers_.clear();
    seen_.reset();
    throw failure;
  }
}

bool Interpreter::undo() {
  const bool wrote = !overwritten_.empty();
  for (; !overwritten_.empty(); overwritten_.pop_back()) overwritten_.back()();
  return wrote;
}

void Interpreter::begin() {
  undo();
  autocast_.clear();
  frames_.clear();
  nextAnswer_ = 0;
  ran_ = 0;
  if (profiler_) profiler_->clear();
  frames_.push_back(enter(program_, 0, protection_.begin()));
}

Interpreter::Outcome Interpreter::advance() {
  for (;;) {
    if (seen_.has_value()) return Outcome::Node;
    const Frame* frame = &frames_.back();
    if (frame->at < frame->graph->nodes.size()) {
      const Outcome outcome = runNodes();
      if (outcome != Outcome::Done) return outcome;
      continue;
    }
    std::vector<c10::IValue> values = leave(frames_.back());
    if (frames_.back().autocast.has_value()) autocast_.leave();
    frames_.pop_back();
    if (frames_.empty()) {
      outputs_ = std::move(values);
      return Outcome::Done;
    }
    proceed(frames_.back().control->resume(std::move(values)));
  }
}

// Runs nodes until the innermost frame changes or ends (Done), or the run has to stop.
Interpreter::Outcome Interpreter::runNodes() {
  Frame& frame = frames_.back();
  const std::vector<Node>& nodes = frame.graph->nodes;
  while (frame.at < nodes.size() && !seen_.has_value()) {
    if (canceled_.load(std::memory_order_relaxed)) throw Failure("libtorch.aborted", "The run was canceled.");
    const Node& node = nodes[frame.at];
    if (profiler_) frame.step = profiler_->startStep(frame.index, frame.at);
    switch (std::visit([&](const auto& kind) { return run(kind, node, frame); }, node.kind)) {
      case After::NextNode: break;
      case After::NextFrame: return Outcome::Done;
      case After::Host: return Outcome::Host;
      case After::Restart: return Outcome::Restart;
    }
  }
  return Outcome::Done;
}

Interpreter::After Interpreter::run(const OpNode& op, const Node& node, Frame& frame) {
  const size_t count = node.operands.size();
  stack_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (read(node.operands[i], frame.slots, plan_->numbers(), stack_[i])) continue;
    refuseValue(node.op, op.handle.schema().arguments()[i], stack_[i]);
  }
  if (!op.writes.empty() && !protection_.admits(node.op, op, stack_)) return After::Restart;
  if (op.mayMixMemory) requireSameMemory(node.op, stack_);
  if (!op.layouts.empty()) op.layouts(stack_);
  if (!op.checks.empty()) op.checks(node.op, stack_);
  if (op.keep != nullptr) {
    protection_.update(stack_.front().toTensor());
    overwritten_.push_back(op.keep(stack_));
  }
  {
    const OneThread one(haveLess(stack_, op.elementsForThreads));
    op.handle.callBoxed(stack_);
  }
  finishNode(stack_);
  stack_.clear();
  return After::NextNode;
}

Interpreter::After Interpreter::run(const ScalarNode& scalar, const Node& node, Frame& frame) {
  std::vector<c10::IValue> results = {scalar.compute(readAll(node.operands, frame.slots))};
  finishNode(results);
  return After::NextNode;
}

Interpreter::After Interpreter::run(const ControlNode& control, const Node& node, Frame& frame) {
  ControlArgs args{node.op,        control.names,          readAll(node.operands, frame.slots),
                   control.graphs, control.graphPositions, program_.device};
  frame.control = control.make(std::move(args));
  proceed(frame.control->resume({}));
  return After::NextFrame;
}

Interpreter::After Interpreter::run(const HostNode&, const Node&, Frame&) {
  return replayHost() ? After::NextNode : After::Host;
}

// The frame of the control op that returned `next` is the innermost one.
void Interpreter::proceed(Next next) {
  if (canceled_.load(std::memory_order_relaxed)) throw Failure("libtorch.aborted", "The run was canceled.");
  if (!next.graph.has_value()) {
    frames_.back().control.reset();
    finishNode(next.values);
  } else {
    frames_.push_back(enter(program_, *next.graph, std::move(next.values)));
    frames_.back().autocast = next.autocast;
    if (next.autocast.has_value()) autocast_.enter(*next.autocast);
  }
}

// The run may continue on another thread than before.
void Interpreter::reenterRegions() {
  for (const Frame& frame : frames_) {
    if (frame.autocast.has_value()) autocast_.enter(*frame.autocast);
  }
}

void Interpreter::finishNode(std::vector<c10::IValue>& results) {
  Frame& frame = frames_.back();
  if (stepping_) observe(frame, results);
  store(frame.node(), frame.slots, results);
  if (profiler_) profiler_->endStep(frame.step);
  ++frame.at;
}

bool Interpreter::replayHost() {
  if (nextAnswer_ == answers_.size()) return false;
  std::vector<c10::IValue> results = answers_[nextAnswer_++];
  protection_.import(results);
  finishNode(results);
  return true;
}

void Interpreter::deliver(std::vector<c10::IValue> results) {
  if (program_.writes) {
    answers_.push_back(results);
    ++nextAnswer_;
  }
  protection_.import(results);
  finishNode(results);
}

// A run that begins again computes its first nodes once more; the caller has seen these.
void Interpreter::observe(const Frame& frame, const std::vector<c10::IValue>& results) {
  if (++ran_ <= seenBefore_) return;
  seenBefore_ = ran_;
  seen_.emplace();
  seen_->kind = Step::Kind::Node;
  seen_->graph = frame.index;
  seen_->node = frame.at;
  seen_->values = results;
  // The caller may keep them, and an update at the end would change what views an input.
  protection_.release(seen_->values);
}

Step Interpreter::stop(Outcome outcome) {
  switch (outcome) {
    case Outcome::Host: return hostStep();
    case Outcome::Node: {
      state_ = State::AfterNode;
      Step step = std::move(*seen_);
      seen_.reset();
      return step;
    }
    default: return doneStep();
  }
}

Step Interpreter::hostStep() {
  state_ = State::AtHost;
  Frame& frame = frames_.back();
  Step step;
  step.kind = Step::Kind::Host;
  step.graph = frame.index;
  step.node = frame.at;
  step.values = readAll(frame.node().operands, frame.slots);
  return step;
}

Step Interpreter::doneStep() {
  state_ = State::Over;
  Step step;
  protection_.release(outputs_);
  step.values = std::move(outputs_);
  step.written = protection_.written();
  if (profiler_) step.profile = profiler_->finish();
  answers_.clear();
  overwritten_.clear();
  return step;
}

std::unique_ptr<Run> start(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs, RunOptions options) {
  return std::make_unique<Interpreter>(std::move(plan), std::move(inputs), options);
}

}  // namespace pt2
