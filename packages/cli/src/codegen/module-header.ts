/** Names that every function of the file sees. */
export const NAMES: readonly string[] = [
  "aten",
  "weights",
  "below",
  "readWeights",
  "readTensors",
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

export const BELOW = `/** Returns the weights below a module. */
function below(weights: Weights, path: string): Weights {
  return (name) => weights(\`\${path}.\${name}\`);
}
`;
