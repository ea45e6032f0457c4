import { basename, dirname } from "node:path";
import { grad, withLoss } from "@pt2/autograd";
import type { HostTensor, Tensor } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { load } from "@pt2/runtime/node";
import { difference } from "./difference.ts";
import { type Checked, SHARE, testRandomNetworks, usual, type Where } from "./random-networks.ts";
import { openTraining, type TrainingProgram } from "./training-programs.ts";

/** A gradient that is smaller than this part of the largest is what sums of larger ones left over. */
const NEGLIGIBLE = 0.01;

/** Compares the loss of a network, its gradients, and the buffers that it writes, with PyTorch's. */
async function check(path: string, where: Where): Promise<Checked> {
  const training = await openTraining(dirname(path), basename(path));
  const { expected, inputs, weights, close } = training;
  const program = programOfLoss(training);
  const shapes = { x: inputs[0]!.shape, target: inputs[1]!.shape };
  const wrt = [...program.inputs.flatMap((spec) => (spec.kind === "parameter" ? [spec.target] : [])), "x"];
  const differentiated = await grad(program, { of: 0, wrt, weights, shapes });
  await using model = await load({ program: differentiated, weights, close }, where);
  const { loss, gradients, inputGradients } = await model.step!(...inputs);
  const state = await model.readState!();
  const found = new Map<string, Tensor | undefined>([
    ["loss", loss],
    ["input_grad.0", Object.values(inputGradients)[0]],
    ...Object.entries(gradients).map(([name, gradient]) => [`grad.${name}`, gradient] as const),
    ...[...state].map(([name, buffer]) => [`buffer.${name}`, buffer] as const),
  ]);
  const right = [...expected].filter(([name]) => !name.startsWith("input."));
  const isGradient = (name: string): boolean => /^(input_)?grad\./.test(name);
  const largest = right.reduce((most, [name, tensor]) => (isGradient(name) ? Math.max(most, sizeOf(tensor)) : most), 0);
  const problems: string[] = [];
  const bytes: Uint8Array[] = [];
  for (const [name, tensor] of right) {
    const actual = await found.get(name)?.cpu();
    const scale = Math.max(sizeOf(tensor), isGradient(name) ? NEGLIGIBLE * largest : NEGLIGIBLE);
    const problem = difference(actual, tensor, { float32: { rtol: SHARE, atol: SHARE * scale } });
    if (problem !== null) problems.push(`${name}: ${problem}`);
    if (actual !== undefined) bytes.push(actual.bytes.slice());
  }
  return { problems, bytes: Buffer.concat(bytes) };
}

/** A program that does not take the target has no loss yet. */
function programOfLoss({ program, inputs }: TrainingProgram): Program {
  if (program.inputs.filter(({ kind }) => kind === "user_input").length === inputs.length) return program;
  return withLoss(program, { loss: inputs[1]!.dtype === "int64" ? "aten::cross_entropy_loss" : "aten::mse_loss" });
}

function sizeOf({ data }: HostTensor): number {
  return usual(data as Float32Array | BigInt64Array);
}

testRandomNetworks({ what: "gradients are PyTorch's", script: "random_gradients.py", count: 25, check });
