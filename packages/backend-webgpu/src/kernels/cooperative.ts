import type { Adapter } from "../engine/adapter.ts";
import type { Shader } from "../shader/shader.ts";

/** How values are combined, whatever their order. */
export interface Combination {
  readonly type: "f32" | "i32" | "vec2<f32>" | "vec4<f32>";
  /** What changes no value that it is combined with. */
  readonly start: string;
  /** WGSL of two values combined. */
  readonly two: (x: string, y: string) => string;
  /** WGSL of the values of a subgroup combined, given that of an invocation's own. */
  readonly subgroup: (x: string) => string;
}

/** The sum of numbers, or of vectors. */
export function sumOf(type: Combination["type"]): Combination {
  return { type, start: `${type}()`, two: (x, y) => `${x} + ${y}`, subgroup: (x) => `subgroupAdd(${x})` };
}

/** The greatest of numbers, none of which is less than `start`; or of each part of vectors. */
export function maxOf(type: Combination["type"], start: string): Combination {
  return { type, start, two: (x, y) => `max(${x}, ${y})`, subgroup: (x) => `subgroupMax(${x})` };
}

/** How many invocations of a GPU share so many elements. */
export function invocationsFor(n: number): number {
  return n <= 256 ? 32 : n <= 2048 ? 128 : 256;
}

/**
 * Invocations of a workgroup that combine what each of them has. Where a subgroup is all of the workgroup it does so by
 * itself; several of them leave what they have in workgroup memory, from where each takes all. Nothing is assumed of
 * how many invocations a subgroup has and which: that may differ from pipeline to pipeline, and with the driver.
 */
export class WorkgroupReduction {
  readonly lanes: number;
  readonly #by: "subgroup" | "subgroups" | "memory";
  readonly #memory = new Set<string>();

  /** `lanes` is a power of two. */
  constructor(lanes: number, { subgroups, subgroupSize }: Adapter) {
    this.lanes = lanes;
    this.#by = lanes === subgroupSize ? "subgroup" : subgroups ? "subgroups" : "memory";
  }

  /** Declares `name(lane, x)`, which gives every invocation what `x` of all of them makes. All must call it. */
  declare(name: string, { type, start, two, subgroup }: Combination): string {
    const { lanes } = this;
    const head = `fn ${name}(lane: u32, x: ${type}) -> ${type} {`;
    if (this.#by === "subgroup") return `${head} return ${subgroup("x")}; }\n`;
    const workgroup = `workgroup_${type.replace(/\W/g, "")}`;
    const memory = this.#memory.has(type) ? "" : `var<workgroup> ${workgroup}: array<${type}, ${lanes}>;\n`;
    this.#memory.add(type);
    if (this.#by === "subgroups") {
      return `${memory}${head}
  let own = ${subgroup("x")};
  let size = subgroupAdd(1u);
  workgroupBarrier();
  ${workgroup}[lane] = select(${start}, own, subgroupElect());
  workgroupBarrier();
  var all = ${start};
  for (var k = subgroupExclusiveAdd(1u); k < ${lanes}u; k += size) { all = ${two("all", `${workgroup}[k]`)}; }
  return ${subgroup("all")};
}
`;
    }
    // Four at a time, which are fewer steps than two at a time: each is a barrier.
    const last = `${workgroup}[0]`;
    return `${memory}${head}
  workgroupBarrier();
  ${workgroup}[lane] = x;
  for (var n = p.quarter; n > 0u; n /= 4u) {
    workgroupBarrier();
    if (lane < n) {
      let low = ${two(`${workgroup}[lane]`, `${workgroup}[lane + n]`)};
      let high = ${two(`${workgroup}[lane + 2u * n]`, `${workgroup}[lane + 3u * n]`)};
      ${workgroup}[lane] = ${two("low", "high")};
    }
  }
  workgroupBarrier();
  return ${Math.log2(lanes) % 2 === 0 ? last : two(last, `${workgroup}[1]`)};
}
`;
  }

  /** Adds the dispatch: a workgroup for each `group: u32` below `count`, in which `lane: u32` tells invocations apart. */
  run(shader: Shader, count: number, body: string, declarations: string): void {
    if (this.#by === "subgroups") shader.enable("subgroups");
    if (this.#by === "memory") shader.u32("quarter", this.lanes / 4);
    const subgroups = this.#by === "subgroup";
    shader.forEachGroup(count, body, { workgroupSize: this.lanes, declarations, subgroups });
  }
}
