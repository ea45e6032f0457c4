import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  BACKEND_API_VERSION,
  type Backend,
  type CompileRequest,
  type Executable,
  unsupportedOps,
  type Value,
} from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { type ByteSource, fromBytes, readSafetensors } from "@pt2/format";
import { type RecordedKind, recordedFile } from "@pt2/testing/recorded-file";
import { type HostTensor, type LoadOptions, load, type Model, tensor } from "./node.ts";

const FOLDER = new URL("../../../tests/fixtures/", import.meta.url);

/** Path of a fixture's file, such as `torch-2.13/mlp.pt2`. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(name, FOLDER));
}

/** Bytes of a fixture's file. */
export async function fixtureBytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(fixturePath(name)));
}

/** A fixture on the wasm backend. */
export async function loadFixture(name: string, options: Partial<LoadOptions> = {}): Promise<Model> {
  return await load(fixturePath(`${name}.pt2`), { backend: wasm({ worker: false }), ...options });
}

/** Tensors by position, of `inputs` or `expected`. */
export async function fixtureTensors(name: string, kind: RecordedKind): Promise<readonly HostTensor[]> {
  const { tensors } = await readSafetensors(
    fromBytes(new Uint8Array(await readFile(recordedFile(fixturePath(name), kind)))),
  );
  return [...tensors.values()].map(({ dtype, shape, bytes }) =>
    tensor(
      dtype,
      shape,
      dtype === "float32" ? new Float32Array(bytes.slice().buffer) : new BigInt64Array(bytes.slice().buffer),
    ),
  );
}

/** A source that counts how often it is closed. */
export function countingSource(bytes: Uint8Array): ByteSource & { readonly closed: () => number } {
  let closed = 0;
  return {
    ...fromBytes(bytes),
    close: async () => {
      closed++;
    },
    closed: () => closed,
  };
}

/** A backend that computes nothing. */
export function idleBackend(parts: Partial<Backend> = {}): Backend & { readonly requests: readonly CompileRequest[] } {
  const requests: CompileRequest[] = [];
  return {
    name: "idle",
    apiVersion: BACKEND_API_VERSION,
    capabilities: { dtypes: ["float32"] },
    unsupported: async () => [],
    async compile(request) {
      const missing = (await parts.unsupported?.(request.program, request.registry)) ?? [];
      if (missing.length > 0) throw unsupportedOps("idle", request.program, missing);
      requests.push(request);
      return idleExecutable();
    },
    dispose: async () => {},
    [Symbol.asyncDispose]: async () => {},
    ...parts,
    requests,
  };
}

function idleExecutable(): Executable {
  const run = async (inputs: readonly Value[]): Promise<readonly Value[]> => inputs;
  return {
    run,
    profile: async (inputs) => ({ outputs: await run(inputs), steps: [], totalMs: 0 }),
    memory: async () => ({ weights: 0, activations: 0, reserved: 0 }),
    explain: async () => "",
    dispose: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
