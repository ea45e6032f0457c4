import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";

const SCHEMA = "scan::linear_recurrence(Tensor decay, Tensor input) -> Tensor";

/**
 * Along the last dimension: `state[t] = decay[t] · state[t − 1] + input[t]`, from a state of 0. It is what state space
 * models and minimal recurrent networks compute (Gu and Dao, 2023; Feng et al., 2024).
 *
 * The decomposition needs log₂ T passes over all elements (Hillis and Steele, 1986), a kernel needs one.
 */
export const linearRecurrence: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate({ decay, input }) {
    if (decay.shape.length === 0) return "decay and input have no dimension to go along";
    if (`${decay.shape}` !== `${input.shape}`) return `decay is [${decay.shape}], and input is [${input.shape}]`;
    if (decay.dtype !== input.dtype) return `decay is ${decay.dtype}, and input is ${input.dtype}`;
    return /^b?float(16|32|64)$/.test(input.dtype) ? null : `${input.dtype} is not a dtype of floating point numbers`;
  },
  infer: ({ input: { dtype, shape } }) => ({ dtype, shape }),
  decompose({ decay, input }, b) {
    const size = input.shape.at(-1)!;
    // After the pass with a distance d, `states` has the recurrence over the last 2d elements, `decays` their product.
    let [states, decays] = [input, decay];
    for (let d = 1; d < size; d *= 2) {
      states = b.tensor("aten::addcmul", { self: states, tensor1: decays, tensor2: shifted(states, d, b) });
      if (2 * d < size) decays = b.tensor("aten::mul.Tensor", { self: decays, other: shifted(decays, d, b) });
    }
    return size > 1 ? states : b.tensor("aten::clone", { self: states });
  },
  gradient({ args: { decay }, results: [states], grads: [grad] }, b) {
    // The gradient of a state is its own and what the next state passes back: a recurrence from the end.
    const backwards = (self: TensorMeta): TensorMeta => b.tensor("aten::flip", { self, dims: [-1] });
    const args = { decay: backwards(shifted(decay, -1, b)), input: backwards(grad!) };
    const ofStates = backwards(b.tensor(linearRecurrence, args));
    return {
      input: ofStates,
      decay: b.tensor("aten::mul.Tensor", { self: ofStates, other: shifted(states!, 1, b) }),
    };
  },
});

/** Moves elements by `d` places to the end, or by −d to the beginning, and zeros into the places that become free. */
function shifted(self: TensorMeta, d: number, b: Builder): TensorMeta {
  return self.shape.at(-1) === 0 ? self : b.tensor("aten::constant_pad_nd", { self, pad: [d, -d], value: 0 });
}
