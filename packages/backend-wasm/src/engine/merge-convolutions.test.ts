import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { purity, rewriteBranchSums } from "@pt2/engine/rewrites";
import { randomBelow, randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runBody } from "./programs.test-helper.ts";

const registry = registryOf();
const target = { has: () => true, isClaimed: () => false, isPure: purity(registry) };
const next = randomUnit(5);
const below = randomBelow(6);
const upTo = (most: number): number => 1 + below(most);

interface Convolution {
  readonly kernel: readonly [number, number];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly hasBias: boolean;
}

/** A second convolution whose windows begin and end as far from the edges as those of the first, if there is one. */
function beside({ kernel, padding, dilation }: Convolution): Convolution | null {
  const other = [upTo(kernel[0]), upTo(kernel[1])] as const;
  const steps = dilation.map((step, axis) => (other[axis] === 1 ? upTo(3) : below(8) === 0 ? upTo(3) : step));
  const reach = (size: number, step: number): number => step * (size - 1);
  const pads = padding.map((pad, i) => pad - (reach(kernel[i]!, dilation[i]!) - reach(other[i]!, steps[i]!)) / 2);
  if (!pads.every((pad) => pad >= 0 && Number.isInteger(pad))) return null;
  return { kernel: other, padding: pads, dilation: steps, hasBias: below(2) === 0 };
}

/** The body of a program, its weights and its input. */
interface Case {
  readonly body: string;
  readonly weights: Readonly<Record<string, HostTensor>>;
  readonly input: HostTensor;
}

/** Declares random weights, each under the name of its value. */
class Weights {
  readonly tensors: Record<string, HostTensor> = {};
  readonly lines: string[] = [];

  declare(name: string, shape: readonly number[], least = -1): string {
    this.tensors[name] = random(shape, least);
    this.lines.push(`parameter "${name}" = %${name}: f32[${shape}]`);
    return `%${name}`;
  }
}

function random(shape: readonly number[], least = -1): HostTensor {
  const count = shape.reduce((n, length) => n * length, 1);
  return hostTensor(
    "float32",
    shape,
    randomFloats(next, count).map((value) => Math.max(value, least)),
  );
}

/** The sum or difference of a convolution and another one or a normalization; null where their sizes differ. */
function anyCase(): Case | null {
  const groups = [1, 1, 2, 0][below(4)]!;
  const channels = upTo(7) * (groups || 1);
  const outputs = groups === 0 ? channels * upTo(2) : below(2) === 0 ? channels : upTo(7) * groups;
  const stride = [upTo(2), upTo(2)];
  const wide: Convolution = {
    kernel: [upTo(5), upTo(5)],
    padding: [below(4), below(4)],
    dilation: [upTo(2), upTo(2)],
    hasBias: below(2) === 0,
  };
  const size = [12 + below(3), 12 + below(3)];
  const out = size.map((n, i) => {
    const reach = wide.dilation[i]! * (wide.kernel[i]! - 1);
    return Math.floor((n + 2 * wide.padding[i]! - reach - 1) / stride[i]!) + 1;
  });
  const narrow = below(3) === 0 ? null : beside(wide);
  if (narrow === null && (outputs !== channels || `${out}` !== `${size}`)) return null;
  const weights = new Weights();
  const convolved = (name: string, { kernel, padding, dilation, hasBias }: Convolution): string => {
    const bias = hasBias ? weights.declare(`${name}b`, [outputs]) : "none";
    const weight = weights.declare(`${name}w`, [outputs, channels / (groups || channels), ...kernel]);
    const windows = `stride=[${stride}], padding=[${padding}], dilation=[${dilation}], groups=${groups || channels}`;
    return `%${name}: f32[2, ${outputs}, ${out}] = aten::conv2d(input=%x, weight=${weight}, bias=${bias}, ${windows})`;
  };
  const normalized = (): string => {
    const [gamma, beta] =
      below(2) === 0 ? ["g", "h"].map((name) => weights.declare(name, [channels])) : ["none", "none"];
    const [mean, variance] = [weights.declare("m", [channels]), weights.declare("v", [channels], 0.01)];
    const statistics = `weight=${gamma}, bias=${beta}, running_mean=${mean}, running_var=${variance}`;
    const rest = "training=false, momentum=0.1, eps=0.001, cudnn_enabled=false";
    return `%b: f32[2, ${channels}, ${size}] = aten::batch_norm(input=%x, ${statistics}, ${rest})`;
  };
  const nodes = [convolved("a", wide), narrow === null ? normalized() : convolved("b", narrow)];
  const [self, other] = below(2) === 0 ? ["a", "b"] : ["b", "a"];
  const body = `${weights.lines.join("\n")}
    user_input %x: f32[2, ${channels}, ${size}]
    ${nodes.join("\n")}
    %y: f32[2, ${outputs}, ${out}] = aten::${below(3) === 0 ? "sub" : "add"}.Tensor(%${self}, other=%${other})
    return %y`;
  return { body, weights: weights.tensors, input: random([2, channels, ...size]) };
}

test("sums and differences of convolutions and normalizations of one input have the same results as one convolution", async () => {
  let merged = 0;
  for (let done = 0; done < 150; ) {
    const one = anyCase();
    if (one === null) continue;
    done++;
    const { body, weights, input } = one;
    const program = programOf(body);
    if (rewriteBranchSums(program, target) !== program) merged++;
    const run = async (precision: "fast" | "exact"): Promise<readonly number[]> =>
      (await runBody(body, [[input]], weights, precision))[0]![0] as readonly number[];
    const [fast, exact] = [await run("fast"), await run("exact")];
    const limit = 2e-6 * (1 + Math.max(...exact.map(Math.abs)));
    expect(Math.max(...fast.map((value, i) => Math.abs(value - exact[i]!))), body).toBeLessThan(limit);
  }
  // The others have taps between those of the larger kernel, or normalizations of grouped channels.
  expect(merged).toBeGreaterThan(75);
});
