import type { HostTensor } from "@pt2/backend";

/** The runtimes that are compared; this project is the first. */
export const KINDS = ["pt2", "onnx", "onnx nchw", "onnx fused", "jax-js", "tfjs"] as const;
export type Kind = (typeof KINDS)[number];

/** What a subject computes a row from. */
export interface RowFiles {
  /** The path of the row's files without their endings. */
  readonly path: string;
  readonly inputs: readonly HostTensor[];
  /** The weight of a single operation, then its bias, as far as it has them. */
  readonly weights: readonly HostTensor[];
}

/** A row that one runtime is ready to compute. */
export interface Subject {
  /** Runs from inputs in host memory to results in host memory; weights are on the device. */
  run(): Promise<readonly ArrayLike<number | bigint>[]>;
  /** Returns results in PyTorch's order of elements, where the runtime has another one. */
  arrange?(outputs: readonly ArrayLike<number | bigint>[]): readonly ArrayLike<number | bigint>[];
  /** The dispatches of a run, where the runtime reports them. */
  readonly dispatches?: number;
}

/** Makes a subject of a row; null where the runtime has no way to compute it. */
export type OpenSubject = (row: string, files: RowFiles) => Promise<Subject | null>;
