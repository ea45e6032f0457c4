// Gives JavaScript the packages that AOTInductor compiled.
#include "aoti-object.h"

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/version.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check.h"
#include "device.h"
#include "instance.h"
#include "tensor-object.h"
#include "threads.h"
#include "value.h"

namespace pt2 {

using Loader = torch::inductor::AOTIModelPackageLoader;

struct AotiModel {
  AotiModel(std::unique_ptr<Loader> loader, c10::Device device) : loader(std::move(loader)), device(device) {}

  std::unique_ptr<Loader> loader;
  c10::Device device;
};

namespace {

struct AotiSource {
  std::string path;
  std::string model;
  c10::Device device;
  size_t runners;
};

// Older loaders have only one runner and no choice of device.
std::unique_ptr<Loader> openPackage(const AotiSource& source) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 8
  const c10::DeviceIndex index = source.device.is_cpu() ? c10::DeviceIndex(-1) : source.device.index();
  return std::make_unique<Loader>(source.path, source.model, /*run_single_threaded=*/false, source.runners, index);
#else
  if (source.runners != 1) throw Failure("libtorch.aoti", "libtorch " TORCH_VERSION " runs a package once at a time.");
  if (source.device.index() > 0) throw Failure("libtorch.aoti", "libtorch " TORCH_VERSION " has no choice of device.");
  return std::make_unique<Loader>(source.path, source.model);
#endif
}

std::shared_ptr<AotiModel> open(const AotiSource& source) {
  try {
    return std::make_shared<AotiModel>(openPackage(source), source.device);
  } catch (const Failure&) {
    throw;
  } catch (...) {
    throw Failure("libtorch.aoti", "Cannot load " + source.path + ": " + toFailure(std::current_exception()).what());
  }
}

std::vector<at::Tensor> readTensors(Napi::Value value) {
  return readElements(readArray(value, "inputs"),
                      [](Napi::Value input) { return TensorObject::get(input, "inputs").tensor(); });
}

std::vector<at::Tensor> run(AotiModel& model, const std::vector<at::Tensor>& inputs) {
  const StreamLease lease(model.device);
  StreamLease::Scope stream(lease);
  std::vector<at::Tensor> outputs = model.loader->run(inputs);
  stream.synchronize();
  return outputs;
}

}  // namespace

Napi::Function AotiObject::define(Napi::Env env) {
  return Wrapped::define(
      env, {getter<&AotiObject::metadata>("metadata"), getter<&AotiObject::constantNames>("constantNames"),
            method<&AotiObject::run>("run"), method<&AotiObject::dispose>("dispose")});
}

AotiModel& AotiObject::model() const {
  if (!model_) throw Failure("libtorch.disposed", "This package has been disposed.");
  return *model_;
}

Napi::Value AotiObject::metadata(const Napi::CallbackInfo& info) {
  Napi::Object object = Napi::Object::New(info.Env());
  for (const auto& [key, value] : model().loader->get_metadata()) object.Set(key, value);
  return object;
}

Napi::Value AotiObject::constantNames(const Napi::CallbackInfo& info) {
  std::vector<std::string> names = model().loader->get_constant_fqns();
  std::sort(names.begin(), names.end());
  Napi::Array array = Napi::Array::New(info.Env(), names.size());
  for (uint32_t i = 0; i < names.size(); ++i) array.Set(i, names[i]);
  return array;
}

Napi::Value AotiObject::run(const Napi::CallbackInfo& info) {
  model();
  return post(
      info.Env(), *Instance::of(info.Env()).promises,
      [model = model_, inputs = readTensors(info[0])] { return pt2::run(*model, inputs); },
      [](Napi::Env env, const std::vector<at::Tensor>& outputs) {
        return fromIValues(env, {outputs.begin(), outputs.end()});
      });
}

Napi::Value AotiObject::dispose(const Napi::CallbackInfo& info) {
  model_.reset();
  return info.Env().Undefined();
}

Napi::Value loadAoti(const Napi::CallbackInfo& info) {
  const std::string path = readString(info[0], "path");
  const Napi::Object options = readObject(info[1], "options");
  const AotiSource source{path, readString(options.Get("model"), "options.model"),
                          parseDevice(readString(options.Get("device"), "options.device")),
                          static_cast<size_t>(readInteger(options.Get("runners"), "options.runners", 1))};
  return AotiObject::wrap(info.Env(), Instance::of(info.Env()).aoti, std::make_unique<AotiObject>(open(source)));
}

}  // namespace pt2
