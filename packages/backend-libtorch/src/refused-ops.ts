import { type OpName, splitOpName } from "@pt2/graph";

const MEMORY = "it looks at memory as the program says, without checks";
const WORLD = "it reaches outside the process";

/** Ops that libtorch has and that a program from a file must not call, with the reason. Every overload is meant. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["aten::from_file", "it maps a file that the program names"],
  ["aten::_sparse_coo_tensor_unsafe", MEMORY],
  ["aten::_sparse_compressed_tensor_unsafe", MEMORY],
  ["aten::_sparse_csr_tensor_unsafe", MEMORY],
  ["aten::_sparse_csc_tensor_unsafe", MEMORY],
  ["aten::_sparse_bsr_tensor_unsafe", MEMORY],
  ["aten::_sparse_bsc_tensor_unsafe", MEMORY],
  ["aten::_nested_view_from_buffer", MEMORY],
  ["aten::_nested_view_from_buffer_copy", MEMORY],
  ["aten::_nested_view_from_jagged", MEMORY],
  ["aten::_nested_view_from_jagged_copy", MEMORY],
  ["inductor::_reinterpret_tensor", MEMORY],
  ["inductor::_alloc_from_pool", MEMORY],
  ["mkldnn::data_ptr", "it tells where memory is"],
]);

const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ["c10d", WORLD],
  ["_c10d_functional", WORLD],
  ["_c10d_functional_autograd", WORLD],
  ["c10d_functional", WORLD],
  ["_dtensor", WORLD],
  ["symm_mem", WORLD],
  ["profiler", "it belongs to PyTorch's profiler"],
]);

/** Why an op is refused although the dispatcher has it, or null. */
export function refusal(name: OpName): string | null {
  const { namespace, op } = splitOpName(name);
  return REFUSED.get(`${namespace}::${op}`) ?? NAMESPACES.get(namespace) ?? null;
}
