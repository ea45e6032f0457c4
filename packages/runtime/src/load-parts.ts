import { type ByteSource, openSafetensors, type WeightTensor } from "@pt2/format";
import { fromJson, type Json, type Program, type ValueType } from "@pt2/graph";
import { type LoadOptions, loadProgram } from "./load.ts";
import type { Model } from "./model.ts";
import { runtimeError } from "./runtime-errors.ts";

/** Loads a program that `toJson` of `@pt2/graph` wrote, with weights of a safetensors file. It owns both sources. */
export async function loadParts(document: ByteSource, weightFile: ByteSource, options: LoadOptions): Promise<Model> {
  const close = async (): Promise<void> => {
    await document.close?.();
    await weightFile.close?.();
  };
  return await loadProgram({ close }, options, async () => {
    try {
      const program = fromJson(await readJson(document));
      const weights = weightsOf(program, await openSafetensors(weightFile), weightFile.name ?? "the weights");
      return { program: async () => program, weights: async () => weights, prefetch: async () => undefined, close };
    } catch (problem) {
      await close();
      throw problem;
    }
  });
}

async function readJson(source: ByteSource): Promise<Json> {
  const text = new TextDecoder().decode(await source.read(0, source.size));
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw runtimeError("runtime.program-json", {
      what: "The program is not JSON",
      where: source.name ?? "the program",
      advice:
        "with `weights`, the source is what `pt2 graph model.pt2 --format json` writes; a .pt2 file holds its weights",
      cause,
    });
  }
}

/** Returns the weights that the program names; throws if one is missing or has another dtype or shape. */
function weightsOf(
  { inputs, graph }: Program,
  found: ReadonlyMap<string, WeightTensor>,
  where: string,
): ReadonlyMap<string, WeightTensor> {
  return new Map(
    inputs.flatMap((spec) => {
      if (spec.kind !== "parameter" && spec.kind !== "buffer" && spec.kind !== "tensor_constant") return [];
      const { kind, target, value } = spec;
      const weight = found.get(target);
      const declared = graph.values.get(value);
      if (weight === undefined || (declared !== undefined && !fits(weight, declared))) {
        const given = weight === undefined ? "missing" : describe(weight.dtype, weight.shape);
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

function fits({ dtype, shape }: WeightTensor, declared: ValueType): boolean {
  if (declared.kind !== "tensor" || declared.dtype !== dtype || declared.shape.length !== shape.length) return false;
  return declared.shape.every((size, i) => typeof size !== "number" || size === shape[i]);
}

function describe(dtype: string, shape: readonly unknown[]): string {
  const sizes = shape.map((size) => (typeof size === "number" ? size : "?"));
  return `${dtype} [${sizes.join(", ")}]`;
}
