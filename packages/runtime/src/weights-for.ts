import type { WeightTensor } from "@pt2/format";
import { type Program, requireProgram, type ValueType } from "@pt2/graph";
import { runtimeError } from "./runtime-errors.ts";

/**
 * Returns the weights of a program among tensors by name: those of a safetensors file or of another archive. Throws
 * `runtime.weights` if one is missing or has another dtype or shape; `where` names the tensors' file in the error.
 */
export function weightsFor(
  program: Program,
  found: ReadonlyMap<string, WeightTensor>,
  where = "the weights",
): ReadonlyMap<string, WeightTensor> {
  requireProgram("weightsFor()", program);
  const { inputs, graph } = program;
  if (typeof (found as Partial<typeof found> | null)?.get !== "function") {
    throw runtimeError("runtime.weights", {
      what: "The weights are not a Map",
      where,
      advice: "give what `openSafetensors` or `weights()` of an archive returns, or new Map(Object.entries(weights))",
    });
  }
  return new Map(
    inputs.flatMap((spec) => {
      if (spec.kind !== "parameter" && spec.kind !== "buffer" && spec.kind !== "tensor_constant") return [];
      const { kind, target, value } = spec;
      const weight = found.get(target);
      const declared = graph.values.get(value);
      if (weight === undefined || (declared !== undefined && !fits(weight, declared))) {
        const given = weight === undefined ? "missing" : describeGiven(weight);
        const expected = declared?.kind === "tensor" ? describe(declared.dtype, declared.shape) : "a tensor";
        throw runtimeError("runtime.weights", {
          what: `The weight \`${target}\` is ${given}, but the program expects ${expected}`,
          where,
          advice: "save the state_dict() and the constants of the same exported program with safetensors",
          details: { weight: target },
        });
      }
      return [[target, { ...weight, kind: kind === "tensor_constant" ? "constant" : kind }] as const];
    }),
  );
}

function describeGiven(weight: unknown): string {
  const { dtype, shape } = Object(weight) as Partial<WeightTensor>;
  return dtype === undefined || !Array.isArray(shape) ? "not a tensor" : describe(dtype, shape);
}

function fits(weight: WeightTensor, declared: ValueType): boolean {
  const { dtype, shape } = Object(weight) as Partial<WeightTensor>;
  if (!Array.isArray(shape)) return false;
  if (declared.kind !== "tensor" || declared.dtype !== dtype || declared.shape.length !== shape.length) return false;
  return declared.shape.every((size, i) => typeof size !== "number" || size === shape[i]);
}

function describe(dtype: string, shape: readonly unknown[]): string {
  const sizes = shape.map((size) => (typeof size === "number" ? size : "?"));
  return `${dtype} [${sizes.join(", ")}]`;
}
