// A backend's engine that computes with `evaluate` in the order of calls, on a "device" that answers later.

import { numel, viewAs } from "@pt2/backend";
import { createRegistry, type LoweredTensor, type LowerOptions, type RunNumber } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { evaluate, type ScalarValue } from "@pt2/registry/scalar";
import { broadcastPositions } from "../strides/broadcast.ts";
import { type HostData, isHostData, numberOf, type TensorData } from "./run-value.ts";
import type { StageEngine, StagePlan, StageRequest } from "./stage-engine.ts";

/** A tensor of the device. */
export interface Cell {
  readonly dtype: LoweredTensor["dtype"];
  readonly shape: readonly number[];
  elements: readonly ScalarValue[];
}

type Plan = StagePlan<Cell> & { readonly stage: StageRequest<Cell, Plan>["stage"] };

const registry = createRegistry({ sets: [aten] });
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

export class DeviceEngine implements StageEngine<Cell, Plan> {
  readonly lowerOptions: LowerOptions = {
    registry,
    target: { name: "device", isNative: () => false },
    handlerContext: () => ({ backend: "device", initial: () => undefined }),
  };
  readonly exact = false;
  /** What happened, in order. */
  readonly log: string[] = [];

  isConstant(): boolean {
    return false;
  }

  async plan({ stage, places }: StageRequest<Cell, Plan>): Promise<Plan> {
    const cells = new Map(places);
    const place = (tensor: LoweredTensor): Cell => {
      const { dtype, shape } = tensor;
      return cells.get(tensor) ?? cells.set(tensor, { dtype, shape, elements: [] }).get(tensor)!;
    };
    this.log.push("plan");
    return { place, stage, steps: stage.calls.map((call) => ({ calls: [call] })), summary: "" };
  }

  async write(
    plan: Plan,
    tensors: readonly LoweredTensor[],
    values: readonly TensorData[],
    numbers: readonly RunNumber[],
  ): Promise<void> {
    await later();
    for (const [i, tensor] of tensors.entries()) {
      const value = values[i]!;
      plan.place(tensor).elements = isHostData(value) ? elementsOf(value) : (value.handle as Cell).elements;
    }
    for (const number of numbers) plan.place(number).elements = [Number(numberOf(number.number.value))];
  }

  async execute({ stage, place }: Plan): Promise<void> {
    await later();
    for (const { scalar, results } of stage.calls) {
      const { operands, expr, shape } = scalar!;
      const inputs = operands.map((tensor) => {
        const { elements } = place(tensor);
        return Array.from(broadcastPositions(tensor.shape, shape), (at) => elements[at]!);
      });
      place(results[0] as LoweredTensor).elements = Array.from({ length: numel(shape) }, (_, i) =>
        evaluate(
          expr,
          inputs.map((each) => each[i]!),
        ),
      );
    }
  }

  async read({ place }: Plan, tensors: readonly LoweredTensor[], to: "host" | "anywhere"): Promise<TensorData[]> {
    const held = tensors.map((tensor) => ({ dtype: tensor.dtype, shape: tensor.shape, handle: { ...place(tensor) } }));
    return to === "host" ? this.fetch(held) : held;
  }

  async fetch(tensors: readonly TensorData[]): Promise<HostData[]> {
    await later();
    this.log.push(`fetch ${tensors.map(({ dtype, shape }) => `${dtype}[${shape}]`)}`);
    return tensors.map((tensor) => (isHostData(tensor) ? tensor : hostDataOf(tensor.handle as Cell)));
  }

  release(): void {
    this.log.push("release");
  }
}

/** Elements of float32 and bool tensors. */
export function elementsOf({ dtype, bytes }: HostData): readonly ScalarValue[] {
  return Array.from(viewAs(dtype, bytes) as Float32Array | Uint8Array, (value) =>
    dtype === "bool" ? value !== 0 : Number(value),
  );
}

function hostDataOf({ dtype, shape, elements }: Cell): HostData {
  const array = dtype === "bool" ? Uint8Array.from(elements, Number) : Float32Array.from(elements, Number);
  return { dtype, shape, bytes: new Uint8Array(array.buffer) };
}
