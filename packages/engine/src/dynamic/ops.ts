const OPS: ReadonlySet<string> = new Set(
  [
    "_ctc_loss.Tensor _local_scalar_dense _unique _unique2 argwhere bincount equal index.Tensor is_nonzero item masked_select nonzero",
    "nonzero_numpy one_hot repeat_interleave.Tensor repeat_interleave.self_Tensor unique_consecutive unique_dim",
    "tensor_split.tensor_indices_or_sections unique_dim_consecutive where _print",
  ].flatMap((names) => names.split(" ").map((name) => `aten::${name}`)),
);

/** Whether an op whose result sizes depend on data runs between stages, on host data; its kernel loads when it does. */
export function hasDynamicKernel(op: string): boolean {
  return OPS.has(op);
}
