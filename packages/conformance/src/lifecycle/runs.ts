import { hostTensor } from "@pt2/backend";
import { floats, ints } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { expectCodedError, expectThat, expectValues, ramp } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const LINEAR = `program {
  parameter "w" = %w: f32[2, 3]
  user_input %x: f32[5, 3]
  %y: f32[5, 2] = aten::linear(input=%x, weight=%w)
  %z: f32[5, 2] = aten::relu(%y)
  return %z, %x
}`;
const WEIGHT = weightOf("w", floats([2, 3], 1, 0, 2, -1, 1, 0));

/** Returns relu(x · wᵀ) for a ramp that begins at `start`. */
function answer(start: number): readonly number[] {
  return Array.from({ length: 5 }, (_, i) => {
    const [a, b, c] = [0, 1, 2].map((j) => start + (3 * i + j) / 2) as [number, number, number];
    return [Math.max(0, a + 2 * c), Math.max(0, b - a)];
  }).flat();
}

const FORWARD_AND_BACKWARD = `program {
  buffer "seen" = %seen: i64[]
  parameter "w" = %w: f32[2]
  user_input %x: f32[2]
  %next: i64[] = aten::add.Tensor(%seen, other=1)
  %product: f32[2] = aten::mul.Tensor(%x, other=%w)
  %loss: f32[] = aten::sum(%product)
  %copy: f32[2] = aten::add.Tensor(%x, other=0)
  %double: f32[2] = aten::add.Tensor(%w, other=%w)
  return %next -> buffer_mutation "seen", %copy -> gradient_to_parameter "w", %loss -> loss_output, %product, %double -> gradient_to_user_input "x"
}`;

const LOOKUP = `program {
  parameter "table" = %table: f32[3, 2]
  user_input %ids: i64[2]
  %rows: f32[2, 2] = aten::embedding(weight=%table, indices=%ids)
  return %rows
}`;

const SEEN = weightOf("seen", ints([], 0));

/** Cases for runs: their inputs, their order, their errors. */
export const RUNS: readonly LifecycleCase[] = [
  {
    name: "runs: the loss and its gradients are results, in the order of the signature",
    async run({ compile }) {
      const executable = await compile(FORWARD_AND_BACKWARD, [SEEN, weightOf("w", floats([2], 3, -1))]);
      const expected = [floats([2], 2, 5), floats([], 1), floats([2], 6, -5), floats([2], 6, -2)];
      await expectValues(await executable.run([floats([2], 2, 5)]), expected);
    },
  },
  {
    name: "runs: overlapping ones are independent",
    async run({ compile }) {
      const executable = await compile(LINEAR, [WEIGHT]);
      const starts = [0, -3, 7, -3, 100];
      const results = await Promise.all(starts.map((start) => executable.run([ramp([5, 3], start)])));
      for (const [i, start] of starts.entries())
        await expectValues(results[i]!, [floats([5, 2], ...answer(start)), ramp([5, 3], start)]);
    },
  },
  {
    name: "runs: inputs are not modified and may be reused",
    async run({ compile }) {
      const executable = await compile(LINEAR, [WEIGHT]);
      const input = ramp([5, 3], 1);
      await executable.run([input]);
      await expectValues([input], [ramp([5, 3], 1)]);
      (input.data as Float32Array).fill(0);
      await expectValues(await executable.run([input]), [floats([5, 2], ...new Array(10).fill(0)), input]);
    },
  },
  {
    name: "runs: several executables at once",
    async run({ compile }) {
      const other = weightOf("w", floats([2, 3], 0, 0, 0, 1, 0, 0));
      const [first, second] = [await compile(LINEAR, [WEIGHT]), await compile(LINEAR, [other])];
      const input = ramp([5, 3]);
      const [a, b] = await Promise.all([first.run([input]), second.run([input])]);
      await expectValues(a, [floats([5, 2], ...answer(0)), input]);
      await expectValues(b, [floats([5, 2], 0, 0, 0, 1.5, 0, 3, 0, 4.5, 0, 6), input]);
    },
  },
  {
    name: "runs: missing inputs are a coded error, and the executable stays usable",
    async run({ compile }) {
      const executable = await compile(LINEAR, [WEIGHT]);
      await expectCodedError(executable.run([]), "a run without inputs");
      await expectValues(await executable.run([ramp([5, 3])]), [floats([5, 2], ...answer(0)), ramp([5, 3])]);
    },
  },
  {
    name: "runs: inputs that do not fit are a coded error, and the executable stays usable",
    async run({ compile }) {
      const executable = await compile(LINEAR, [WEIGHT]);
      await expectCodedError(executable.run([ramp([5, 4])]), "a run with 4 columns instead of 3");
      await expectCodedError(
        executable.run([ints([5, 3], ...new Array(15).fill(1))]),
        "a run with int64 instead of float32",
      );
      await expectValues(await executable.run([ramp([5, 3])]), [floats([5, 2], ...answer(0)), ramp([5, 3])]);
    },
  },
  {
    name: "runs: an index out of range is a coded error, and the executable stays usable",
    async run({ compile }) {
      const executable = await compile(LOOKUP, [weightOf("table", ramp([3, 2]))]);
      await expectCodedError(executable.run([ints([2], 1, 3)]), "index 3 of 3 rows");
      await expectValues(await executable.run([ints([2], 2, 0)]), [floats([2, 2], 2, 2.5, 0, 0.5)]);
    },
  },
  {
    name: "runs: int64 keeps its range",
    async run({ compile, backend }) {
      if (backend.capabilities.narrowed?.int64 !== undefined) return;
      const executable = await compile(`program {
        user_input %x: i64[2]
        %y: i64[2] = aten::add.Tensor(%x, other=1)
        return %y
      }`);
      const big = hostTensor("int64", [2], BigInt64Array.of(9007199254740993n, -9007199254740995n));
      const outputs = await executable.run([big]);
      await expectValues(outputs, [hostTensor("int64", [2], BigInt64Array.of(9007199254740994n, -9007199254740994n))]);
    },
  },
  {
    name: "runs: an int64 that a narrower dtype does not have is a coded error",
    async run({ compile, backend }) {
      if (backend.capabilities.narrowed?.int64 === undefined) return;
      const text = "program {\n  user_input %x: i64[2]\n  %y: i64[2] = aten::add.Tensor(%x, other=1)\n  return %y\n}";
      const executable = await compile(text);
      const big = hostTensor("int64", [2], BigInt64Array.of(1n, 9007199254740994n));
      await expectCodedError(executable.run([big]), "an int64 beyond 2^53");
      await expectValues(await executable.run([ints([2], 1, -3)]), [ints([2], 2, -2)]);
    },
  },
  {
    name: "runs: numbers and None pass through",
    async run({ compile }) {
      const executable = await compile(`program {
        user_input %x: f32[4]
        return %x, 3, 2.5, true, none
      }`);
      await expectValues(await executable.run([ramp([4])]), [ramp([4]), 3, 2.5, true, null]);
    },
  },
  {
    name: "runs: profile returns the outputs and times its steps",
    async run({ compile }) {
      const executable = await compile(LINEAR, [WEIGHT]);
      const { outputs, steps, totalMs } = await executable.profile([ramp([5, 3])]);
      await expectValues(outputs, [floats([5, 2], ...answer(0)), ramp([5, 3])]);
      expectThat(steps.length > 0 && totalMs >= 0, "a profile has steps and a total");
      expectThat(
        steps.some(({ ops }) => ops.includes("aten::linear") || ops.length > 0),
        "a step names its ops",
      );
    },
  },
  {
    name: "runs: memory and explain answer",
    async run({ compile }) {
      const executable = await compile(LINEAR, [WEIGHT]);
      await executable.run([ramp([5, 3])]);
      const { weights, activations, reserved } = await executable.memory();
      expectThat(weights >= 24, `6 float32 weights are held in ${weights} bytes`);
      expectThat(reserved >= weights + activations, "what is reserved contains weights and activations");
      expectThat((await executable.explain()).length > 0, "explain returns text");
    },
  },
];
