import { readFile } from "node:fs/promises";
import type { Backend, HostTensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { torchvision as onLibtorch } from "@pt2/ops-torchvision/libtorch";
import { torchvision as onWasm } from "@pt2/ops-torchvision/wasm";
import type { OpSet } from "@pt2/registry";
import { loadDetector } from "@pt2/vision/node";
import * as node from "onnxruntime-node";
import * as web from "onnxruntime-web/wasm";
import { alternate, type Effort } from "../statistics.ts";
import { readTensors } from "../tensors.ts";

/** Boxes in pixels of a picture, the surest first. */
interface Boxes {
  readonly boxes: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

type Find = () => Promise<Boxes>;

/** What a runtime's session is used for here; both packages of ONNX Runtime have it. */
interface Session {
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, { readonly data: unknown }>>>;
}

/**
 * Milliseconds from the bytes of a picture of 640 x 480 to what SSDlite320 finds in it: with `@pt2/vision`, and with
 * ONNX Runtime, whose models resize the picture themselves. `bench_ssdlite.py` writes them. What is found must be what
 * PyTorch finds before anything is timed.
 */
export async function timeSsdlite(
  folder: string,
  threads: number,
  effort: Effort,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const path = `${folder}/ssdlite320`;
  const [picture] = (await readTensors(`${path}.inputs.safetensors`)) as readonly [HostTensor];
  const [boxes, scores] = await readTensors(`${path}.expected.safetensors`);
  const expected = { boxes: boxes!.data, scores: scores!.data } as Boxes;
  const subjects: Record<string, Find> = {
    "onnxruntime-node": await onnxNode(`${path}_first.onnx`, picture, threads),
    "onnxruntime-node, as exported": await onnxNode(`${path}.onnx`, picture, threads),
    libtorch: await ours(path, picture, await libtorch({ threads }), onLibtorch),
    ...(threads === 1 && {
      "onnxruntime-web": await onnxWeb(`${path}_first.onnx`, picture),
      "onnxruntime-web, as exported": await onnxWeb(`${path}.onnx`, picture),
      wasm: await ours(path, picture, wasm({ worker: false, threads: 1 }), onWasm),
    }),
  };
  for (const [name, find] of Object.entries(subjects)) compare(name, await find(), expected);
  return await alternate<string>(subjects, effort);
}

async function ours(path: string, picture: HostTensor, backend: Backend, ops: OpSet): Promise<Find> {
  const things = await loadDetector(`${path}.pt2`, { backend, ops: [ops] });
  const [height, width] = picture.shape as readonly [number, number];
  const image = { data: picture.data as Uint8Array<ArrayBuffer>, width, height, channels: 3 } as const;
  return async () => {
    const found = await things.detect(image);
    return { boxes: found.flatMap(({ box }) => [...box]), scores: found.map(({ score }) => score) };
  };
}

async function onnxNode(path: string, picture: HostTensor, threads: number): Promise<Find> {
  const options = { executionProviders: ["cpu"], intraOpNumThreads: threads, interOpNumThreads: 1 };
  const session = await node.InferenceSession.create(path, options);
  return finder(session, new node.Tensor("uint8", picture.data as Uint8Array, picture.shape));
}

async function onnxWeb(path: string, picture: HostTensor): Promise<Find> {
  web.env.wasm.numThreads = 1;
  const session = await web.InferenceSession.create(new Uint8Array(await readFile(path)), {
    executionProviders: ["wasm"],
  });
  return finder(session as unknown as Session, new web.Tensor("uint8", picture.data as Uint8Array, picture.shape));
}

function finder(session: unknown, picture: unknown): Find {
  return async () => {
    const { boxes, scores } = await (session as Session).run({ picture });
    return { boxes: boxes!.data as Float32Array, scores: scores!.data as Float32Array };
  };
}

/** Two runtimes round otherwise: a box on the edge of what is suppressed or taken may be missing, and others follow. */
const FEW = 0.02;

function compare(name: string, found: Boxes, expected: Boxes): void {
  const count = expected.scores.length;
  const isFound = (i: number): boolean => {
    for (let j = 0; j < found.scores.length; j++) {
      const apart = [0, 1, 2, 3].map((k) => Math.abs(found.boxes[4 * j + k]! - expected.boxes[4 * i + k]!));
      if (Math.max(...apart) < 0.1 && Math.abs(found.scores[j]! - expected.scores[i]!) < 1e-3) return true;
    }
    return false;
  };
  const missing = Array.from({ length: count }, (_, i) => i).filter((i) => !isFound(i)).length;
  if (found.scores.length !== count || missing > FEW * count) {
    throw new Error(`${name} found ${found.scores.length} boxes, and not ${missing} of PyTorch's ${count}`);
  }
}
