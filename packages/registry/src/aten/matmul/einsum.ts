import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range, wrapDim } from "../support/dims.ts";
import { type Emit, emit } from "../support/emit.ts";
import { parseEquation } from "./einsum-equation.ts";

/** Defines `einsum` and `_trilinear` as chains of batched matrix products. */
export const EINSUM_OPS: readonly OpRecord[] = [
  defineOp("aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", {
    decompose: ({ equation, tensors, path }, b) => {
      check(tensors.length > 0, "einsum(): must provide at least one operand");
      const { inputs, output } = parseEquation(
        equation,
        tensors.map((t) => t.shape.length),
      );
      const e = emit(b);
      let operands = tensors.map((tensor, i) => takeDiagonals(b, { tensor, labels: inputs[i]! }));
      checkSizes(operands);
      for (const [i, j] of contractions(path, operands.length)) {
        const rest = operands.filter((_, k) => k !== i && k !== j);
        const kept = new Set([...output, ...rest.flatMap((o) => o.labels)]);
        operands = [...rest, contract(e, b, operands[i]!, operands[j]!, kept)];
      }
      const last = sumOut(e, operands[0]!, new Set(output));
      return arrange(e, last, output);
    },
  }),
  defineOp(
    "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor",
    {
      decompose: ({ i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim }, b) => {
        const rank = i1.shape.length + expand1.length;
        check(unroll_dim >= 0 && unroll_dim < rank, () => `unroll_dim must be in [0,${rank - 1}]`);
        for (const dims of [expand1, expand2, expand3, sumdim]) {
          const wrapped = dims.map((d) => wrapDim(d, rank));
          check(new Set(wrapped).size === dims.length, () => `a dim appears multiple times in ${show(dims)}`);
        }
        const names = range(rank).map((d) => String.fromCharCode(97 + d));
        const without = (dims: readonly number[]): string =>
          names.filter((_, d) => !dims.some((dim) => wrapDim(dim, rank) === d)).join("");
        const equation = `${[expand1, expand2, expand3].map(without).join(",")}->${without(sumdim)}`;
        return b.tensor("aten::einsum", { equation, tensors: [i1, i2, i3] });
      },
    },
  ),
];

/** A tensor with a label for each of its dimensions. */
interface Labeled {
  readonly tensor: TensorMeta;
  readonly labels: readonly string[];
}

/** Returns the pairs of positions to contract; each product is appended to the list, as in opt_einsum. */
function contractions(path: readonly number[] | null, count: number): readonly (readonly [number, number])[] {
  if (path === null || path.length === 0)
    return Array.from({ length: count - 1 }, (_, i) => [i === 0 ? 0 : count - 1 - i, i === 0 ? 1 : 0] as const);
  check(
    path.length === 2 * (count - 1),
    () => `einsum(): expected contraction path of ${2 * (count - 1)} entries, got ${path.length}`,
  );
  return Array.from({ length: count - 1 }, (_, i) => [path[2 * i]!, path[2 * i + 1]!] as const);
}

function takeDiagonals(b: Builder, { tensor, labels }: Labeled): Labeled {
  const repeated = labels.findIndex((label, i) => labels.indexOf(label) !== i);
  if (repeated < 0) return { tensor, labels };
  const label = labels[repeated]!;
  const first = labels.indexOf(label);
  check(
    tensor.shape[first] === tensor.shape[repeated],
    () =>
      `einsum(): subscript ${label} is repeated, but the sizes do not match, ${tensor.shape[repeated]} != ${tensor.shape[first]}`,
  );
  // `diagonal` puts its dimension last.
  const diagonal = b.tensor("aten::diagonal", { self: tensor, offset: 0, dim1: first, dim2: repeated });
  return takeDiagonals(b, {
    tensor: diagonal,
    labels: [...labels.filter((_, i) => i !== first && i !== repeated), label],
  });
}

function checkSizes(operands: readonly Labeled[]): void {
  const sizes = new Map<string, number>();
  for (const { tensor, labels } of operands) {
    labels.forEach((label, i) => {
      const [size, known] = [tensor.shape[i]!, sizes.get(label) ?? 1];
      check(
        size === known || size === 1 || known === 1,
        () =>
          `einsum(): subscript ${label} has size ${size} which does not broadcast with previously seen size ${known}`,
      );
      if (size !== 1 || !sizes.has(label)) sizes.set(label, size);
    });
  }
}

function sumOut(e: Emit, { tensor, labels }: Labeled, kept: ReadonlySet<string>): Labeled {
  const dims = labels.flatMap((label, i) => (kept.has(label) ? [] : [i]));
  return dims.length === 0
    ? { tensor, labels }
    : { tensor: e.sum(tensor, dims), labels: labels.filter((l) => kept.has(l)) };
}

/** Orders the dimensions like `labels`; missing ones are added with size 1. */
function arrange(e: Emit, operand: Labeled, labels: readonly string[]): TensorMeta {
  const present = labels.filter((label) => operand.labels.includes(label));
  const ordered = e.permute(
    operand.tensor,
    present.map((label) => operand.labels.indexOf(label)),
  );
  return e.reshape(
    ordered,
    labels.map((label) => operand.tensor.shape[operand.labels.indexOf(label)] ?? 1),
  );
}

/** Drops dimensions of size 1 that broadcast to a larger size of the other operand. */
function dropBroadcast(e: Emit, operand: Labeled, other: Labeled): Labeled {
  const dropped = operand.labels.flatMap((label, i) => {
    const size = other.tensor.shape[other.labels.indexOf(label)] ?? 1;
    return operand.tensor.shape[i] === 1 && size !== 1 ? [i] : [];
  });
  return dropped.length === 0
    ? operand
    : {
        tensor: e.reshape(
          operand.tensor,
          operand.tensor.shape.filter((_, i) => !dropped.includes(i)),
        ),
        labels: operand.labels.filter((_, i) => !dropped.includes(i)),
      };
}

/** Contracts two operands by one matrix product; labels that are not in `kept` are summed over. */
function contract(e: Emit, b: Builder, first: Labeled, second: Labeled, kept: ReadonlySet<string>): Labeled {
  const shared = (x: Labeled, y: Labeled): ReadonlySet<string> =>
    new Set([...kept, ...x.labels.filter((l) => y.labels.includes(l))]);
  const [p, q] = [dropBroadcast(e, first, second), dropBroadcast(e, second, first)];
  const [x, y] = [sumOut(e, p, shared(p, q)), sumOut(e, q, shared(q, p))];
  const batch = x.labels.filter((label) => y.labels.includes(label) && kept.has(label));
  const inner = x.labels.filter((label) => y.labels.includes(label) && !kept.has(label));
  const rows = x.labels.filter((label) => !y.labels.includes(label));
  const columns = y.labels.filter((label) => !x.labels.includes(label));
  const labels = [...batch, ...rows, ...columns];
  if (inner.length === 0) return { tensor: e.mul(arrange(e, x, labels), arrange(e, y, labels)), labels };
  const size = (o: Labeled, names: readonly string[]): number =>
    numel(names.map((l) => o.tensor.shape[o.labels.indexOf(l)]!));
  const [left, right] = [arrange(e, x, [...batch, ...rows, ...inner]), arrange(e, y, [...batch, ...inner, ...columns])];
  const sizes = { batch: size(x, batch), rows: size(x, rows), inner: size(x, inner), columns: size(y, columns) };
  const product = b.tensor("aten::bmm", {
    self: e.reshape(left, [sizes.batch, sizes.rows, sizes.inner]),
    mat2: e.reshape(right, [sizes.batch, sizes.inner, sizes.columns]),
  });
  const lead = left.shape.slice(0, batch.length + rows.length);
  const shape = [...lead, ...right.shape.slice(batch.length + inner.length)];
  return { tensor: e.reshape(product, shape), labels };
}
