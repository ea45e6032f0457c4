/** Ops that are in no op set, with what produces them and what to export instead. */
const FOREIGN: readonly (readonly [ops: RegExp, why: string])[] = [
  [
    /^export::access_subclass_inner_tensor$/,
    "a weight is a tensor subclass; call torchao.utils.unwrap_tensor_subclass(model) before torch.export.export",
  ],
  [
    /^(onednn|mkldnn|mkldnn_prepacked)::/,
    "it takes weights that are packed for one processor; export what convert_pt2e returns, before it is lowered",
  ],
  [
    /^higher_order::out_dtype$/,
    "it calls an op that is not there; write the casts in the model: op(x.to(dtype), y.to(dtype))",
  ],
  [
    /^(quantized|_quantized)::/,
    "it is of PyTorch's older quantization, with weights in objects; quantize with PT2E or torchao, and export that",
  ],
  [
    /^torchao::/,
    "it is a kernel of torchao's for one kind of processor; choose a configuration that writes torchao::quantize_affine and the like",
  ],
];

/** Explains why an op of another quantization scheme, or of a step after the export, is not there. */
export function whyForeign(op: string): string | undefined {
  return FOREIGN.find(([ops]) => ops.test(op))?.[1];
}
