// Tensors over memory of JavaScript, for as long as one native call lasts.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "layout.h"

namespace pt2 {

// Views bytes in place. Tensors that still view them when this object is destroyed get memory of their own: the
// storage's pointer is exchanged, and all its views follow.
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
