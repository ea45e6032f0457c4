import { numel, reachOf } from "@pt2/format";
import { type OpName, splitOpName } from "@pt2/graph";
import type { OpRecord } from "../op.ts";
import { registryError } from "../registry-errors.ts";
import type { SchemaType } from "../schema/types.ts";
import type { ArgValue, Strided, TensorMeta } from "../tensor-meta.ts";
import { contiguous, requireInside } from "../view.ts";

const TENSOR: SchemaType = { kind: "base", base: "Tensor" };
const INT: SchemaType = { kind: "base", base: "int" };

/**
 * Returns the name of the op that writes through a view, `mine::corner_scatter` for `mine::corner`, in PyTorch's style.
 */
export function scatterName(view: OpName): OpName {
  const { namespace, op, overload } = splitOpName(view);
  return `${namespace}::${op}_scatter${overload === "" ? "" : `.${overload}`}`;
}

/** Returns the view that an op of this name writes through; null for any other name. */
export function viewOfScatter(name: OpName): OpName | null {
  const { namespace, op, overload } = splitOpName(name);
  const view = /^(.+)_scatter$/.exec(op)?.[1];
  return view === undefined ? null : `${namespace}::${view}${overload === "" ? "" : `.${overload}`}`;
}

/**
 * Makes the record of the op that returns a tensor with `src` written through a view of it: it takes the arguments of
 * the view, and the index of the view's result. Returns undefined if the view has arguments of the same names.
 */
export function scatterRecord(name: OpName, view: OpRecord): OpRecord | undefined {
  const [self, ...rest] = view.schema.args;
  if (self === undefined || view.schema.args.some((arg) => arg.name === "src" || arg.name === "view")) return undefined;
  const plain = { alias: null, default: undefined, kwargOnly: false };
  return {
    name,
    schema: {
      name,
      args: [
        { ...self, alias: null },
        { ...plain, name: "src", type: TENSOR },
        ...rest.map((arg) => ({ ...arg, alias: null })),
        { ...plain, name: "view", type: INT, default: 0, kwargOnly: true },
      ],
      returns: [{ name: null, type: TENSOR, alias: null }],
    },
    infer: (args) => {
      const { dtype, shape } = args[self.name] as TensorMeta;
      return { dtype, shape };
    },
    decompose({ src, view: at, ...args }, b) {
      const source = args[self.name] as TensorMeta;
      const { shape, strides, offset } = geometryOf(view, args, Number(at));
      // A tensor may begin in the middle of its storage, but the offsets of the geometry count from the start of the
      // tensor.
      const dense = b.tensor("aten::clone", { self: source, memory_format: "contiguous_format" });
      const where = { size: shape, stride: strides, storage_offset: offset };
      return b.tensor("aten::as_strided_scatter", { self: dense, src: src as TensorMeta, ...where });
    },
  };
}

/**
 * Returns where the elements of one view lie in its contiguous source. No two may be the same element: the result of a
 * write would be undefined.
 */
function geometryOf({ name, schema, view }: OpRecord, args: Readonly<Record<string, ArgValue>>, at: number): Strided {
  const { shape } = args[schema.args[0]!.name] as TensorMeta;
  const answer = view!(contiguous(shape), args);
  const geometry = answer === null || "strides" in answer ? answer : answer[at];
  if (geometry === null || geometry === undefined) {
    throw registryError("registry.shape", { what: `${name} cannot view a tensor of shape [${shape.join(", ")}]` });
  }
  requireInside(geometry, numel(shape), name);
  if (!overlaps(geometry)) return geometry;
  throw registryError("registry.argument", {
    what: `A write through ${name} would write elements more than once: sizes [${geometry.shape.join(", ")}], strides [${geometry.strides.join(", ")}]`,
    advice: "PyTorch refuses it too; write to a copy, `clone()`, in the model.",
  });
}

/** Returns whether two elements of a view share memory. */
function overlaps(view: Strided): boolean {
  const { shape, strides, offset } = view;
  const steps = shape
    .map((size, d) => ({ size, stride: strides[d]! }))
    .filter(({ size }) => size > 1)
    .sort((a, b) => Math.abs(a.stride) - Math.abs(b.stride));
  let reach = 0;
  const nested = steps.every(({ size, stride }) => {
    const beyond = Math.abs(stride) > reach;
    reach += Math.abs(stride) * (size - 1);
    return beyond;
  });
  if (nested || shape.includes(0)) return false;
  // Interleaved strides need not overlap, which only counting shows.
  const { first, last } = reachOf(view);
  const seen = new Uint8Array(last - first + 1);
  const visit = (at: number, d: number): boolean => {
    const step = steps[d];
    if (step === undefined) {
      const again = seen[at] === 1;
      seen[at] = 1;
      return again;
    }
    for (let i = 0; i < step.size; i++) if (visit(at + i * step.stride, d + 1)) return true;
    return false;
  };
  return visit(offset - first, 0);
}
