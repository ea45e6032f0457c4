import { LruCache } from "@pt2/format";
import type { Graph, Node } from "@pt2/graph";
import type { ArgValue } from "@pt2/registry";
import type { NativeValue } from "../addon.ts";
import { hostOperands } from "../encode/encode-program.ts";
import { expandOp } from "../expand/expand-op.ts";
import { isNativeTensor } from "../native-tensor.ts";
import { CompiledPlan } from "../plan/compiled-plan.ts";
import { type HostNode, type HostRun, MOST_VARIANTS } from "./host-node.ts";
import type { HostServices } from "./host-services.ts";
import { operandValues, valueKey } from "./operand-values.ts";

/**
 * A node that is expanded into other ops once the sizes of its operands are known. The expansion is compiled as a plan
 * of
 * its own, and kept for runs with the same sizes.
 */
export class ExpansionNode implements HostNode {
  readonly #node: Node;
  readonly #services: HostServices;
  readonly #operands: readonly string[];
  readonly #types: Graph["values"];
  readonly #plans = new LruCache<string, CompiledPlan>(MOST_VARIANTS, (plan) => plan.dispose());

  /** `types` are those of the graph's values. */
  constructor(node: Node, services: HostServices, types: Graph["values"]) {
    this.#types = types;
    this.#node = node;
    this.#services = services;
    this.#operands = hostOperands(node);
  }

  async run(operands: readonly NativeValue[], { signal }: HostRun): Promise<readonly NativeValue[]> {
    const { outputs } = await this.#planFor(operands).run(operands.filter(isTensorOrList), { signal });
    return outputs;
  }

  runSync(operands: readonly NativeValue[]): readonly NativeValue[] {
    return this.#planFor(operands).runSync(operands.filter(isTensorOrList)).outputs;
  }

  dispose(): void {
    this.#plans.clear();
  }

  #planFor(operands: readonly NativeValue[]): CompiledPlan {
    const values = operandValues(this.#operands, operands);
    return this.#plans.get(valueKey([...values.values()]), () => this.#compile(operands, values));
  }

  #compile(values: readonly NativeValue[], operands: ReadonlyMap<string, ArgValue>): CompiledPlan {
    const node = this.#node;
    const { nodes, types, results } = expandOp(node, operands, this.#services.router, this.#types);
    const inputs = this.#operands.filter((_, i) => isTensorOrList(values[i] ?? null));
    const graph: Graph = { inputs, nodes, outputs: results, values: types };
    const specs = inputs.map((value) => ({ kind: "user_input" as const, value }));
    return new CompiledPlan({ graph, inputs: specs }, new Map(), this.#services);
  }
}

function isTensorOrList(value: NativeValue): boolean {
  return isNativeTensor(value) || Array.isArray(value);
}
