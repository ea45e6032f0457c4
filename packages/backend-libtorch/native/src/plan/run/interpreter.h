// Runs a plan: a loop over the nodes of the innermost graph.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "plan/control/autocast.h"
#include "plan/plan-state.h"
#include "plan/plan.h"
#include "plan/profile/profile.h"
#include "plan/run/frame.h"
#include "plan/run/protection.h"
#include "plan/run/random-state.h"

namespace pt2 {

class Interpreter final : public Run {
 public:
  Interpreter(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs, RunOptions options);

  Step resume(std::vector<c10::IValue> results) override;
  void cancel() noexcept override { canceled_.store(true, std::memory_order_relaxed); }
  bool undo() override;
  void rewind() override { state_ = State::New; }

 private:
  enum class State : uint8_t { New, AtHost, AfterNode, Over };
  enum class Outcome : uint8_t { Host, Node, Done, Restart };

  void begin();
  // Runs until a stop, the end, or a write that must not happen.
  Outcome advance();
  Outcome runNodes();
  // What the interpreter does after a node.
  enum class After : uint8_t { NextNode, NextFrame, Host, Restart };
  After run(const OpNode& op, const Node& node, Frame& frame);
  After run(const ScalarNode& scalar, const Node& node, Frame& frame);
  After run(const ControlNode& control, const Node& node, Frame& frame);
  After run(const HostNode& host, const Node& node, Frame& frame);
  void proceed(Next next);
  bool replayHost();
  void finishNode(std::vector<c10::IValue>& results);
  void deliver(std::vector<c10::IValue> results);
  void reenterRegions();
  void observe(const Frame& frame, const std::vector<c10::IValue>& results);
  Step stop(Outcome outcome);
  Step hostStep();
  Step doneStep();

  std::shared_ptr<Plan> plan_;
  const Program& program_;
  Protection protection_;
  // What writes back the elements of bound inputs that updates have overwritten, in the order of the updates.
  std::vector<std::function<void()>> overwritten_;
  std::optional<RandomState> random_;
  std::unique_ptr<Profiler> profiler_;
  const bool stepping_;
  std::atomic<bool> canceled_{false};
  State state_ = State::New;

  std::vector<Frame> frames_;
  AutocastStack autocast_;
  std::vector<c10::IValue> stack_;
  std::vector<c10::IValue> outputs_;
  // The results of host nodes so far, for a run that begins again.
  std::vector<std::vector<c10::IValue>> answers_;
  size_t nextAnswer_ = 0;
  // The node that ran last, in a run that stops after each node. A node that runs again is not reported again.
  std::optional<Step> seen_;
  size_t seenBefore_ = 0;
  size_t ran_ = 0;
};

}  // namespace pt2
