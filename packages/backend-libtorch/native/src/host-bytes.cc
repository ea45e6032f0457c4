// Copies tensors to the host, and hands their bytes to JavaScript.
#include "host-bytes.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <atomic>
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

// How much memory arrays of JavaScript may borrow. Node frees such memory in a later turn of the event loop, so a loop
// without turns would accumulate it: beyond this limit, bytes are copied to memory that V8 itself collects.
constexpr int64_t kMostLent = int64_t{256} << 20;
constexpr size_t kMostCopied = size_t{1} << 30;
std::atomic<int64_t> lent{0};

struct Loan {
  explicit Loan(at::Tensor lender) : tensor(std::move(lender)), bytes(static_cast<int64_t>(tensor.nbytes())) {
    lent.fetch_add(bytes, std::memory_order_relaxed);
  }
  ~Loan() { lent.fetch_sub(bytes, std::memory_order_relaxed); }

  at::Tensor tensor;
  int64_t bytes;
};

Napi::Value copyBytes(Napi::Env env, const at::Tensor& host) {
  Napi::Uint8Array copy = Napi::Uint8Array::New(env, host.nbytes());
  std::memcpy(copy.Data(), host.data_ptr(), host.nbytes());
  return copy;
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
  // A tensor of zeros without memory gets some.
  const at::Tensor dense = tensor._is_zerotensor() ? at::zeros(tensor.sizes(), tensor.options()) : tensor;
  const at::Tensor plain = dense.resolve_conj().resolve_neg();
  if (plain.is_cpu()) return plain.contiguous();
  // The copy goes through page-locked memory, which the device writes to by itself. It is awaited: memory that may
  // still be written to is freed through the device, which ends the process where the device has failed.
  const StreamLease lease(plain.device());
  StreamLease::Scope scope(lease);
  at::Tensor host = at::empty(plain.sizes(), plain.options().device(c10::kCPU).pinned_memory(true));
  host.copy_(plain, /*non_blocking=*/false);
  return host;
}

namespace {

// The memory from the first element of a tensor to its last one, as a vector.
at::Tensor extentOf(const at::Tensor& tensor) {
  int64_t count = tensor.numel() == 0 ? 0 : 1;
  for (int64_t d = 0; count > 0 && d < tensor.dim(); ++d) count += (tensor.size(d) - 1) * tensor.stride(d);
  return tensor.as_strided({count}, {1}, tensor.storage_offset());
}

}  // namespace

at::Tensor toDevice(const at::Tensor& tensor, c10::Device device) {
  if (tensor.device() == device) return tensor;
  const StreamLease lease(device);
  StreamLease::Scope scope(lease);
  // Elements that lie on one another are copied with what is around them, and lie so on the device.
  const bool overlaps = tensor.is_cpu() && !tensor.is_non_overlapping_and_dense();
  const at::Tensor given = overlaps ? extentOf(tensor) : tensor;
  const at::Tensor source = given.is_cpu() ? given.pin_memory() : given;
  const at::Tensor copy = source.to(device, /*non_blocking=*/false);
  return overlaps ? copy.as_strided(tensor.sizes(), tensor.strides(), 0) : copy;
}

Napi::Value shareBytes(Napi::Env env, at::Tensor host) {
  const size_t length = host.nbytes();
  if (length == 0) return Napi::Uint8Array::New(env, 0);
  if (lent.load(std::memory_order_relaxed) > kMostLent && length <= kMostCopied) return copyBytes(env, host);
  using Share = std::shared_ptr<Loan>;
  const Share loan = std::make_shared<Loan>(std::move(host));
  auto share = std::make_unique<Share>(loan);
  napi_value buffer = nullptr;
  const napi_status status = napi_create_external_arraybuffer(
      env, loan->tensor.data_ptr(), length, [](napi_env, void*, void* hint) { delete static_cast<Share*>(hint); },
      share.get(), &buffer);
  // Some hosts, such as Electron, forbid external memory.
  if (status == napi_no_external_buffers_allowed) return copyBytes(env, loan->tensor);
  if (status != napi_ok) {
    // Node releases its reference to an array that is too long, at once or later.
    if (loan.use_count() > 1) share->reset();
    static_cast<void>(share.release());
    napi_value exception = nullptr;
    napi_get_and_clear_last_exception(env, &exception);
    throw Failure("libtorch.result",
                  "A tensor of " + std::to_string(length) + " bytes is larger than an array can be.");
  }
  static_cast<void>(share.release());
  return Napi::Uint8Array::New(env, length, Napi::ArrayBuffer(env, buffer), 0);
}

}  // namespace pt2
