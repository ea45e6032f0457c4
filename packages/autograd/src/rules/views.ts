import { normalDim } from "@pt2/format";
import type { Builder, TensorMeta } from "@pt2/registry";
import { type Call, type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

type Args = Call["args"];

/** Computes the gradient of a view's base from the gradient of its only result. */
type ViewRule = (b: Builder, grad: TensorMeta, self: TensorMeta, args: Args) => TensorMeta;

const zeros = (b: Builder, like: TensorMeta): TensorMeta => new Emit(b).zeros(like);
const reshaped: ViewRule = (b, grad, self) => new Emit(b).reshape(grad, self.shape);
const summed: ViewRule = (b, grad, self) => summedTo(self.shape, grad, b);
const again =
  (op: string): ViewRule =>
  (b, grad, _, args) =>
    b.tensor(op, { ...args, self: grad });
const moved =
  (op: string): ViewRule =>
  (b, grad, _, { source, destination }) =>
    b.tensor(op, { self: grad, source: destination!, destination: source! });
/** Writes the gradient where the view looks, into zeros. */
const scattered =
  (op: string): ViewRule =>
  (b, src, self, { self: _, ...place }) =>
    b.tensor(op, { ...place, self: zeros(b, self), src });

function narrowed(b: Builder, src: TensorMeta, self: TensorMeta, { dim, start, length }: Args): TensorMeta {
  const at = Number(dim);
  const from = Number(start) < 0 ? Number(start) + self.shape.at(at)! : Number(start);
  return b.tensor("aten::slice_scatter", {
    self: zeros(b, self),
    src,
    dim: at,
    start: from,
    end: from + Number(length),
  });
}

const RULES: { readonly [op: string]: ViewRule } = {
  "aten::view": reshaped,
  "aten::_reshape_alias": reshaped,
  "aten::_reshape_copy": reshaped,
  "aten::_reshape_alias_copy": reshaped,
  "aten::view_copy": reshaped,
  "aten::unsqueeze_copy": reshaped,
  "aten::squeeze_copy": reshaped,
  "aten::squeeze_copy.dim": reshaped,
  "aten::squeeze_copy.dims": reshaped,
  "aten::alias_copy": (_, grad) => grad,
  "aten::expand_copy": summed,
  "aten::permute_copy": (b, grad, { shape }, { dims }) =>
    b.tensor("aten::permute", { self: grad, dims: inverse(dims as readonly number[], shape.length) }),
  "aten::transpose_copy.int": again("aten::transpose.int"),
  "aten::t_copy": again("aten::t"),
  "aten::select_copy.int": scattered("aten::select_scatter"),
  "aten::slice_copy.Tensor": scattered("aten::slice_scatter"),
  "aten::diagonal_copy": scattered("aten::diagonal_scatter"),
  "aten::moveaxis.int": moved("aten::movedim.int"),
  "aten::moveaxis.intlist": moved("aten::movedim.intlist"),
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
  "aten::permute": (b, grad, { shape }, { dims }) =>
    b.tensor("aten::permute", { self: grad, dims: inverse(dims as readonly number[], shape.length) }),
  "aten::numpy_T": (b, grad) => b.tensor("aten::numpy_T", { self: grad }),
  "aten::transpose.int": again("aten::transpose.int"),
  "aten::swapdims": again("aten::swapdims"),
  "aten::swapaxes": again("aten::swapaxes"),
  "aten::t": again("aten::t"),
  "aten::mT": again("aten::mT"),
  "aten::movedim.int": moved("aten::movedim.int"),
  "aten::movedim.intlist": moved("aten::movedim.intlist"),
  "aten::select.int": scattered("aten::select_scatter"),
  "aten::slice.Tensor": scattered("aten::slice_scatter"),
  "aten::diagonal": scattered("aten::diagonal_scatter"),
  "aten::linalg_diagonal": (b, src, self, { offset, dim1, dim2 }) =>
    b.tensor("aten::diagonal_scatter" as string, {
      self: zeros(b, self),
      src,
      offset: offset!,
      dim1: dim1!,
      dim2: dim2!,
    }),
  "aten::narrow": narrowed,
  "aten::narrow_copy": narrowed,
};

/** Views that split along `dim`: the gradients of the pieces are joined again. */
const PIECES: { readonly [op: string]: "aten::cat" | "aten::stack" } = {
  "aten::split.Tensor": "aten::cat",
  "aten::split.sizes": "aten::cat",
  "aten::split_with_sizes": "aten::cat",
  "aten::split_copy.Tensor": "aten::cat",
  "aten::split_with_sizes_copy": "aten::cat",
  "aten::unsafe_split.Tensor": "aten::cat",
  "aten::unsafe_split_with_sizes": "aten::cat",
  "aten::chunk": "aten::cat",
  "aten::unsafe_chunk": "aten::cat",
  "aten::tensor_split.sections": "aten::cat",
  "aten::tensor_split.indices": "aten::cat",
  "aten::hsplit.int": "aten::cat",
  "aten::hsplit.array": "aten::cat",
  "aten::vsplit.int": "aten::cat",
  "aten::vsplit.array": "aten::cat",
  "aten::dsplit.int": "aten::cat",
  "aten::dsplit.array": "aten::cat",
  "aten::unbind.int": "aten::stack",
  "aten::unbind_copy.int": "aten::stack",
};

/** The dimension that an op splits without an argument that says so. */
const SPLIT_DIM: { readonly [op: string]: (self: TensorMeta) => number } = {
  "aten::hsplit.int": ({ shape }) => (shape.length === 1 ? 0 : 1),
  "aten::hsplit.array": ({ shape }) => (shape.length === 1 ? 0 : 1),
  "aten::vsplit.int": () => 0,
  "aten::vsplit.array": () => 0,
  "aten::dsplit.int": () => 2,
  "aten::dsplit.array": () => 2,
};

/** Views: the gradient of the base has zeros where the view does not look. */
export const VIEW_RULES: GradientRules = {
  ...Object.fromEntries(
    Object.entries(RULES).map(([op, rule]): [string, GradientRule] => [
      op,
      ofResult((grad, args, b) => ({ self: rule(b, grad, tensorOf(args.self), args) })),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(PIECES).map(([op, joined]): [string, GradientRule] => [
      op,
      ({ args, results, grads }, b) => {
        const pieces = results.map((piece, i) => grads[i] ?? zeros(b, piece));
        const dim = SPLIT_DIM[op]?.(tensorOf(args.self)) ?? args.dim ?? 0;
        return { self: new Emit(b).tensor(joined, { tensors: pieces, dim }) };
      },
    ]),
  ),
};

function inverse(dims: readonly number[], rank: number): readonly number[] {
  const order = dims.map((dim) => normalDim(dim, rank));
  return order.map((_, d) => order.indexOf(d));
}
