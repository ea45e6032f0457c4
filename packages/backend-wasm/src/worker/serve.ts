import type { Cancellation, Progress, Value } from "@pt2/backend";
import type { FarStorages, SourceOrigin, Storage, WeightTensor } from "@pt2/format";
import { type Program, stats } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { atenOnDemand, builtInRegistry } from "@pt2/registry/on-demand";
import { WasmBackend } from "../backend.ts";
import type { WasmExecutable } from "../engine/executable.ts";
import type { Threads } from "../threads/thread-count.ts";
import { modelDisposed } from "../wasm-errors.ts";
import { cancellationOf } from "./cancel-flag.ts";
import type { Calls, FromWorker, Method, Port, ToWorker, WireValue, WireWeight } from "./protocol.ts";
import type { RuleAnswers, RuleQuestion, WireRules } from "./rule-messages.ts";
import { RunSlot } from "./run-slot.ts";
import { SlotServer } from "./serve-slot.ts";
import { fromWireError, toWireError } from "./wire-error.ts";
import { fromWire, toWire, transfersOf } from "./wire-values.ts";

/** A program in the worker, and what ends its runs. */
interface Served {
  readonly executable: WasmExecutable;
  readonly signal: Cancellation | undefined;
}

/** Reads `length` bytes at an origin into the WebAssembly memory. */
export type ReadOrigin = (origin: SourceOrigin, into: Uint8Array) => Promise<void>;

/**
 * Answers calls in a worker. Functions of users cannot cross threads: the rules of their ops are evaluated on the
 * calling thread, and kernels and handlers run there.
 */
export function serve(
  port: Port<FromWorker, ToWorker>,
  readOrigin: ReadOrigin,
  helpers: Pick<Threads, "start" | "caller">,
): void {
  let backend: WasmBackend;
  const builtIn = builtInRegistry(atenOnDemand);
  let slot: SlotServer | null = null;
  const executables = new Map<number, Served>();
  /** What is being made; the caller may give it up meanwhile. */
  const compiling = new Map<number, Promise<void>>();
  const reads = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>();
  const questions = new Map<number, { resolve(answers: RuleAnswers): void; reject(error: Error): void }>();
  let nextQuestion = 0;
  let nextRead = 0;
  let nextExpected = 0;

  const farOf = (executable: number): FarStorages => ({
    expect(storages) {
      const expected = nextExpected++;
      port.post({ kind: "expect-storages", expected, executable, storages });
      return () => port.post({ kind: "expect-no-more", expected });
    },
  });
  const storageOf = (
    executable: number,
    { storage }: WireWeight,
    origins: ReadonlyMap<string, SourceOrigin>,
    far: FarStorages,
  ): Storage => ({
    ...storage,
    ...(storage.isFar && { far }),
    async read({ into } = {}) {
      const origin = origins.get(storage.id);
      const target = into ?? new Uint8Array(storage.nbytes);
      if (origin !== undefined) {
        await readOrigin(origin, target.subarray(0, storage.nbytes));
        return target;
      }
      const read = nextRead++;
      const bytes = await new Promise<Uint8Array>((resolve, reject) => {
        reads.set(read, { resolve, reject });
        port.post({ kind: "read-storage", read, executable, storage: storage.id });
      });
      target.set(bytes);
      return target;
    },
  });
  const registryFor = async (executable: number, { graph }: Program, rules: WireRules | null): Promise<OpRegistry> => {
    const ask = (question: RuleQuestion): Promise<RuleAnswers> =>
      new Promise((resolve, reject) => {
        const questionId = nextQuestion++;
        questions.set(questionId, { resolve, reject });
        port.post({ kind: "ask-rule", questionId, executable, question });
      });
    const registry = rules === null ? builtIn : (await import("./rule-questions.ts")).remoteRegistry(rules, ask);
    await registry.load(stats(graph).map(({ op }) => op));
    return registry;
  };
  const get = (id: number): Served => {
    const executable = executables.get(id);
    if (executable === undefined) throw modelDisposed();
    return executable;
  };
  const run = async (id: number, inputs: readonly WireValue[]): Promise<readonly Value[]> => {
    const { executable, signal } = get(id);
    return await executable.run(inputs.map(fromWire), { signal });
  };

  const compile = async (args: Parameters<Calls["compile"]>[0]): Promise<void> => {
    const { executable, program, rules, weights, origins, precision, cancel } = args;
    const storages = new Map<string, Storage>();
    const table = new Map<string, WeightTensor>();
    const far = farOf(executable);
    for (const weight of weights) {
      const storage = storages.get(weight.storage.id) ?? storageOf(executable, weight, origins, far);
      storages.set(weight.storage.id, storage);
      table.set(weight.name, { ...weight, storage });
    }
    const request = {
      program,
      weights: table,
      registry: await registryFor(executable, program, rules),
      ...(precision === undefined ? {} : { precision }),
      onProgress: (progress: Progress) => port.post({ kind: "progress", executable, progress }),
      cancellation: cancellationOf(cancel),
    };
    const made = await backend.compile(request);
    executables.set(executable, { executable: made, signal: request.cancellation });
  };

  const methods: { readonly [M in Method]: (args: Parameters<Calls[M]>[0]) => Promise<ReturnType<Calls[M]>> } = {
    async unsupported({ executable, program, rules }) {
      return await backend.unsupported(program, await registryFor(executable, program, rules));
    },
    async compile(args) {
      const made = compile(args);
      compiling.set(args.executable, made);
      await made.finally(() => compiling.delete(args.executable));
    },
    async run({ executable, inputs }) {
      return (await run(executable, inputs)).map(toWire);
    },
    async profile({ executable: id, inputs }) {
      const { executable, signal } = get(id);
      const profile = await executable.profile(inputs.map(fromWire), { signal });
      return { ...profile, outputs: profile.outputs.map(toWire) };
    },
    async warmup({ executable: id, inputs }) {
      const { executable, signal } = get(id);
      await executable.warmup(inputs.map(fromWire), { signal });
    },
    async readState({ executable, targets }) {
      const state = await get(executable).executable.readState(targets);
      return [...state].map(([target, tensor]) => [target, toWire(tensor)] as const);
    },
    manualSeed: async ({ seed }) => backend.manualSeed(seed),
    memory: async ({ executable }) => await get(executable).executable.memory(),
    explain: async ({ executable }) => await get(executable).executable.explain(),
    async dispose({ executable }) {
      await compiling.get(executable)?.catch(() => {});
      await executables.get(executable)?.executable.dispose();
      executables.delete(executable);
    },
  };

  port.listen((message) => {
    slot?.countReceived();
    switch (message.kind) {
      case "threads":
        backend = new WasmBackend({ ...message, ...helpers });
        return;
      case "slot":
        slot = new SlotServer(new RunSlot(message.buffer), ({ executable, values }) => run(executable, values), port);
        return;
      case "look":
        slot?.answer();
        return;
      case "storage":
        reads.get(message.read)?.resolve(new Uint8Array(message.bytes));
        reads.delete(message.read);
        return;
      case "storage-failed":
        reads.get(message.read)?.reject(fromWireError(message.error));
        reads.delete(message.read);
        return;
      case "rule-answer":
        questions.get(message.questionId)?.resolve(message.answers);
        questions.delete(message.questionId);
        return;
      case "rule-failed":
        questions.get(message.questionId)?.reject(fromWireError(message.error));
        questions.delete(message.questionId);
        return;
      case "call": {
        const { id, method, args } = message;
        const answer = (methods[method] as (args: unknown) => Promise<unknown>)(args);
        answer.then(
          (value) =>
            port.post(
              { kind: "result", id, value },
              method === "run" ? transfersOf(value as readonly WireValue[]) : [],
            ),
          (error: unknown) => port.post({ kind: "error", id, error: toWireError(error) }),
        );
      }
    }
  });
  port.post({ kind: "ready" });
}
