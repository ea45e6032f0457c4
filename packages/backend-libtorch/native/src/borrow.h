// Memory of JavaScript under tensors, for as long as one native call lasts.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "layout.h"

namespace pt2 {

// Views bytes in place. What still views them at the end of this object's life gets memory of its own: the storage's
// pointer is exchanged, which all its views follow.
class Borrow {
 public:
  Borrow() = default;
  ~Borrow();
  Borrow(const Borrow&) = delete;
  Borrow& operator=(const Borrow&) = delete;

  at::Tensor view(std::span<uint8_t> bytes, const Layout& layout);

 private:
  std::vector<c10::Storage> storages_;
};

}  // namespace pt2
