// Saves and restores the state of random number generators.
#include "plan/run/random-state.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace pt2 {
namespace {

at::Generator generatorOf(c10::Device device) { return at::globalContext().defaultGenerator(device); }

}  // namespace

RandomState RandomState::save(c10::Device device) {
  RandomState state;
  std::vector<c10::Device> devices = {c10::Device(c10::kCPU)};
  if (device.is_cuda()) devices.push_back(device);
  for (const c10::Device each : devices) {
    at::Generator generator = generatorOf(each);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    state.states_.emplace_back(each, generator.get_state());
  }
  return state;
}

void RandomState::restore() const {
  for (const auto& [device, state] : states_) {
    at::Generator generator = generatorOf(device);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
  }
}

}  // namespace pt2
