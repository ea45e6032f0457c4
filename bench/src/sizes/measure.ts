import type { Backend, Executable, HostTensor } from "@pt2/backend";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { prepare } from "@pt2/runtime";
import { median } from "../statistics.ts";
import { type OnnxModel, openOnnx } from "../subjects.ts";
import type { SizedProgram } from "./programs.ts";

/** Milliseconds of calls whose size is new, and of calls with the size of the call before. */
export interface SizeTimes {
  /** The first call of all, which plans everything, reads the weights, and compiles. */
  readonly first: number;
  /** Elapsed, medians over all sizes. */
  readonly fresh: number;
  readonly again: number;
  /**
   * (fresh - again) / again of all sizes together, by the time that this process computes: of a single call it is known to a
   * tick of the system alone, which may be longer.
   */
  readonly share: number;
  /** ONNX Runtime Web's calls whose size is new, where it was opened, and the median of the sizes' ratios to them. */
  readonly peer?: { readonly fresh: number; readonly ratio: number };
}

/**
 * Calls a program with one size after the other: each twice, and a third time whose time counts. The model of `onnx` gets
 * each size once, in turns before and after the program.
 */
export async function measureSizes(
  backend: Backend,
  path: string,
  { size, inputs }: SizedProgram,
  { count, onnx }: { readonly count: number; readonly onnx: string | null },
): Promise<SizeTimes> {
  const { program, executable } = await open(backend, path);
  const [first] = await timed(executable, inputs(program, size(count)));
  const peer = onnx === null ? null : await openOnnx(onnx, 1);
  if (peer !== null) await checkAgreement(executable, peer, inputs(program, size(count)));
  // Code is compiled in tiers.
  for (let i = count + 1; i < count + 8; i++) {
    await executable.run(inputs(program, size(i)));
    await peer?.run(inputs(program, size(i)));
  }
  const calls: { fresh: number; again: number; freshCpu: number; againCpu: number; peer: number }[] = [];
  for (let i = 0; i < count; i++) {
    const given = inputs(program, size(i));
    const peerFirst = i % 2 === 0 ? await elapsed(peer, given) : 0;
    const [fresh, freshCpu] = await timed(executable, given);
    const peerLast = i % 2 === 0 ? 0 : await elapsed(peer, given);
    await executable.run(given);
    const [again, againCpu] = await timed(executable, given);
    calls.push({ fresh, again, freshCpu, againCpu, peer: peerFirst + peerLast });
  }
  await executable.dispose();
  await peer?.release();
  const sum = (of: (call: (typeof calls)[number]) => number): number => calls.reduce((all, call) => all + of(call), 0);
  const middle = (of: (call: (typeof calls)[number]) => number): number => median(calls.map(of));
  return {
    first,
    fresh: middle((call) => call.fresh),
    again: middle((call) => call.again),
    share: sum((call) => call.freshCpu) / sum((call) => call.againCpu) - 1,
    ...(peer !== null && {
      peer: { fresh: middle((call) => call.peer), ratio: middle((call) => call.fresh / call.peer) },
    }),
  };
}

/** Milliseconds of a call of the peer; none without one. */
async function elapsed(peer: OnnxModel | null, inputs: readonly HostTensor[]): Promise<number> {
  const start = performance.now();
  await peer?.run(inputs);
  return peer === null ? 0 : performance.now() - start;
}

/** Fails if the first results of both differ by more than rtol 1e-3 and atol 1e-3. */
async function checkAgreement(executable: Executable, peer: OnnxModel, inputs: readonly HostTensor[]): Promise<void> {
  const ours = ((await executable.run(inputs))[0] as HostTensor).data as ArrayLike<number>;
  const theirs = (await peer.run(inputs))[0] as ArrayLike<number>;
  for (let i = 0; i < theirs.length; i++) {
    if (!(Math.abs(ours[i]! - theirs[i]!) <= 1e-3 + 1e-3 * Math.abs(theirs[i]!))) {
      throw new Error(`Element ${i} is ${ours[i]} here and ${theirs[i]} in ONNX Runtime`);
    }
  }
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
