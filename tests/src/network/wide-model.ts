import { readFile } from "node:fs/promises";
import {
  archiveToBytes,
  contiguousStrides,
  formatProgram,
  fromBytes,
  numel,
  openArchive,
  parseProgram,
  type WeightTensor,
} from "@pt2/format";
import { fixturePath } from "../fixture.ts";

const WIDTH = 100_003;

/**
 * Makes the fixture `mlp` with a hidden layer so wide that its four weights take 4.4 MB: more than is read of a file at
 * once.
 */
export async function wideModel(): Promise<Uint8Array> {
  const archive = await openArchive(fromBytes(new Uint8Array(await readFile(fixturePath("torch-2.13/mlp.pt2")))));
  const weights = await archive.weights();
  const hidden = weights.get("a.weight")!.shape[0]!;
  const json = formatProgram(await archive.program());
  const wide = json.replaceAll(new RegExp(`("as_int":\\s*)${hidden}(?!\\d)`, "g"), `$1${WIDTH}`);
  const program = parseProgram(new TextEncoder().encode(wide), "mlp");
  const widened = [...weights].map(([name, weight], i): [string, WeightTensor] => {
    const shape = weight.shape.map((size) => (size === hidden ? WIDTH : size));
    const elements = Float32Array.from({ length: numel(shape) }, (_, at) => Math.sin(at + i) / 8);
    const bytes = new Uint8Array(elements.buffer);
    const storage = { id: name, entry: name, nbytes: bytes.byteLength, read: async () => bytes };
    return [name, { ...weight, shape, strides: contiguousStrides(shape), storageOffset: 0, storage }];
  });
  return archiveToBytes({ models: [{ program, weights: new Map(widened) }] });
}
