// Loads the native module and computes on every device there is; prints what came of it as JSON.
import { type LibtorchBackend, libtorch, loadAddon } from "@pt2/backend-libtorch/node";

const { addon } = await loadAddon();
const info = addon.info();
const computed: string[] = [];

async function compute(device: string): Promise<string | null> {
  let backend: LibtorchBackend;
  try {
    backend = await libtorch({ device });
  } catch (problem) {
    return (problem as { readonly code?: string }).code ?? String(problem);
  }
  const layout = { dtype: "float32", shape: [2], strides: [1], storageOffset: 0 } as const;
  const tensor = addon.tensor(addon.storage(new Uint8Array(Float32Array.of(1, 2).buffer)), layout, device);
  const [sum] = await addon.call("aten::sum", [{ name: "self", value: { kind: "tensor", tensor } }]);
  if (sum === null || typeof sum !== "object" || !("read" in sum)) throw new Error("aten::sum gave no tensor");
  const bytes = await sum.read();
  const value = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
  if (value !== 3) throw new Error(`1 + 2 is ${value} on ${device}`);
  computed.push(device);
  await backend.dispose();
  return null;
}

const failure = await compute("cpu");
if (failure !== null) throw new Error(failure);
const refused = await compute("cuda:0");
console.log(JSON.stringify({ info, computed, refused }));
process.exit(0);
