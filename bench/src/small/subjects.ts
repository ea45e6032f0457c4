import { readFile } from "node:fs/promises";
import type { Backend, HostTensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { load, type Model } from "@pt2/runtime/node";
import * as node from "onnxruntime-node";
import * as web from "onnxruntime-web/wasm";
import { readTensors, worstOf } from "../tensors.ts";

/** What can be compared. */
export const SUBJECTS = [
  "onnxruntime-node",
  "libtorch",
  "libtorch sync",
  "onnxruntime-web",
  "wasm",
  "wasm sync",
  "wasm worker",
] as const;
export type SubjectName = (typeof SUBJECTS)[number];

/** A call that makes the program's results. Its promise, if there is one, has to be awaited before the next. */
export type Call = () => unknown;

type Results = readonly ArrayLike<number | bigint>[];

/** The calls of one subject. */
interface Subject {
  readonly call: Call;
  results(): Promise<Results>;
}

interface Files {
  readonly path: string;
  readonly inputs: readonly HostTensor[];
}

/** One thread for each runtime, and one instance for all programs. */
export function openers(
  names: readonly SubjectName[],
): Readonly<Record<SubjectName, (files: Files) => Promise<Subject>>> {
  web.env.wasm.numThreads = 1;
  const native = names.some((name) => name.startsWith("libtorch")) ? libtorch({ threads: 1 }) : null;
  const here = wasm({ worker: false, threads: 1 });
  const worker = names.includes("wasm worker") ? wasm({ threads: 1 }) : null;
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  return {
    "onnxruntime-node": ({ path, inputs }) =>
      onnx(path, inputs, node.Tensor, (bytes) =>
        node.InferenceSession.create(bytes, { ...options, executionProviders: ["cpu"] }),
      ),
    "onnxruntime-web": ({ path, inputs }) =>
      onnx(path, inputs, web.Tensor, (bytes) => web.InferenceSession.create(bytes, { executionProviders: ["wasm"] })),
    libtorch: async (files) => awaited(files, (await native)!),
    "libtorch sync": async (files) => sync(files, (await native)!),
    wasm: (files) => awaited(files, here),
    "wasm sync": (files) => sync(files, here),
    "wasm worker": (files) => awaited(files, worker!),
  };
}

/** Opens a program for each subject. Refuses results that are not PyTorch's. */
export async function openCalls<Name extends SubjectName>(
  path: string,
  names: readonly Name[],
  open: ReturnType<typeof openers>,
): Promise<Readonly<Record<Name, Call>>> {
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  const expected = await readTensors(`${path}.expected.safetensors`);
  const calls: [Name, Call][] = [];
  for (const name of names) {
    const subject = await open[name]({ path, inputs });
    const results = await subject.results();
    const error = worstOf(results, expected);
    if (!(error <= 1)) throw new Error(`${path}: ${name} differs from PyTorch, ${error} of the tolerance`);
    calls.push([name, subject.call]);
  }
  return Object.fromEntries(calls) as Record<Name, Call>;
}

const leavesOf = (result: unknown): Results =>
  (Array.isArray(result) ? result : [result]).map((tensor: HostTensor) => tensor.data as ArrayLike<number>);

async function awaited({ path, inputs }: Files, backend: Backend): Promise<Subject> {
  const model: Model = await load(`${path}.pt2`, { backend });
  const call = () => model.forward(...inputs);
  return { call, results: async () => leavesOf(await call()) };
}

async function sync({ path, inputs }: Files, backend: Backend): Promise<Subject> {
  const model: Model = await load(`${path}.pt2`, { backend });
  const call = () => model.forwardSync!(...inputs);
  return { call, results: async () => leavesOf(call()) };
}

interface Session<T> {
  run(feeds: Readonly<Record<string, T>>): Promise<Readonly<Record<string, { readonly data: unknown }>>>;
}

async function onnx<T>(
  path: string,
  inputs: readonly HostTensor[],
  Tensor: new (type: "float32", data: Float32Array, shape: number[]) => T,
  create: (bytes: Uint8Array) => Promise<unknown>,
): Promise<Subject> {
  const session = (await create(await readFile(`${path}.onnx`))) as Session<T>;
  const names = JSON.parse(await readFile(`${path}.onnx.json`, "utf8")) as Record<"inputs" | "outputs", string[]>;
  const feeds = Object.fromEntries(
    inputs.map(({ dtype, data, shape }, i) => [
      names.inputs[i]!,
      new Tensor(dtype as "float32", data as Float32Array, [...shape]),
    ]),
  );
  const call = () => session.run(feeds);
  return {
    call,
    async results() {
      const results = await call();
      return names.outputs.map((name) => results[name]!.data as ArrayLike<number>);
    },
  };
}
