import type { Adapter } from "../engine/adapter.ts";
import type { TensorView } from "../engine/tensor-view.ts";
import type { Shader } from "../shader/shader.ts";
import { invocationsFor, maxOf, sumOf, WorkgroupReduction } from "./cooperative.ts";

/** Rows of elements that are reduced and written again: softmax, normalizations. */
export interface RowSizes {
  readonly count: number;
  /** Elements of a row. */
  readonly n: number;
  /** Whether elements of a row lie next to each other in what is read and written. */
  readonly dense: boolean;
  /** Whether four of them can be read and written at a time. */
  readonly vector: boolean;
}

/** With fewer rows than this a CPU has lanes for each of them to share. */
const FEW_ROWS = 16;
/** With fewer workgroups than this a GPU has more of its own for each. */
const FEW_GROUPS = 64;

/**
 * Shares out rows: each to one invocation, or to a workgroup of them. Texts see `row: u32` and, inside of `each`, `i: u32`, the
 * first of the elements at hand, which are of type {@link type}.
 */
export class Rows {
  readonly sizes: RowSizes;
  /** Type of the elements at hand. */
  readonly type: "f32" | "vec4<f32>";
  readonly #lanes: number;
  readonly #adapter: Adapter;

  constructor(sizes: RowSizes, adapter: Adapter) {
    this.sizes = sizes;
    this.type = sizes.vector ? "vec4<f32>" : "f32";
    this.#lanes = lanesOf(sizes, adapter);
    this.#adapter = adapter;
  }

  /** A loop over the elements of the row. */
  each(body: string): string {
    const width = this.sizes.vector ? 4 : 1;
    return `for (var i = ${width}u * lane; i < p.row; i += ${width * this.#lanes}u) { ${body} }`;
  }

  /** The sum of a variable of type {@link type} over the whole row. */
  sum(variable: string): string {
    const own = this.sizes.vector ? `((${variable}.x + ${variable}.y) + (${variable}.z + ${variable}.w))` : variable;
    return this.#lanes === 1 ? own : `workgroup_sum(lane, ${own})`;
  }

  /** The greatest value of a variable over the whole row. */
  max(variable: string): string {
    const own = this.sizes.vector
      ? `max(max(${variable}.x, ${variable}.y), max(${variable}.z, ${variable}.w))`
      : variable;
    return this.#lanes === 1 ? own : `workgroup_max(lane, ${own})`;
  }

  /** Whether elements of a variable are NaN, in bits: compilers may take comparisons to be of numbers. */
  isNan(variable: string): string {
    const [type, wide] = this.sizes.vector
      ? (["vec4<u32>", (n: string) => `vec4<u32>(${n})`] as const)
      : (["u32", (n: string) => n] as const);
    return `((bitcast<${type}>(${variable}) & ${wide("0x7fffffffu")}) > ${wide("0x7f800000u")})`;
  }

  /** Text for one invocation of each row. */
  once(text: string): string {
    return this.#lanes === 1 ? text : `if (lane == 0u) { ${text} }`;
  }

  /** A store of `value` to the elements at hand, given the WGSL of the position of the row's first element. */
  store(name: string, base: string, step: string, value: string): string {
    return this.sizes.vector
      ? `set_${name}4((${base} + i) / 4u, ${value});`
      : `set_${name}(${base} + i${step}, ${value});`;
  }

  /** Adds the dispatch, which runs `body` for every row. */
  run(shader: Shader, body: string, declarations = ""): void {
    shader.u32("row", this.sizes.n);
    const { count } = this.sizes;
    if (this.#lanes === 1) {
      const workgroupSize = this.#adapter.software ? 8 : 64;
      shader.forEach(count, `let row = i; let lane = 0u;\n  ${body}`, { declarations, workgroupSize });
      return;
    }
    const workgroup = new WorkgroupReduction(this.#lanes, this.#adapter);
    const shared =
      workgroup.declare("workgroup_sum", sumOf("f32")) + workgroup.declare("workgroup_max", maxOf("f32", LEAST));
    workgroup.run(shader, count, `let row = group;\n  ${body}`, declarations + shared);
  }
}

const LEAST = "-3.4028234e38f";

/** Invocations that share a row. */
function lanesOf({ count, n, dense }: RowSizes, { software, subgroupSize }: Adapter): number {
  if (software) return count < FEW_ROWS && subgroupSize > 0 && n > subgroupSize ? subgroupSize : 1;
  // Rows side by side: neighbors read neighbors when each has a row of its own.
  if (!dense && count >= 64) return 1;
  if (n < 32) return 1;
  // A row that one subgroup can have for itself needs no barriers.
  return subgroupSize === 32 && count >= FEW_GROUPS && n <= 1024 ? 32 : invocationsFor(n);
}

/** Whether rows can be read four elements at a time: `kept` are the strides from row to row. */
export function rowVectors(
  view: Pick<TensorView, "offset" | "shape" | "strides">,
  n: number,
  kept: Pick<TensorView, "shape" | "strides">,
): boolean {
  const strides = kept.strides.filter((_, d) => kept.shape[d] !== 1);
  return [n, view.offset, ...strides].every((value) => value % 4 === 0);
}
