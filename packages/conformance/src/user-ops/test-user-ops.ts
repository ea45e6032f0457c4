import type { Backend, Executable, HostTensor } from "@pt2/backend";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import type { Exceptions } from "../exceptions.ts";
import { expectCodedError, expectThat, expectValues } from "../lifecycle/expectations.ts";
import { programFor } from "../program-for.ts";
import type { TestRunner } from "../test-runner.ts";
import { COMPUTED } from "./computed.ts";
import { HANDLED } from "./handled.ts";
import { IN_PLACE } from "./in-place.ts";
import { KERNELS } from "./kernels.ts";
import { MISTAKES } from "./mistakes.ts";
import { PRECEDENCE } from "./precedence.ts";
import { REPLACED } from "./replaced.ts";
import { SCALAR_FUNCTIONS } from "./scalar-functions.ts";
import type { UserOpsCase } from "./user-ops-case.ts";
import { VIEWS } from "./views.ts";

/** The arguments of {@link testUserOps}. */
export interface UserOpsSetup {
  readonly runner: TestRunner;
  readonly backend: () => Promise<Backend>;
  readonly skip: Exceptions;
  /** A kernel in the form of this backend that doubles a float32 tensor: `mine::twice(Tensor self) -> Tensor`. */
  readonly kernel: unknown;
}

const CASES: readonly UserOpsCase[] = [
  ...IN_PLACE,
  ...VIEWS,
  ...REPLACED,
  ...HANDLED,
  ...COMPUTED,
  ...MISTAKES,
  ...SCALAR_FUNCTIONS,
];

/** The names of the cases of users' ops. */
export const USER_OPS: readonly string[] = [...CASES, ...withKernel("")].map(({ name }) => name);

/** Defines the tests of ops that users define: they have the same results on every backend. */
export function testUserOps({ runner, backend, skip, kernel }: UserOpsSetup): void {
  const { describe, it } = runner;
  describe("ops of users", () => {
    for (const each of CASES) {
      it(each.name, async (context) => {
        if (skip[each.name] !== undefined) return context.skip(skip[each.name]);
        const shared = await backend();
        // A backend without the capability does not make this promise.
        if (each.handlers !== undefined && shared.capabilities.handlers !== true) return;
        await runUserOps(each, shared, undefined);
      });
    }
    for (const { name, handlers } of withKernel("")) {
      it(name, async (context) => {
        if (skip[name] !== undefined) return context.skip(skip[name]);
        if (kernel === undefined) return context.skip("no `kernel` was given in the form of this backend");
        const shared = await backend();
        if (handlers !== undefined && shared.capabilities.handlers !== true) return;
        await runUserOps(withKernel(shared.name).find((each) => each.name === name)!, shared, kernel);
      });
    }
  });
}

/** Returns the cases that need a kernel in the form of a backend. */
function withKernel(backend: string): readonly UserOpsCase[] {
  return [...KERNELS(backend), ...PRECEDENCE(backend)];
}

async function runUserOps(each: UserOpsCase, backend: Backend, kernel: unknown): Promise<void> {
  const { sets = [], handlers = [], weights = [], runs = [], refused } = each;
  const given = typeof sets === "function" ? sets(kernel) : sets;
  const work = async (): Promise<void> => {
    const registry = createRegistry({ sets: [aten, ...given], handlers });
    const program = programFor(backend, each.program, registry);
    const executable = await backend.compile({
      program,
      weights: new Map(weights.map((weight) => [weight.name, weight])),
      registry,
    });
    try {
      for (const { inputs, outputs } of runs) {
        await expectValues(await executable.run(inputs), outputs);
        // A further run of a program with buffers would write to them again.
        if (weights.length === 0) await expectObserved(executable, inputs, outputs);
      }
    } finally {
      await executable.dispose();
    }
  };
  if (refused === undefined) return await work();
  const error = (await expectCodedError(work(), each.name)) as Error & { readonly code: string };
  expectThat(error.code === (refused.code ?? error.code), `it is refused with ${error.code}: ${error.message}`);
  expectThat(refused.message.test(error.message), `the error has the message: ${error.message}`);
}

/** Traced runs have the same results, and profiled runs end. */
async function expectObserved(
  executable: Executable,
  inputs: readonly HostTensor[],
  outputs: readonly HostTensor[],
): Promise<void> {
  await executable.profile(inputs);
  const traced = await executable.trace?.(inputs, () => {});
  if (traced !== undefined) await expectValues(traced, outputs);
}
