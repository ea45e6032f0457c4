import type { Tensor, Value } from "@pt2/backend";
import type { Program, ValueType } from "@pt2/graph";
import type { NativeValue } from "./addon.ts";
import { libtorchError } from "./libtorch-errors.ts";
import { isNativeTensor, nativeOrBytes, type Outputs, toTensor, toTensorSync } from "./native-tensor.ts";
import type { PlanInputValue } from "./plan/compiled-plan.ts";

/** Converts user inputs to inputs of a plan. The runtime checks them against the signature; here each must be valid. */
export class InputReader {
  readonly #inputs: readonly { readonly name: string; readonly type: ValueType | undefined }[];
  readonly #device: string;

  constructor({ graph, inputs }: Program, device: string) {
    this.#inputs = inputs.flatMap((spec) =>
      spec.kind === "user_input" && spec.value !== null
        ? [{ name: spec.value, type: graph.values.get(spec.value) }]
        : [],
    );
    this.#device = device;
  }

  read(values: readonly Value[]): readonly PlanInputValue[] {
    if (values.length !== this.#inputs.length) {
      throw libtorchError("libtorch.input", {
        what: `The program takes ${this.#inputs.length} inputs, but ${values.length} were given`,
        advice: "Give every user input, in flattened order; model.forward() of the runtime does.",
      });
    }
    return values.map((value, i) => this.#value(value, this.#inputs[i]!));
  }

  #value(
    value: Value,
    { name, type }: { readonly name: string; readonly type: ValueType | undefined },
  ): PlanInputValue {
    if (typeof value !== "object" || value === null) {
      if (type?.kind === "tensor") throw wrongKind(name, "a tensor", value);
      if (type?.kind === "symfloat") return Number(value);
      return type?.kind === "symint" && typeof value === "number" ? BigInt(value) : value;
    }
    if (type !== undefined && type.kind !== "tensor") throw wrongKind(name, "a number", value);
    if (type !== undefined && type.dtype !== value.dtype) {
      throw wrongKind(name, `a ${type.dtype} tensor`, value);
    }
    return nativeOrBytes(value, this.#device, `Input \`${name}\``);
  }
}

function wrongKind(name: string, expected: string, value: Value): Error {
  const given = typeof value === "object" && value !== null ? `a ${value.dtype} tensor` : String(value);
  return libtorchError("libtorch.input", {
    what: `Input \`${name}\` is ${expected}, and ${given} was given`,
    advice: "Make a tensor with tensor(dtype, shape, data).",
  });
}

/** Converts results to values for users. An integer that a number can represent is a number. */
export async function toValues(results: readonly NativeValue[], outputs: Outputs): Promise<readonly Value[]> {
  const tensors = new Map<NativeValue, Tensor>();
  for (const result of results) {
    if (isNativeTensor(result) && !tensors.has(result)) tensors.set(result, await toTensor(result, outputs));
  }
  return results.map((result) => tensors.get(result) ?? toScalar(result));
}

/** Converts results as {@link toValues} does, on the calling thread. */
export function toValuesSync(results: readonly NativeValue[], outputs: Outputs): readonly Value[] {
  return results.map((result) => (isNativeTensor(result) ? toTensorSync(result, outputs) : toScalar(result)));
}

function toScalar(value: NativeValue): Value {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === "object" ? null : value;
}
