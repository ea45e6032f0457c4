import type { Backend, Executable, HostTensor } from "@pt2/backend";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { prepare } from "@pt2/runtime";
import { median } from "../median.ts";
import type { SizedProgram } from "./programs.ts";

/** Milliseconds of calls whose size is new, and of calls with the size of the call before. */
export interface SizeTimes {
  /** The first call of all, which plans everything, reads the weights, and compiles. */
  readonly first: number;
  /** Elapsed, medians over all sizes. */
  readonly fresh: number;
  readonly again: number;
  /** The median over all sizes of (fresh - again) / again, by the time that this process computes. */
  readonly share: number;
}

/** Calls a program with one size after the other: each twice, and a third time whose time counts. */
export async function measureSizes(
  backend: Backend,
  path: string,
  { size, inputs }: SizedProgram,
  count: number,
): Promise<SizeTimes> {
  const { program, executable } = await open(backend, path);
  const [first] = await timed(executable, inputs(program, size(count)));
  // Code is compiled in tiers.
  for (let i = count + 1; i < count + 8; i++) await executable.run(inputs(program, size(i)));
  const calls: (readonly [number, number, number])[] = [];
  for (let i = 0; i < count; i++) {
    const given = inputs(program, size(i));
    const [fresh, freshCpu] = await timed(executable, given);
    await executable.run(given);
    const [again, againCpu] = await timed(executable, given);
    calls.push([fresh, again, (freshCpu - againCpu) / againCpu]);
  }
  await executable.dispose();
  const middle = (at: 0 | 1 | 2): number => median(calls.map((call) => call[at]));
  return { first, fresh: middle(0), again: middle(1), share: middle(2) };
}

async function timed(executable: Executable, inputs: readonly HostTensor[]): Promise<readonly [number, number]> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  for (const result of await executable.run(inputs)) await read(result);
  return [performance.now() - start, process.cpuUsage(cpu).user / 1000];
}

/** Waits for a result that is on a device. */
async function read(result: unknown): Promise<void> {
  const onDevice = result as { readonly read?: () => Promise<unknown> };
  await onDevice.read?.();
}

async function open(
  backend: Backend,
  path: string,
): Promise<{ readonly program: Program; readonly executable: Executable }> {
  const archive = await openArchive(await fromFile(path));
  const registry = createRegistry({ sets: [aten] });
  const program = await prepare(importProgram(await archive.program()), registry, backend.capabilities);
  const executable = await backend.compile({
    program,
    weights: await archive.weights(),
    registry,
    precision: "fast",
  });
  return { program, executable };
}
