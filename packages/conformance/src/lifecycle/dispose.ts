import { floats } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { expectCodedError, expectThat, expectValues, ramp } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const DOUBLE = `program {
  user_input %x: f32[3]
  %y: f32[3] = aten::mul.Tensor(%x, other=2)
  return %y
}`;

const WEIGHTED = `program {
  parameter "w" = %w: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::mul.Tensor(%x, other=%w)
  return %y
}`;

/** Cases for what may be freed when, and which errors follow. */
export const DISPOSE: readonly LifecycleCase[] = [
  {
    name: "dispose: an executable, twice",
    async run({ compile }) {
      const executable = await compile(DOUBLE);
      await executable.dispose();
      await executable.dispose();
      await expectCodedError(executable.run([ramp([3])]), "a run of a disposed executable");
    },
  },
  {
    name: "dispose: waits for runs under way",
    async run({ compile }) {
      const executable = await compile(DOUBLE);
      const runs = [executable.run([ramp([3])]), executable.run([ramp([3], 1)])];
      await executable.dispose();
      await expectValues(await runs[0]!, [floats([3], 0, 1, 2)]);
      await expectValues(await runs[1]!, [floats([3], 2, 3, 4)]);
    },
  },
  {
    name: "dispose: leaves other executables alone",
    async run({ compile }) {
      const [first, second] = [await compile(DOUBLE), await compile(DOUBLE)];
      await first.dispose();
      await expectValues(await second.run([ramp([3])]), [floats([3], 0, 1, 2)]);
    },
  },
  {
    name: "dispose: a backend at the end of `await using`",
    async run({ fresh, program, registry }) {
      const request = { program: program(DOUBLE), weights: new Map(), registry };
      const ended = await (async () => {
        await using backend = await fresh();
        await backend.compile(request);
        return backend;
      })();
      await expectCodedError(ended.compile(request), "compile after the backend was disposed");
    },
  },
  {
    name: "dispose: a backend, with its executables",
    async run({ fresh, program, registry }) {
      const backend = await fresh();
      const request = { program: program(DOUBLE), weights: new Map(), registry };
      const executable = await backend.compile(request);
      await backend.dispose();
      await expectCodedError(executable.run([ramp([3])]), "a run after the backend was disposed");
      await expectCodedError(backend.compile(request), "compile after the backend was disposed");
      await backend.dispose();
    },
  },
  {
    name: "dispose: a backend waits for runs under way",
    async run({ fresh, program, registry }) {
      const backend = await fresh();
      const request = { program: program(DOUBLE), weights: new Map(), registry };
      const [first, second] = [await backend.compile(request), await backend.compile(request)];
      const runs = [first.run([ramp([3])]), second.run([ramp([3], 1)]), first.run([ramp([3], 2)])];
      const disposed = backend.dispose();
      await expectCodedError(first.run([ramp([3])]), "a run while the backend is disposed");
      await expectCodedError(second.run([ramp([3])]), "a run of another executable while the backend is disposed");
      await disposed;
      for (const [i, run] of runs.entries()) await expectValues(await run, [floats([3], 2 * i, 2 * i + 1, 2 * i + 2)]);
      await first.dispose();
    },
  },
  {
    name: "dispose: a backend, several times at once",
    async run({ fresh, program, registry }) {
      const backend = await fresh();
      let closed = 0;
      const onDispose = async (): Promise<void> => void closed++;
      const request = { program: program(DOUBLE), weights: new Map(), registry, onDispose };
      const executable = await backend.compile(request);
      const run = executable.run([ramp([3])]);
      const disposals = [executable.dispose(), backend.dispose(), backend.dispose(), executable.dispose()];
      for (const disposal of disposals) {
        await disposal;
        expectThat(closed > 0, "dispose resolves before the source of the weights is closed");
      }
      await expectValues(await run, [floats([3], 0, 1, 2)]);
    },
  },
  {
    name: "dispose: a backend that compiles",
    async run({ fresh, program, registry }) {
      const backend = await fresh();
      const weights = new Map([["w", weightOf("w", ramp([3], 5))]]);
      const request = { program: program(WEIGHTED), weights, registry };
      const compiling = backend.compile(request);
      const refused = expectCodedError(compiling, "a compile whose backend is disposed");
      await backend.dispose();
      await refused;
    },
  },
  {
    name: "dispose: outputs stay readable",
    async run({ compile }) {
      const executable = await compile(DOUBLE);
      const outputs = await executable.run([ramp([3])]);
      await executable.run([ramp([3], 7)]);
      await executable.dispose();
      await expectValues(outputs, [floats([3], 0, 1, 2)]);
    },
  },
];
