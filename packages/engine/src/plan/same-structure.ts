import { sameShape } from "@pt2/format";
import { type Call, type LoweredTensor, tensorsIn } from "@pt2/registry";
import { callsOf, type ElementwiseGroup, joined, operandsOf, type Step } from "../fuse.ts";
import { isPure } from "../staged/call-key.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice } from "./plan-device.ts";
import type { PlanRecords } from "./plan-records.ts";
import type { PlanRequest } from "./planned-stage.ts";

/** The parts of a stage that decide what its steps are. */
interface StageParts {
  readonly calls: readonly Call[];
  readonly live: ReadonlySet<LoweredTensor>;
  readonly inputs: readonly LoweredTensor[];
}

/**
 * Calls of a stage for other sizes, in the steps of the stage before. Fusion and constant folding look at which call
 * reads which, at whether the shapes of a loop and of what it reads are equal, and at answers of the device: where all
 * of these are as before, the steps are.
 */
export class SameStructure<T extends DeviceTypes> {
  readonly #calls = new Map<Call, Call>();
  readonly #tensors = new Map<LoweredTensor, LoweredTensor>();
  readonly #groups = new Map<ElementwiseGroup, ElementwiseGroup>();

  private constructor() {}

  /** Returns null if the steps would be other ones. */
  static find<T extends DeviceTypes>(
    before: PlanRecords<T>,
    { stage, inputs, views }: PlanRequest<T>,
    device: PlanDevice<T>,
  ): SameStructure<T> | null {
    const same = new SameStructure<T>();
    for (const [tensor, view] of views) if (before.views.get(tensor) !== view) return null;
    return same.#fits(before, { ...stage, inputs }, device) ? same : null;
  }

  /** The calls of before that are other ones now. */
  get changed(): Iterable<Call> {
    return this.#calls.keys();
  }

  /** Whether a call is not the one of before. */
  changes(call: Call): boolean {
    return this.#calls.has(call);
  }

  /** Whether a tensor of before is another one now. */
  replaces(tensor: LoweredTensor): boolean {
    return this.#tensors.has(tensor);
  }

  /** Returns the step with the calls of now. A device has not rewritten it. */
  step(step: Step<T["expr"]>): Step<T["expr"]> {
    if (!callsOf(step).some((call) => this.changes(call))) return step;
    switch (step.kind) {
      case "call":
        return { kind: "call", call: this.#call(step.call) };
      case "elementwise":
        return { kind: "elementwise", group: this.#group(step.group as ElementwiseGroup) };
      case "epilogue":
        return {
          kind: "epilogue",
          call: this.#call(step.call),
          result: this.#tensor(step.result),
          group: this.#group(step.group),
        };
    }
  }

  #fits(before: PlanRecords<T>, { calls, live, inputs }: StageParts, device: PlanDevice<T>): boolean {
    if (calls.length !== before.calls.length || live.size !== before.live.size) return false;
    if (!this.#match(before.inputs, inputs)) return false;
    for (const [i, call] of calls.entries()) {
      const earlier = before.calls[i]!;
      if (call !== earlier && !this.#matchCall(earlier, call)) return false;
    }
    for (const tensor of before.live) if (!live.has(this.#tensor(tensor))) return false;
    return before.questions.every(({ call, group, answer }) => {
      if (!this.changes(call) && !group.calls.some((each) => this.changes(each))) return true;
      return device.takesEpilogue(this.#call(call), this.#group(group)) === answer;
    });
  }

  #matchCall(earlier: Call, call: Call): boolean {
    const { record, kind, packaged, scalar, results } = call;
    if (record !== earlier.record || kind !== earlier.kind || packaged !== earlier.packaged) return false;
    const operands = operandsOf(call);
    if (!this.#reads(operandsOf(earlier), operands)) return false;
    // Only of a call that reads nothing does it depend on sizes.
    if (operands.length === 0 && isPure(earlier) !== isPure(call)) return false;
    if ((scalar === undefined) !== (earlier.scalar === undefined)) return false;
    if (scalar !== undefined) {
      const known = earlier.scalar!;
      if (!this.#reads(known.operands, scalar.operands)) return false;
      const alike = scalar.operands.every(
        ({ shape }, i) => sameShape(shape, scalar.shape) === sameShape(known.operands[i]!.shape, known.shape),
      );
      if (!alike) return false;
    }
    if (results.length !== earlier.results.length) return false;
    if (!results.every((result, i) => this.#match(tensorsIn(earlier.results[i]), tensorsIn(result)))) return false;
    this.#calls.set(earlier, call);
    return true;
  }

  /** Whether these tensors are what those of before have become. */
  #reads(before: readonly LoweredTensor[], now: readonly LoweredTensor[]): boolean {
    return before.length === now.length && before.every((tensor, i) => this.#tensor(tensor) === now[i]);
  }

  /** Makes new tensors what those of before have become. */
  #match(before: readonly LoweredTensor[], now: readonly LoweredTensor[]): boolean {
    if (before.length !== now.length) return false;
    for (const [i, tensor] of now.entries()) {
      const earlier = before[i]!;
      if (earlier.dtype !== tensor.dtype) return false;
      if (earlier !== tensor) this.#tensors.set(earlier, tensor);
    }
    return true;
  }

  #call(call: Call): Call {
    return this.#calls.get(call) ?? call;
  }

  #tensor(tensor: LoweredTensor): LoweredTensor {
    return this.#tensors.get(tensor) ?? tensor;
  }

  #group(group: ElementwiseGroup): ElementwiseGroup {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const calls = group.calls.map((call) => this.#call(call));
    const inputs = group.inputs.map((tensor) => this.#tensor(tensor));
    const made: ElementwiseGroup = {
      shape: calls.at(-1)!.scalar!.shape,
      inputs,
      output: this.#tensor(group.output),
      expr: joined(calls, inputs),
      calls,
    };
    this.#groups.set(group, made);
    return made;
  }
}
