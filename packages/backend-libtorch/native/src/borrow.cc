// Makes tensors over memory of JavaScript, and copies the memory of those that outlive the call.
#include "borrow.h"

#include "storage-object.h"

namespace pt2 {

at::Tensor Borrow::view(std::span<uint8_t> bytes, const Layout& layout) {
  c10::Storage storage = ownedStorage(nullptr, bytes);
  at::Tensor tensor = viewStorage(storage, layout);
  storages_.push_back(std::move(storage));
  return tensor;
}

Borrow::~Borrow() {
  for (c10::Storage& storage : storages_) {
    if (storage.use_count() == 1) continue;
    const c10::Storage own = copiedStorage({static_cast<const uint8_t*>(storage.data()), storage.nbytes()});
    storage.set_data_ptr_noswap(std::move(own.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks()));
  }
}

}  // namespace pt2
