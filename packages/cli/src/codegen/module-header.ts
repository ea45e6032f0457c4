/** Names that every function of the file sees. */
export const NAMES: readonly string[] = [
  "aten",
  "weights",
  "below",
  "readWeights",
  "readTensors",
  "expects",
  "real",
  "Aten",
  "Tensor",
  "Weights",
  "State",
  "Namespace",
  "i",
];

/** What a generated file begins with; `writes` says that the program writes to buffers. */
export function header(hasNamespaces: boolean, writes: boolean): string {
  const types = ["Aten", ...(hasNamespaces ? ["Namespace"] : [])];
  const state = `
/** The weights, of which calls write some. */
export interface State extends Weights {
  write(name: string, tensor: Tensor): void;
}
`;
  const returned = `(name${writes ? ": string" : ""}) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(\`The file has no weight \${name}\`);
    return tensor;
  }`;
  return `import type { Backend } from "@pt2/backend";
import type { ${types.join(", ")} } from "@pt2/eager";
import { type ModelSource, readWeights as readTensors, type Tensor } from "@pt2/runtime";

/** Returns a weight by its name below a module. */
export type Weights = (name: string) => Tensor;
${writes ? state : ""}
/** Reads the weights of the program's file, to where the backend computes. */
export async function readWeights(source: ModelSource, backend: Backend): Promise<${writes ? "State" : "Weights"}> {
  const tensors = new Map<string, Tensor>();
  for await (const [name, tensor] of readTensors(source)) {
    tensors.set(name, (await backend.upload?.(tensor)) ?? tensor);
  }
${
  writes
    ? `  const weights = ${returned};
  return Object.assign(weights, { write: (name: string, tensor: Tensor) => void tensors.set(name, tensor) });`
    : `  return ${returned};`
}
}
`;
}

/** Functions that a file has if it calls them, by the beginning of a call. */
export const HELPERS: ReadonlyMap<string, string> = new Map([
  [
    "below(",
    `/** Returns the weights below a module. */
function below(weights: Weights, path: string): Weights {
  return (name) => weights(\`\${path}.\${name}\`);
}
`,
  ],
  [
    "expects(",
    `/** Refuses an input that the program was not made for; a size that is null may be any. */
function expects(name: string, { dtype, shape }: Tensor, wanted: string, sizes: readonly (number | null)[]): void {
  const fits = shape.length === sizes.length && sizes.every((size, i) => size === null || size === shape[i]);
  if (fits && dtype === wanted) return;
  const all = sizes.map((size) => size ?? "any").join(", ");
  throw new RangeError(\`Input \${name} is \${dtype} [\${shape.join(", ")}] but must be \${wanted} [\${all}]\`);
}
`,
  ],
  [
    "real(",
    `/** Refuses what is no real number, such as what a division by zero gives. */
function real(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError("A size has no value, such as a division by zero");
}
`,
  ],
]);
