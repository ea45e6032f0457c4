// Maps files into memory.
#ifndef _WIN32

#include "mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "failure.h"

namespace pt2 {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw Failure("libtorch.file", "Cannot map " + path + ": " + what + ".");
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

std::shared_ptr<Mapping> Mapping::open(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a process that writes to it.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) fail(path, std::strerror(errno));
  struct stat status{};
  if (fstat(file.number, &status) != 0) fail(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return std::make_shared<Mapping>(nullptr, 0);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number, 0);
  if (data == MAP_FAILED) fail(path, std::strerror(errno));
  return std::make_shared<Mapping>(data, size);
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace pt2

#endif
