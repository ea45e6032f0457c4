// A file mapped into memory. Its pages are read when they are first touched, and become private copies when they are
// written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace pt2 {

class Mapping {
 public:
  // Throws Failure `libtorch.file` when the file cannot be mapped.
  static std::shared_ptr<Mapping> open(const std::string& path);

  Mapping(void* data, size_t size) : data_(static_cast<uint8_t*>(data)), size_(size) {}
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  uint8_t* data_;  // null for an empty file
  size_t size_;
};

}  // namespace pt2
