import { broadcastShape } from "@pt2/engine";
import { numel } from "@pt2/format";
import { isMask, type TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { broadcast } from "../../shader/geometry.ts";
import type { Shader } from "../../shader/shader.ts";
import { wrapIndices } from "./wrap.ts";

/** `self[i, :, j]` with index tensors: what is addressed, as a shape of its own. */
export interface Indexed {
  /** Shape of the result of `index`, and of what `index_put` writes. */
  readonly shape: readonly number[];
  /** Whether the index tensors have one position each. */
  readonly isOne: boolean;
  /** Declares `position(i)`: where, in a tensor of `self`'s strides, the i-th addressed element is. */
  declare(shader: Shader): string;
}

/** The indices of a call; null for a dimension that is kept. */
type Indices = readonly (TensorMeta | null)[];

/** Whether all index tensors hold positions; a mask makes the op depend on data. */
export function hasNoMask({ indices }: { readonly indices: Indices }): boolean {
  return !indices.some(isMask);
}

/** An index tensor, and the dimension that it goes through. */
interface Index {
  readonly view: TensorView;
  readonly dim: number;
  readonly size: number;
  readonly stride: number;
}

/** As many index tensors as a shader binds beside what it moves: all devices have eight bindings. */
const MOST = 4;

/** Looks at the indices of a call of `op` for a tensor of `self`'s shape and strides. */
export function indexedBy(call: KernelCall, op: string, self: TensorView, given: Indices): Indexed {
  const views = given.map((index) => call.optional(index));
  const indices = views.flatMap((view, dim) => {
    return view === null ? [] : [{ view, dim, size: self.shape[dim]!, stride: self.strides[dim]! }];
  });
  const common = broadcastShape(indices.map(({ view }) => view.shape));
  const [lead, rest] = keptDims(
    self,
    indices.map(({ dim }) => dim),
  );
  const layout = (kept: readonly number[]): Pick<TensorView, "shape" | "strides"> => ({
    shape: kept.map((d) => self.shape[d]!),
    strides: kept.map((d) => self.strides[d]!),
  });
  const [before, after] = [layout(lead), layout(rest)];
  const shape = [...before.shape, ...common, ...after.shape];
  const found = indices.length > MOST && !shape.includes(0) ? planOffsets(call, op, indices, common) : null;
  return {
    shape,
    isOne: numel(common) === 1,
    declare(shader) {
      const offset = found === null ? declareOffset(shader, op, indices, common) : declareFound(shader, found);
      shader.offsets("before", before).offsets("after", after);
      shader.u32("tuples", numel(common)).u32("inner", numel(after.shape));
      return `${offset}fn position(i: u32) -> u32 {
  let outer = i / p.inner;
  return before(outer / p.tuples) + after(i % p.inner) + offset(outer % p.tuples);
}
`;
    },
  };
}
/** Kept dimensions before and behind the indexed ones. Indices apart from each other move to the front. */
function keptDims(self: TensorView, dims: readonly number[]): readonly [readonly number[], readonly number[]] {
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...self.shape.keys()].filter((d) => !dims.includes(d));
  return adjacent ? [kept.filter((d) => d < dims[0]!), kept.filter((d) => d > dims[0]!)] : [[], kept];
}

/** Declares `offset(tuple)`: how far index tensors lead into a tensor. */
function declareOffset(shader: Shader, op: string, indices: readonly Index[], common: readonly number[]): string {
  const terms = indices.map(({ view, size, stride }, k) => {
    shader.read(`index${k}`, broadcast(view, common)).u32(`size${k}`, size).u32(`stride${k}`, stride);
    return `wrap(index${k}(tuple), p.size${k}) * p.stride${k}`;
  });
  return `${wrapIndices(shader, op, indices, numel(common))}fn offset(tuple: u32) -> u32 { return ${terms.join(" + ") || "0u"}; }
`;
}

function declareFound(shader: Shader, found: TensorView): string {
  shader.read("found", found);
  return "fn offset(tuple: u32) -> u32 { return u32(found(tuple)); }\n";
}

/** Where many indices lead to, some of them at a time: a shader for all of them would bind too many tensors. */
function planOffsets(call: KernelCall, op: string, indices: readonly Index[], common: readonly number[]): TensorView {
  let found: TensorView | null = null;
  for (let first = 0; first < indices.length; first += MOST) {
    const sum: TensorView = call.temporary("int32", common);
    const shader = call.shader(`${op} offsets`).write("sum", sum);
    if (found !== null) shader.read("found", found);
    const declarations = declareOffset(shader, op, indices.slice(first, first + MOST), common);
    const value = `i32(offset(i))${found === null ? "" : " + found(i)"}`;
    shader.forEach(numel(common), `set_sum(i, ${value});`, { declarations });
    found = sum;
  }
  return found!;
}
