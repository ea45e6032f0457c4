// Runs several elementwise ops as one kernel on the GPU: shapes and strides are `TensorIterator`'s, as in ATen's own
// ops.
#ifdef PT2_CUDA

#include <ATen/TensorIterator.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>

#include <bit>
#include <string>
#include <vector>

#include "cuda/check.h"
#include "cuda/jit.h"
#include "cuda/ops.h"
#include "kernels/ops/pointwise-program.h"

namespace pt2::cuda {
namespace {

constexpr const char* kPointwiseOp = "pointwise";
// Elements that a thread computes side by side, where memory allows it.
constexpr int64_t kWide = 4;
// The room for the places of operands among a kernel's arguments, which take 4 KB at most.
constexpr size_t kOperands = 32;
constexpr size_t kWords = 896;

std::string number(float value) { return "__int_as_float(" + std::to_string(std::bit_cast<int32_t>(value)) + ")"; }

std::string callOf(const PointwiseInstruction& instruction) {
  const auto at = [](uint8_t index) { return "r" + std::to_string(index) + "[j]"; };
  const std::string x = at(instruction.x), y = at(instruction.y), z = at(instruction.z);
  const auto when = [&](const char* relation) { return x + relation + y + " ? 1.0f : 0.0f"; };
  switch (instruction.fn) {
    case PointwiseFn::kCopy: return x;
    case PointwiseFn::kNeg: return "-" + x;
    case PointwiseFn::kAbs: return "fabsf(" + x + ")";
    case PointwiseFn::kSqrt: return "sqrtf(" + x + ")";
    case PointwiseFn::kExp: return "expf(" + x + ")";
    case PointwiseFn::kTanh: return "tanhf(" + x + ")";
    case PointwiseFn::kErf: return "erff(" + x + ")";
    case PointwiseFn::kAdd: return x + " + " + y;
    case PointwiseFn::kSub: return x + " - " + y;
    case PointwiseFn::kMul: return x + " * " + y;
    case PointwiseFn::kDiv: return x + " / " + y;
    // A NaN on either side is the result.
    case PointwiseFn::kMin: return x + " != " + x + " || " + x + " < " + y + " ? " + x + " : " + y;
    case PointwiseFn::kMax: return x + " != " + x + " || " + x + " > " + y + " ? " + x + " : " + y;
    case PointwiseFn::kEq: return when(" == ");
    case PointwiseFn::kNe: return when(" != ");
    case PointwiseFn::kLt: return when(" < ");
    case PointwiseFn::kLe: return when(" <= ");
    case PointwiseFn::kGt: return when(" > ");
    case PointwiseFn::kGe: return when(" >= ");
    case PointwiseFn::kSelect: return x + " != 0.0f ? " + y + " : " + z;
    // Programs for GPUs have none: `pt2::round` is not there.
    case PointwiseFn::kRoundFloat16:
    case PointwiseFn::kRoundBFloat16:
    case PointwiseFn::kCount: break;
  }
  TORCH_CHECK(false, "pt2::", kPointwiseOp, ": no such function");
}

// Where the elements of operands are: after the pointers, the sizes, then the strides of each operand in bytes.
struct Places {
  char* data[kOperands];
  uint32_t words[kWords];
};

// One pass: a kernel's source, made of what is known of operands, and their places.
class Pass {
 public:
  Pass(const PointwiseProgram& program, at::TensorIteratorBase& iterator)
      : program_(program),
        iterator_(iterator),
        operands_(static_cast<size_t>(iterator.ntensors())),
        dims_(static_cast<size_t>(iterator.ndim())) {
    TORCH_CHECK(operands_ <= kOperands && dims_ * (operands_ + 1) <= kWords, "pt2::", kPointwiseOp, ": ", operands_,
                " tensors of ", dims_, " dimensions are too many");
  }

  void run() {
    const int64_t lanes = lanesOf();
    const auto count = static_cast<uint32_t>(iterator_.numel() / lanes);
    Places places{};
    uint32_t* word = places.words;
    for (size_t d = 0; d < dims_; ++d) {
      const int64_t size = iterator_.shape()[d];
      *word++ = static_cast<uint32_t>(d == 0 ? size / lanes : size);
    }
    for (size_t i = 0; i < operands_; ++i) {
      places.data[i] = static_cast<char*>(iterator_.data_ptr(static_cast<int>(i)));
      for (size_t d = 0; d < dims_; ++d) {
        *word++ = static_cast<uint32_t>(stride(i, d) * (d == 0 ? lanes : 1));
      }
    }
    const CUfunction kernel = kernelOf(keyOf(lanes), [&] { return source(lanes); });
    launch(kernel, count, {&places, &count});
  }

 private:
  int64_t stride(size_t i, size_t d) const { return iterator_.strides(static_cast<int>(i))[d]; }
  int64_t width(size_t i) const { return iterator_.element_size(static_cast<int>(i)); }
  bool isMask(size_t i) const { return iterator_.dtype(static_cast<int>(i)) == at::kBool; }
  // Whether neighbors lie side by side; else all are one element.
  bool isDense(size_t i) const { return dims_ == 0 || stride(i, 0) == width(i); }

  int64_t lanesOf() const {
    if (dims_ == 0 || iterator_.shape()[0] % kWide != 0) return 1;
    for (size_t i = 0; i < operands_; ++i) {
      if (stride(i, 0) != 0 && !isDense(i)) return 1;
      if (!isDense(i)) continue;
      const int64_t bytes = kWide * width(i);
      if (reinterpret_cast<uintptr_t>(iterator_.data_ptr(static_cast<int>(i))) % bytes != 0) return 1;
      for (size_t d = 1; d < dims_; ++d) {
        if (stride(i, d) % bytes != 0) return 1;
      }
    }
    return kWide;
  }

  // What `source` depends on.
  std::string keyOf(int64_t lanes) const {
    std::string key = "pointwise";
    const auto add = [&key](int64_t number) { (key += ' ') += std::to_string(number); };
    for (const int64_t number : {lanes, static_cast<int64_t>(dims_), static_cast<int64_t>(program_.results_count)}) {
      add(number);
    }
    for (size_t i = 0; i < operands_; ++i) (key += isMask(i) ? 'm' : 'f') += isDense(i) ? 'd' : 's';
    for (size_t i = 0; i < program_.results_count; ++i) add(program_.registers[i]);
    for (const float constant : program_.constants) add(std::bit_cast<int32_t>(constant));
    for (const PointwiseInstruction& instruction : program_.instructions) {
      key += ';';
      for (const uint8_t number :
           {static_cast<uint8_t>(instruction.fn), instruction.out, instruction.x, instruction.y, instruction.z}) {
        add(number);
      }
    }
    return key;
  }

  std::string load(size_t operand, size_t input, int64_t lanes) const {
    const std::string name = "r" + std::to_string(input), at = "at" + std::to_string(operand);
    const std::string type = isMask(operand) ? "unsigned char" : "float";
    const std::string value = isMask(operand) ? " ? 1.0f : 0.0f" : "";
    const std::string each = "for (int j = 0; j < LANES; ++j) " + name + "[j] = ";
    if (!isDense(operand)) return each + "*(const " + type + "*)" + at + value + ";\n";
    const std::string wide = lanes == 1 ? type : isMask(operand) ? "uchar4" : "float4";
    return "{ const " + wide + " v = *(const " + wide + "*)" + at + "; " + each + "((const " + type + "*)&v)[j]" +
           value + "; }\n";
  }

  std::string store(size_t operand, size_t result, int64_t lanes) const {
    const std::string type = isMask(operand) ? "unsigned char" : "float";
    const std::string wide = lanes == 1 ? type : isMask(operand) ? "uchar4" : "float4";
    const std::string name = "r" + std::to_string(program_.registers[result]);
    return "{ " + wide + " v; for (int j = 0; j < LANES; ++j) ((" + type + "*)&v)[j] = " + name + "[j]" +
           (isMask(operand) ? " != 0.0f" : "") + "; *(" + wide + "*)at" + std::to_string(operand) + " = v; }\n";
  }

  std::string source(int64_t lanes) const {
    const size_t results = program_.results_count, inputs = operands_ - results;
    std::string s =
        "#define LANES " + std::to_string(lanes) + "\nstruct Places { char* data[" + std::to_string(kOperands) +
        "]; unsigned words[" + std::to_string(kWords) +
        "]; };\nextern \"C\" __global__ void kernel(const Places places, unsigned count) {\n"
        "for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {\n";
    for (size_t i = 0; i < operands_; ++i) {
      s += "char* at" + std::to_string(i) + " = places.data[" + std::to_string(i) + "];\n";
    }
    s += "unsigned rest = i, at;\n";
    for (size_t d = 0; d < dims_; ++d) {
      const std::string size = "places.words[" + std::to_string(d) + "]";
      s += d + 1 == dims_ ? "at = rest;\n" : "at = rest % " + size + "; rest /= " + size + ";\n";
      for (size_t i = 0; i < operands_; ++i) {
        s += "at" + std::to_string(i) + " += (size_t)at * places.words[" + std::to_string(dims_ + i * dims_ + d) +
             "];\n";
      }
    }
    // Registers, each with an element for each lane.
    for (int64_t r = 0; r < kPointwiseRegisters; ++r) s += "float r" + std::to_string(r) + "[LANES];\n";
    for (size_t i = 0; i < inputs; ++i) s += load(results + i, i, lanes);
    for (size_t i = 0; i < program_.constants.size(); ++i) {
      s += "for (int j = 0; j < LANES; ++j) r" + std::to_string(inputs + i) + "[j] = " + number(program_.constants[i]) +
           ";\n";
    }
    for (const PointwiseInstruction& instruction : program_.instructions) {
      s += "for (int j = 0; j < LANES; ++j) r" + std::to_string(instruction.out) + "[j] = " + callOf(instruction) +
           ";\n";
    }
    for (size_t i = 0; i < results; ++i) s += store(i, i, lanes);
    return s + "}\n}\n";
  }

  const PointwiseProgram& program_;
  at::TensorIteratorBase& iterator_;
  size_t operands_, dims_;
};

}  // namespace

std::vector<at::Tensor> pointwise(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                                  at::IntArrayRef results, at::IntArrayRef masks) {
  const PointwiseProgram program(inputs.size(), constants, code, results, masks);
  std::vector<at::Tensor> out;
  at::TensorIteratorConfig config;
  config.check_all_same_dtype(false).set_check_mem_overlap(false).resize_outputs(true);
  for (const at::Tensor& input : inputs) {
    if (!input.defined() || input.scalar_type() != at::kBool) checkFloat(input, kPointwiseOp, "an input");
    TORCH_CHECK(input.is_cuda() && input.layout() == at::kStrided && input.device() == inputs.front().device(),
                "pt2::", kPointwiseOp, ": inputs must be strided tensors on one GPU, got ", input.toString());
  }
  for (size_t i = 0; i < program.results_count; ++i) {
    out.push_back(at::empty({0}, inputs.front().options().dtype(program.result_is_mask[i] ? at::kBool : at::kFloat)));
  }
  for (const at::Tensor& tensor : out) config.add_output(tensor);
  for (const at::Tensor& input : inputs) config.add_const_input(input);
  at::TensorIterator iterator = config.build();
  if (iterator.numel() == 0) return out;
  const c10::cuda::CUDAGuard guard(inputs.front().device());
  if (iterator.can_use_32bit_indexing()) {
    Pass(program, iterator).run();
  } else {
    for (at::TensorIterator& part : iterator.with_32bit_indexing()) Pass(program, part).run();
  }
  return out;
}

}  // namespace pt2::cuda

#endif
