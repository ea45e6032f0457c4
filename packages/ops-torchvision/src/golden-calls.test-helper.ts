import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { fromBytes, readSafetensors } from "@pt2/format";
import { HostTensor } from "@pt2/runtime/node";

/** A call that torchvision's own kernel computed. */
export interface GoldenCall {
  readonly title: string;
  /** The name of the op without its namespace. */
  readonly op: string;
  readonly tensors: Readonly<Record<string, HostTensor>>;
  readonly numbers: Readonly<Record<string, number | boolean>>;
  readonly results: readonly HostTensor[];
  /** A gradient of the first result; null where none was asked for. */
  readonly grad: HostTensor | null;
  /** What follows from it for the tensors. */
  readonly gradients: Readonly<Record<string, HostTensor>>;
}

interface Described {
  readonly op: string;
  readonly tensors: readonly string[];
  readonly numbers: Readonly<Record<string, number | boolean>>;
}

/** Reads what `scripts/python/torchvision_goldens.py` wrote. */
export async function goldenCalls(name: string): Promise<readonly GoldenCall[]> {
  const file = fileURLToPath(new URL(`./${name}.golden.safetensors`, import.meta.url));
  const { tensors, metadata } = await readSafetensors(fromBytes(new Uint8Array(await readFile(file))));
  const calls: readonly Described[] = JSON.parse(metadata.get("calls")!);
  const tensor = (key: string): HostTensor => {
    const { dtype, shape, bytes } = tensors.get(key)!;
    return new HostTensor(dtype, shape, bytes.slice());
  };
  return calls.map(({ op, tensors: names, numbers }, at) => {
    const given = Object.fromEntries(names.map((key) => [key, tensor(`${at}.${key}`)]));
    const results: HostTensor[] = [];
    while (tensors.has(`${at}.result.${results.length}`)) results.push(tensor(`${at}.result.${results.length}`));
    const withGradient = names.filter((key) => tensors.has(`${at}.grad.${key}`));
    const shapes = names.map((key) => `${key} ${given[key]!.dtype} [${given[key]!.shape}]`);
    return {
      title: `${at}: ${op}, ${shapes.join(", ")}, ${JSON.stringify(numbers)}`,
      op: op.replace("torchvision::", ""),
      tensors: given,
      numbers,
      results,
      grad: tensors.has(`${at}.grad`) ? tensor(`${at}.grad`) : null,
      gradients: Object.fromEntries(withGradient.map((key) => [key, tensor(`${at}.grad.${key}`)])),
    };
  });
}
