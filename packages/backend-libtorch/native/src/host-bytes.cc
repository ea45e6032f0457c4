#include "host-bytes.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <cstring>
#include <memory>
#include <string>

#include "device.h"
#include "dtype.h"
#include "failure.h"

namespace pt2 {
namespace {

[[noreturn]] void refuseTensor(const std::string& kind) {
  throw Failure("libtorch.result", "A " + kind + " tensor has no plain elements that JavaScript could read.");
}

}  // namespace

void requirePlain(const at::Tensor& tensor) {
  if (tensor.is_nested()) refuseTensor("nested");
  if (tensor.is_quantized()) refuseTensor("quantized");
  if (tensor.layout() != c10::kStrided) refuseTensor("sparse");
  if (dtypeName(tensor.scalar_type()) == nullptr) refuseTensor(c10::toString(tensor.scalar_type()));
  if (!tensor.has_storage()) refuseTensor("storageless");
}

at::Tensor toHost(const at::Tensor& tensor) {
  requirePlain(tensor);
  if (tensor.is_meta()) refuseTensor("meta");
  const c10::InferenceMode inference;
  const at::Tensor plain = tensor.resolve_conj().resolve_neg();
  if (plain.is_cpu()) return plain.contiguous();
  // Through page-locked memory, which the device writes to on its own.
  const StreamLease lease(plain.device());
  StreamLease::Scope scope(lease);
  at::Tensor host = at::empty(plain.sizes(), plain.options().device(c10::kCPU).pinned_memory(true));
  host.copy_(plain, /*non_blocking=*/true);
  scope.synchronize();
  return host;
}

at::Tensor toDevice(const at::Tensor& tensor, c10::Device device) {
  if (tensor.device() == device) return tensor;
  const StreamLease lease(device);
  StreamLease::Scope scope(lease);
  const at::Tensor source = tensor.is_cpu() ? tensor.pin_memory() : tensor;
  at::Tensor copy = source.to(device, /*non_blocking=*/true);
  scope.synchronize();
  return copy;
}

Napi::Value shareBytes(Napi::Env env, at::Tensor host) {
  const size_t length = host.nbytes();
  if (length == 0) return Napi::Uint8Array::New(env, 0);
  auto owner = std::make_unique<at::Tensor>(std::move(host));
  void* data = owner->data_ptr();
  napi_value buffer = nullptr;
  const napi_status status = napi_create_external_arraybuffer(
      env, data, length, [](napi_env, void*, void* kept) { delete static_cast<at::Tensor*>(kept); }, owner.get(), &buffer);
  if (status == napi_ok) {
    owner.release();
    return Napi::Uint8Array::New(env, length, Napi::ArrayBuffer(env, buffer), 0);
  }
  // Some hosts, such as Electron, forbid memory that is not theirs.
  if (status != napi_no_external_buffers_allowed) throw Napi::Error::New(env);
  Napi::Uint8Array copy = Napi::Uint8Array::New(env, length);
  std::memcpy(copy.Data(), data, length);
  return copy;
}

}  // namespace pt2
