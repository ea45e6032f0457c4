import type { Progress } from "@pt2/backend";
import type { FarStorages, SourceOrigin, Storage, WeightTensor } from "@pt2/format";
import { type Program, stats } from "@pt2/graph";
import { atenOnDemand, builtInRegistry, loading } from "@pt2/registry/on-demand";
import { WasmBackend } from "../backend.ts";
import type { WasmExecutable } from "../engine/executable.ts";
import { modelDisposed } from "../wasm-errors.ts";
import { cancellationOf } from "./cancel-flag.ts";
import {
  type Calls,
  type FromWorker,
  fromWireError,
  type Method,
  type Port,
  type ToWorker,
  toWireError,
  type WireValue,
  type WireWeight,
} from "./protocol.ts";
import { fromWire, toWire, transfersOf } from "./wire-values.ts";

/** Reads `length` bytes at an origin into the WebAssembly memory. */
export type ReadOrigin = (origin: SourceOrigin, into: Uint8Array) => Promise<void>;

/** Answers calls in a worker. Only PyTorch's own ops run here: functions of users cannot cross threads. */
export function serve(port: Port<FromWorker, ToWorker>, readOrigin: ReadOrigin): void {
  const backend = new WasmBackend();
  const registry = builtInRegistry(atenOnDemand);
  const executables = new Map<number, WasmExecutable>();
  const reads = new Map<number, { resolve(bytes: Uint8Array): void; reject(error: Error): void }>();
  /** What `unsupported` was asked about last. */
  let kept: Program | null = null;
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
  const loadOps = ({ graph }: Program): Promise<void> => registry.load(stats(graph).map(({ op }) => op));
  const get = (id: number): WasmExecutable => {
    const executable = executables.get(id);
    if (executable === undefined) throw modelDisposed();
    return executable;
  };

  const methods: { readonly [M in Method]: (args: Parameters<Calls[M]>[0]) => Promise<ReturnType<Calls[M]>> } = {
    async unsupported({ program }) {
      kept = program;
      await loadOps(program);
      return await backend.unsupported(program, registry);
    },
    async compile({ executable, program: given, weights, origins, precision, cancel }) {
      const program = given ?? kept!;
      kept = null;
      const storages = new Map<string, Storage>();
      const table = new Map<string, WeightTensor>();
      const far = farOf(executable);
      for (const weight of weights) {
        const storage = storages.get(weight.storage.id) ?? storageOf(executable, weight, origins, far);
        storages.set(weight.storage.id, storage);
        table.set(weight.name, { ...weight, storage });
      }
      await loadOps(program);
      const request = {
        program,
        weights: table,
        registry,
        ...(precision === undefined ? {} : { precision }),
        onProgress: (progress: Progress) => port.post({ kind: "progress", executable, progress }),
        cancellation: cancellationOf(cancel),
      };
      const made = await loading(() => backend.compile(request));
      executables.set(executable, made);
    },
    async run({ executable, inputs, cancel }) {
      const signal = cancellationOf(cancel);
      return (await loading(() => get(executable).run(inputs.map(fromWire), { signal }))).map(toWire);
    },
    async profile({ executable, inputs, cancel }) {
      const signal = cancellationOf(cancel);
      const profile = await loading(() => get(executable).profile(inputs.map(fromWire), { signal }));
      return { ...profile, outputs: profile.outputs.map(toWire) };
    },
    warmup: ({ executable, inputs, cancel }) =>
      loading(() => get(executable).warmup(inputs.map(fromWire), { signal: cancellationOf(cancel) })),
    memory: ({ executable }) => get(executable).memory(),
    explain: ({ executable }) => get(executable).explain(),
    async dispose({ executable }) {
      await executables.get(executable)?.dispose();
      executables.delete(executable);
    },
  };

  port.listen((message) => {
    switch (message.kind) {
      case "storage":
        reads.get(message.read)?.resolve(message.bytes);
        reads.delete(message.read);
        return;
      case "storage-failed":
        reads.get(message.read)?.reject(fromWireError(message.error));
        reads.delete(message.read);
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
