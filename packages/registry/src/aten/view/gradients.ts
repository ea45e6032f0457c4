import type { Builder } from "../../builder.ts";
import type { GradientCall, OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

type Args = GradientCall<string>["args"];

/** Computes the gradient of a view's base from the gradient of its only result. */
type ViewRule = (b: Builder, grad: TensorMeta, self: TensorMeta, args: Args) => TensorMeta;

const zeros = (b: Builder, { shape, dtype }: TensorMeta): TensorMeta => emit(b).full(shape, 0, dtype);
const reshaped: ViewRule = (b, grad, self) => emit(b).reshape(grad, self.shape);
const summed: ViewRule = (b, grad, self) => b.tensor("aten::sum_to_size", { self: grad, size: self.shape });
const again =
  (op: "aten::mT" | "aten::swapaxes" | "aten::swapdims" | "aten::t" | "aten::transpose.int"): ViewRule =>
  (b, grad, _, args) =>
    b.tensor(op, { ...args, self: grad });
const moved =
  (op: "aten::movedim.int" | "aten::movedim.intlist"): ViewRule =>
  (b, grad, _, { source, destination }) =>
    b.tensor(op, { self: grad, source: destination, destination: source });

const RULES: { readonly [op: string]: ViewRule } = {
  "aten::view": reshaped,
  "aten::_unsafe_view": reshaped,
  "aten::reshape": reshaped,
  "aten::view_as": reshaped,
  "aten::reshape_as": reshaped,
  "aten::ravel": reshaped,
  "aten::flatten.using_ints": reshaped,
  "aten::unflatten.int": reshaped,
  "aten::unsqueeze": reshaped,
  "aten::squeeze": reshaped,
  "aten::squeeze.dim": reshaped,
  "aten::squeeze.dims": reshaped,
  "aten::alias": (_, grad) => grad,
  "aten::expand": summed,
  "aten::expand_as": summed,
  "aten::broadcast_to": summed,
  "aten::permute": (b, grad, { shape }, { dims }) => emit(b).permute(grad, inverse(dims, shape.length)),
  "aten::numpy_T": (b, grad) => b.tensor("aten::numpy_T", { self: grad }),
  "aten::transpose.int": again("aten::transpose.int"),
  "aten::swapdims": again("aten::swapdims"),
  "aten::swapaxes": again("aten::swapaxes"),
  "aten::t": again("aten::t"),
  "aten::mT": again("aten::mT"),
  "aten::movedim.int": moved("aten::movedim.int"),
  "aten::movedim.intlist": moved("aten::movedim.intlist"),
  "aten::select.int": (b, src, self, { dim, index }) =>
    b.tensor("aten::select_scatter", { self: zeros(b, self), src, dim, index }),
  "aten::slice.Tensor": (b, src, self, args) => b.tensor("aten::slice_scatter", { ...args, self: zeros(b, self), src }),
  "aten::narrow"(b, src, self, { dim, start, length }) {
    const from = start < 0 ? start + self.shape.at(dim)! : start;
    return b.tensor("aten::slice_scatter", { self: zeros(b, self), src, dim, start: from, end: from + length });
  },
  "aten::diagonal": (b, src, self, args) => b.tensor("aten::diagonal_scatter", { ...args, self: zeros(b, self), src }),
};

/** Views that split along `dim`: the gradients of the pieces are joined again. */
const PIECES: { readonly [op: string]: "aten::cat" | "aten::stack" } = {
  "aten::split.Tensor": "aten::cat",
  "aten::split.sizes": "aten::cat",
  "aten::split_with_sizes": "aten::cat",
  "aten::chunk": "aten::cat",
  "aten::tensor_split.sections": "aten::cat",
  "aten::unbind.int": "aten::stack",
};

/** Returns the view records with gradient rules. */
export function withViewGradients(records: readonly OpRecord[]): readonly OpRecord[] {
  return records.map((record): OpRecord => {
    const rule = RULES[record.name];
    const join = PIECES[record.name];
    if (rule !== undefined) {
      return {
        ...record,
        gradient: ({ args, grads: [grad] }, b) => (grad ? { self: rule(b, grad, args.self, args) } : {}),
      };
    }
    if (join === undefined) return record;
    return {
      ...record,
      gradient({ args, results, grads }, b) {
        const pieces = results.map((piece, i) => grads[i] ?? zeros(b, piece));
        return { self: b.tensor(join, { tensors: pieces, dim: args.dim }) };
      },
    };
  });
}

function inverse(dims: readonly number[], rank: number): readonly number[] {
  const order = dims.map((dim) => (dim < 0 ? dim + rank : dim));
  return order.map((_, d) => order.indexOf(d));
}
