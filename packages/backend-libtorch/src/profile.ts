import type { Profile, StepTime, Value } from "@pt2/backend";
import type { Node } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import type { NativeProfile } from "./addon.ts";
import type { NodeAt } from "./native-failure.ts";

const NS_PER_MS = 1e6;
/** How many numbers a step has in `NativeProfile.steps`: graph, node, start, duration. */
const FIELDS = 4;

/** Joins what the native module measured with the times that JavaScript took. */
export class ProfileRecorder {
  readonly #begin: number = performance.now();
  readonly #steps: StepTime[] = [];
  readonly #hosts = new Set<Node>();

  readonly observe = (node: Node, startMs: number, ms: number): void => {
    this.#hosts.add(node);
    this.#steps.push(stepOf(node, startMs - this.#begin, ms));
  };

  finish(outputs: readonly Value[], native: NativeProfile | null, nodeAt: NodeAt): Profile {
    const steps = native?.steps ?? new Float64Array();
    for (let at = 0; at + FIELDS <= steps.length; at += FIELDS) {
      const node = nodeAt(steps[at]!, steps[at + 1]!);
      if (node === undefined || this.#hosts.has(node)) continue;
      this.#steps.push(stepOf(node, steps[at + 2]! / NS_PER_MS, steps[at + 3]! / NS_PER_MS));
    }
    this.#steps.sort((a, b) => a.startMs - b.startMs);
    return { outputs, steps: this.#steps, totalMs: performance.now() - this.#begin };
  }
}

function stepOf(node: Node, startMs: number, ms: number): StepTime {
  const { joined } = node.origin;
  if (joined === undefined) return { node: node.name, ops: [node.op], where: describeNode(node), startMs, ms };
  const where = `${describeNode(node, joined)}, as ${node.op}`;
  return { node: joined.at(-1)!.name, ops: joined.map(({ op }) => op), where, startMs, ms };
}
