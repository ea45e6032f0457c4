import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";

const SCHEMA = "demo::gate(Tensor input, Tensor gate_weight, Tensor value_weight) -> Tensor";

/**
 * `silu(input Wᵍ) · (input Wᵛ)` with a matrix of rows (Shazeer, 2020). On backends that fuse it is two matrix products,
 * with the gate applied to the second one's results while they are in cache.
 */
export const gate: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate({ input, gate_weight, value_weight }) {
    if ([input, gate_weight, value_weight].some(({ shape }) => shape.length !== 2)) return "all three must be matrices";
    if (`${gate_weight.shape}` !== `${value_weight.shape}`) return "gate_weight and value_weight must have one shape";
    const [rows, columns] = [gate_weight.shape[0], input.shape[1]];
    return rows === columns ? null : `the weights must have ${columns} rows, as input has columns; they have ${rows}`;
  },
  decompose({ input, gate_weight, value_weight }, b) {
    const gates = b.tensor("aten::mm", { self: input, mat2: gate_weight });
    const values = b.tensor("aten::mm", { self: input, mat2: value_weight });
    return b.tensor("aten::mul.Tensor", { self: values, other: b.tensor("aten::silu", { self: gates }) });
  },
  gradient({ args: { input, gate_weight, value_weight }, grads: [grad] }, b) {
    const gates = b.tensor("aten::mm", { self: input, mat2: gate_weight });
    const values = b.tensor("aten::mm", { self: input, mat2: value_weight });
    const ofValues = b.tensor("aten::mul.Tensor", { self: grad!, other: b.tensor("aten::silu", { self: gates }) });
    const scaled = b.tensor("aten::mul.Tensor", { self: grad!, other: values });
    const ofGates = b.tensor("aten::silu_backward", { grad_output: scaled, self: gates });
    const transposed = (self: typeof input): typeof input => b.tensor("aten::t", { self });
    const through = b.tensor("aten::mm", { self: ofGates, mat2: transposed(gate_weight) });
    return {
      input: b.tensor("aten::addmm", { self: through, mat1: ofValues, mat2: transposed(value_weight) }),
      gate_weight: b.tensor("aten::mm", { self: transposed(input), mat2: ofGates }),
      value_weight: b.tensor("aten::mm", { self: transposed(input), mat2: ofValues }),
    };
  },
});
