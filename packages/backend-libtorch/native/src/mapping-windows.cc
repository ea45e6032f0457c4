// Maps files into memory on Windows. It follows the documentation and has not been run on Windows yet.
#ifdef _WIN32

#define NOMINMAX
#include <windows.h>

#include "failure.h"
#include "mapping.h"

namespace pt2 {
namespace {

[[noreturn]] void fail(const std::string& path, const char* call) {
  throw Failure("libtorch.file",
                "Cannot map " + path + ": " + call + " failed with error " + std::to_string(GetLastError()) + ".");
}

struct Handle {
  HANDLE value;
  ~Handle() {
    if (value != nullptr && value != INVALID_HANDLE_VALUE) CloseHandle(value);
  }
};

std::wstring widen(const std::string& utf8) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), static_cast<int>(utf8.size()), nullptr, 0);
  std::wstring wide(static_cast<size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), static_cast<int>(utf8.size()), wide.data(), length);
  return wide;
}

}  // namespace

std::shared_ptr<Mapping> Mapping::open(const std::string& path) {
  const Handle file{CreateFileW(widen(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr)};
  if (file.value == INVALID_HANDLE_VALUE) fail(path, "CreateFile");
  LARGE_INTEGER size{};
  if (!GetFileSizeEx(file.value, &size)) fail(path, "GetFileSizeEx");
  if (size.QuadPart == 0) return std::make_shared<Mapping>(nullptr, 0);
  const Handle section{CreateFileMappingW(file.value, nullptr, PAGE_WRITECOPY, 0, 0, nullptr)};
  if (section.value == nullptr) fail(path, "CreateFileMapping");
  void* data = MapViewOfFile(section.value, FILE_MAP_COPY, 0, 0, 0);  // keeps the section and the file open
  if (data == nullptr) fail(path, "MapViewOfFile");
  return std::make_shared<Mapping>(data, static_cast<size_t>(size.QuadPart));
}

Mapping::~Mapping() {
  if (data_ != nullptr) UnmapViewOfFile(data_);
}

}  // namespace pt2

#endif
