import { readFile } from "node:fs/promises";
import type { Executable, HostTensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { foldSymbolicArithmetic, removeNoOps } from "@pt2/graph/passes";
import { createRegistry, effectsOf } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
// Its build for Node, which can start threads.
import * as ort from "onnxruntime-web";

/** One of the two runtimes with a model loaded. */
export interface Subject {
  run(): Promise<readonly ArrayLike<number | bigint>[]>;
  release(): Promise<void>;
}

const registry = createRegistry({ sets: [aten] });

/** Opens a program as a backend gets it, with its archive. */
export async function openProgram(path: string): Promise<{
  readonly archive: Awaited<ReturnType<typeof openArchive>>;
  readonly program: Program;
}> {
  const archive = await openArchive(await fromFile(path));
  const imported = removeNoOps(importProgram(await archive.program()));
  const effects = (op: string) => {
    const record = registry.resolve(op);
    return record === undefined ? undefined : effectsOf(record);
  };
  return { archive, program: foldSymbolicArithmetic(functionalize(imported, effects)) };
}

/** Compiles with the wasm backend on this thread, which has helpers where `threads` is more than 1. */
export async function compileHere(
  path: string,
  threads: number,
): Promise<{ readonly program: Program; readonly executable: Executable }> {
  const { archive, program } = await openProgram(path);
  const executable = await wasm({ worker: false, threads }).compile({
    program,
    weights: await archive.weights(),
    registry,
  });
  await archive.close();
  return { program, executable };
}

/** Makes a subject of a loaded program with its inputs. */
export function wasmSubject(executable: Executable, inputs: readonly HostTensor[]): Subject {
  return {
    run: async () => (await executable.run(inputs)).map((value) => (value as HostTensor).data),
    release: () => executable.dispose(),
  };
}

interface OnnxNames {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** A model in ONNX Runtime Web, which takes inputs of any sizes that it has. */
export interface OnnxModel {
  run(inputs: readonly HostTensor[]): Promise<readonly ArrayLike<number | bigint>[]>;
  release(): Promise<void>;
}

/**
 * Opens a model with ONNX Runtime Web on this thread, in WebAssembly with this many threads, which is the same for all
 * models of a process.
 */
export async function openOnnx(path: string, threads: number): Promise<OnnxModel> {
  ort.env.wasm.numThreads = threads;
  const names = JSON.parse(await readFile(`${path}.json`, "utf8")) as OnnxNames;
  const session = await ort.InferenceSession.create(new Uint8Array(await readFile(path)), {
    executionProviders: ["wasm"],
  });
  const feed = ({ dtype, shape, data }: HostTensor): ort.Tensor =>
    new ort.Tensor(dtype as "float32", data as Float32Array, shape);
  return {
    async run(inputs) {
      const results = await session.run(Object.fromEntries(inputs.map((each, i) => [names.inputs[i]!, feed(each)])));
      return names.outputs.map((name) => results[name]!.data as ArrayLike<number | bigint>);
    },
    release: () => session.release(),
  };
}

/** The same with its inputs. */
export async function onnxSubject(path: string, inputs: readonly HostTensor[], threads: number): Promise<Subject> {
  const { run, release } = await openOnnx(path, threads);
  return { run: () => run(inputs), release };
}
