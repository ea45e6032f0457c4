import type { Backend, Executable } from "@pt2/backend";
import type { OpRegistry } from "@pt2/registry";
import type { Exceptions } from "../exceptions.ts";
import { programFor } from "../program-for.ts";
import type { TestRunner } from "../test-runner.ts";
import { ABORT } from "./abort.ts";
import { BUFFERS } from "./buffers.ts";
import { CONTROL } from "./control.ts";
import { DISPOSE } from "./dispose.ts";
import { DYNAMIC } from "./dynamic.ts";
import type { LifecycleCase, LifecycleTools } from "./lifecycle-case.ts";
import { RUNS } from "./runs.ts";
import { SIZES } from "./sizes.ts";
import { UNSUPPORTED } from "./unsupported.ts";

/** The arguments of {@link testLifecycle}. */
export interface LifecycleSetup {
  readonly runner: TestRunner;
  readonly backend: () => Promise<Backend>;
  readonly factory: () => Backend | Promise<Backend>;
  readonly registry: OpRegistry;
  readonly skip: Exceptions;
}

const CASES: readonly LifecycleCase[] = [
  ...RUNS,
  ...BUFFERS,
  ...ABORT,
  ...DISPOSE,
  ...DYNAMIC,
  ...SIZES,
  ...CONTROL,
  ...UNSUPPORTED,
];

/** The names of the lifecycle cases. */
export const LIFECYCLE: readonly string[] = CASES.map(({ name }) => name);

/** Defines the tests of the lifecycle cases. */
export function testLifecycle({ runner, backend, factory, registry, skip }: LifecycleSetup): void {
  const { describe, it } = runner;
  describe("lifecycle", () => {
    for (const { name, needs, run } of CASES) {
      it(name, async (context) => {
        if (skip[name] !== undefined) return context.skip(skip[name]);
        const shared = await backend();
        // A backend without the capability does not make this promise.
        if (needs !== undefined && !shared.capabilities[needs]) return;
        const executables: Executable[] = [];
        const tools = toolsOf(shared, registry, factory, executables);
        try {
          await run(tools);
        } finally {
          for (const executable of executables) await executable.dispose();
        }
      });
    }
  });
}

function toolsOf(
  backend: Backend,
  registry: OpRegistry,
  factory: () => Backend | Promise<Backend>,
  executables: Executable[],
): LifecycleTools {
  const program: LifecycleTools["program"] = (text) => programFor(backend, text, registry);
  return {
    backend,
    registry,
    fresh: async () => factory(),
    program,
    async compile(text, weights = [], signal) {
      const executable = await backend.compile({
        program: program(text),
        weights: new Map(weights.map((weight) => [weight.name, weight])),
        registry,
        ...(signal === undefined ? {} : { signal }),
      });
      executables.push(executable);
      return executable;
    },
  };
}
