import { grad, tieParameters } from "@pt2/autograd";
import { type Backend, CpuGenerator, type HostTensor, hostTensor, Tensor, type Value, viewAs } from "@pt2/backend";
import { readTensor, type WeightTensor } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import { type InputSpec, type Program, requireProgram } from "@pt2/graph";
import type { OpSet } from "@pt2/registry";
import { conformanceError } from "../conformance-errors.ts";
import { registryOf } from "../programs.ts";

/** What {@link gradcheck} works with. */
export interface GradcheckOptions {
  readonly backend: Backend;
  /** The leaves of one call, in the order of the program's inputs. */
  readonly inputs: readonly Value[];
  /** The weights by name, as an archive has them. */
  readonly weights?: ReadonlyMap<string, WeightTensor>;
  /** The position of the loss among the results. @default the only floating point number */
  readonly of?: number;
  /** Op sets in addition to PyTorch's. */
  readonly ops?: readonly OpSet[];
  /** How far tensors are moved in both directions. @default 1e-6, and 1e-2 in a program that is not of float64 */
  readonly eps?: number;
  /** @default 1e-5, and 5e-3 in a program that is not of float64 */
  readonly atol?: number;
  /** @default 1e-3, and 5e-2 in a program that is not of float64 */
  readonly rtol?: number;
  /** The number of random directions that each tensor is moved in. @default 2 */
  readonly directions?: number;
}

const OPTIONS: Readonly<Record<keyof GradcheckOptions, string>> = {
  backend: "object",
  inputs: "array",
  weights: "Map",
  of: "number",
  ops: "array",
  eps: "number from 0",
  atol: "number from 0",
  rtol: "number from 0",
  directions: "number from 0",
};

/** What was compared. */
export interface GradcheckReport {
  /** For each parameter and input: the derivatives of the loss along the directions. */
  readonly compared: readonly Derivative[];
}

/** The derivative of the loss along a direction of one tensor. */
export interface Derivative {
  /** The parameter, or the input. */
  readonly name: string;
  /** From the gradient. */
  readonly analytical: number;
  /** From two values of the loss. */
  readonly numerical: number;
}

/**
 * Compares the gradients of a program, as `grad` differentiates it, with central differences of its loss: for each
 * floating point parameter and input, along random directions of length 1. It is `torch.autograd.gradcheck` for a whole
 * program, with the ops of users in it. Use float64 where a backend has it: its tolerances are those of PyTorch. Those of
 * float32 are wider, because the difference of two losses that are rounded to seven digits has few digits left. Random
 * numbers of the program start from one seed in each run, on a backend that takes one. Nothing that the program writes
 * is kept.
 *
 * Throws `conformance.gradient`, which lists every tensor whose derivatives differ.
 */
export async function gradcheck(program: Program, options: GradcheckOptions): Promise<GradcheckReport> {
  requireProgram("gradcheck()", program, "conformance.options");
  requireOptions("gradcheck()", options, OPTIONS, "conformance.options", "backend", "inputs");
  const { backend, weights = new Map(), ops = [], of, directions = 2 } = options;
  const { program: tied } = tieParameters(program, weights);
  const moved = await asInputs(tied, weights, options.inputs);
  const isDouble = moved.leaves.every(({ value }) => !isFloat(value) || value.dtype === "float64");
  const { eps = isDouble ? 1e-6 : 1e-2, atol = isDouble ? 1e-5 : 5e-3, rtol = isDouble ? 1e-3 : 5e-2 } = options;
  const wrt = moved.leaves.filter(({ value }) => isFloat(value)).map(({ name }) => name);
  const shapes = Object.fromEntries(
    moved.leaves.flatMap(({ name, value }) => (value instanceof Tensor ? [[name, value.shape]] : [])),
  );
  const differentiated = await grad(moved.program, { wrt, shapes, ops, ...(of === undefined ? {} : { of }) });
  const registry = registryOf([], ops);
  const executable = await backend.compile({ program: differentiated, weights, registry });
  try {
    const positions = differentiated.outputs.filter(({ kind }) => kind !== "token");
    const lossAt = positions.findIndex(({ kind }) => kind === "loss_output");
    const run = async (leaves: readonly Leaf[]): Promise<readonly Value[]> => {
      backend.manualSeed?.(0);
      return await executable.run(leaves.map(({ value }) => value));
    };
    const lossOf = async (leaves: readonly Leaf[]): Promise<number> =>
      (await numbersOf((await run(leaves))[lossAt] as Tensor))[0]!;
    const results = await run(moved.leaves);
    const first = results.length - wrt.length;
    const random = new CpuGenerator(7);
    const compared: Derivative[] = [];
    for (const [i, value] of wrt.entries()) {
      const at = moved.leaves.findIndex(({ name }) => name === value);
      const gradient = await numbersOf(results[first + i] as Tensor);
      for (let k = 0; k < directions; k++) {
        const direction = unitVector(gradient.length, random);
        const lossAlong = (by: number): Promise<number> =>
          lossOf(moved.leaves.map((leaf, j) => (j === at ? shifted(leaf, direction, by) : leaf)));
        const numerical = ((await lossAlong(eps)) - (await lossAlong(-eps))) / (2 * eps);
        const analytical = gradient.reduce((sum, x, j) => sum + x * direction[j]!, 0);
        compared.push({ name: moved.leaves[at]!.title, analytical, numerical });
      }
    }
    const wrong = compared.filter(
      // A comparison with NaN is false, and NaN is wrong.
      ({ analytical, numerical }) => !(Math.abs(analytical - numerical) <= atol + rtol * Math.abs(numerical)),
    );
    if (wrong.length > 0) throw differs(wrong, compared.length);
    return { compared };
  } finally {
    await executable.dispose();
  }
}

/** An input of the program that is run: a given one, or a parameter. */
interface Leaf {
  readonly name: string;
  /** What it is called in reports. */
  readonly title: string;
  readonly value: Value;
}

/** Makes inputs of the parameters, so that one executable serves all values, and drops what the program writes. */
async function asInputs(
  program: Program,
  weights: ReadonlyMap<string, WeightTensor>,
  given: readonly Value[],
): Promise<{ readonly program: Program; readonly leaves: readonly Leaf[] }> {
  const leaves: Leaf[] = [];
  const inputs: InputSpec[] = [];
  let next = 0;
  for (const spec of program.inputs) {
    const weight = spec.kind === "parameter" ? weights.get(spec.target) : undefined;
    if (spec.kind === "user_input" || spec.kind === "constant_input") {
      const value = given[next++]!;
      const name = spec.kind === "user_input" ? spec.value : spec.name;
      leaves.push({ name: name ?? "", title: name ?? "", value });
      inputs.push(spec);
    } else if (spec.kind === "parameter" && weight !== undefined) {
      const { dtype, shape, bytes } = await readTensor(weight);
      leaves.push({ name: spec.value, title: spec.target, value: hostTensor(dtype, shape, viewAs(dtype, bytes)) });
      inputs.push({ kind: "user_input", value: spec.value });
    } else inputs.push(spec);
  }
  const isKept = (i: number): boolean => !program.outputs[i]!.kind.endsWith("_mutation");
  const { graph, outputs } = program;
  return {
    leaves,
    program: {
      ...program,
      graph: { ...graph, outputs: graph.outputs.filter((_, i) => isKept(i)) },
      inputs,
      outputs: outputs.filter((_, i) => isKept(i)),
      inSpec: null,
      outSpec: null,
      forwardArgs: [],
    },
  };
}

function isFloat(value: Value): value is Tensor {
  return value instanceof Tensor && /^b?float/.test(value.dtype);
}

async function numbersOf(tensor: Tensor): Promise<readonly number[]> {
  return Array.from((await tensor.read()) as Float64Array, Number);
}

function unitVector(length: number, random: CpuGenerator): readonly number[] {
  const numbers = Array.from({ length }, () => random.normal());
  const norm = Math.hypot(...numbers);
  return numbers.map((x) => x / norm);
}

function shifted(leaf: Leaf, direction: readonly number[], by: number): Leaf {
  const { dtype, shape, data } = leaf.value as HostTensor<"float32" | "float64">;
  const move = (x: number, i: number): number => x + by * direction[i]!;
  const elements = dtype === "float64" ? Float64Array.from(data, move) : Float32Array.from(data, move);
  return { ...leaf, value: hostTensor(dtype, shape, elements) };
}

function differs(wrong: readonly Derivative[], count: number): Error {
  const lines = wrong.map(
    ({ name, analytical, numerical }) =>
      `  ${name}: the gradient says ${analytical.toPrecision(6)}, differences of the loss ${numerical.toPrecision(6)}`,
  );
  return conformanceError("conformance.gradient", {
    what: `${wrong.length} of ${count} derivatives of the loss differ:\n${lines.join("\n")}`,
    advice:
      "Check the gradient rules of your ops with checkOp. A loss with kinks where it is evaluated has no derivative there.",
    details: { wrong },
  });
}
