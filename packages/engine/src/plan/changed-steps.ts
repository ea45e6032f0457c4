import type { Call, LoweredTensor, Repetition } from "@pt2/registry";
import { callsOf, type ElementwiseGroup, joined, type Step } from "../fuse.ts";
import type { EpilogueQuestion } from "./plan-records.ts";

/** The steps of a stage with the calls that they have for other sizes. */
export class ChangedSteps {
  readonly #repetition: Repetition;

  constructor(repetition: Repetition) {
    this.#repetition = repetition;
  }

  /**
   * Returns a step with its present calls; null if these are not the previous ones in other sizes. Groups name the previous
   * tensors, except the one that they make. A device has not rewritten the step.
   */
  async step<Expr>(step: Step<Expr>): Promise<Step<Expr> | null> {
    if (!callsOf(step).some((call) => this.#repetition.differs(call))) return step;
    if (step.kind === "elementwise") {
      const group = await this.#group(step.group as unknown as ElementwiseGroup);
      return group && { kind: "elementwise", group: group as unknown as ElementwiseGroup<Expr> };
    }
    const call = await this.#repetition.callFor(step.call);
    if (call === null || step.kind === "call") return call && { kind: "call", call };
    const group = await this.#group(step.group);
    return group && { kind: "epilogue", call, result: step.result, group };
  }

  /** Asks a question of fusion again; null where the answer cannot have changed, or cannot be known. */
  async ask(
    { call, group }: EpilogueQuestion,
    takesEpilogue: (call: Call, group: ElementwiseGroup) => boolean,
  ): Promise<boolean | null> {
    const now = await this.#repetition.callFor(call);
    const grown = await this.#group(group);
    return now && grown && takesEpilogue(now, grown);
  }

  async #group(group: ElementwiseGroup): Promise<ElementwiseGroup | null> {
    const calls: Call[] = [];
    for (const call of group.calls) {
      const now = await this.#repetition.callFor(call);
      if (now === null) return null;
      calls.push(now);
    }
    const last = calls.at(-1)!;
    const isSame = calls.every((call, i) => call.scalar!.expr === group.calls[i]!.scalar!.expr);
    return {
      shape: last.scalar!.shape,
      inputs: group.inputs,
      output: last.results[0] as LoweredTensor,
      expr: isSame ? group.expr : joinedNow(calls, group),
      calls,
    };
  }
}

/** Returns the expression of a group for its present calls. The previous tensors tell which of them reads which result. */
function joinedNow(calls: readonly Call[], { calls: before, inputs }: ElementwiseGroup): ElementwiseGroup["expr"] {
  const read = calls.map(({ scalar }, i) => {
    const known = before[i]!;
    return { ...known, scalar: { ...scalar!, operands: known.scalar!.operands } };
  });
  return joined(read, inputs);
}
