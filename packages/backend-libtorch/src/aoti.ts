import type { Tensor } from "@pt2/backend";
import type { Addon, NativeAoti } from "./addon.ts";
import { fromNative, located } from "./native-failure.ts";
import { fromTensor, type Outputs, toTensor } from "./native-tensor.ts";

/** How an AOTInductor package is opened. */
export interface AotiOptions {
  /** The name of the model in the package. @default "model" */
  readonly model?: string;
  /** How many runs may overlap. @default 1 */
  readonly runners?: number;
}

/** A model that AOTInductor compiled to native code, run by libtorch's own loader. */
export class AotiModel {
  readonly metadata: Readonly<Record<string, string>>;
  readonly constantNames: readonly string[];
  readonly #native: NativeAoti;
  readonly #addon: Pick<Addon, "storage" | "tensor">;
  readonly #device: string;
  readonly #outputs: Outputs;

  constructor(native: NativeAoti, addon: Pick<Addon, "storage" | "tensor">, device: string, outputs: Outputs) {
    this.metadata = native.metadata;
    this.constantNames = native.constantNames;
    this.#native = native;
    this.#addon = addon;
    this.#device = device;
    this.#outputs = outputs;
  }

  /** Runs one forward on the flattened inputs. The code inside checks little: give inputs for which it was compiled. */
  async run(inputs: readonly Tensor[]): Promise<readonly Tensor[]> {
    const given = inputs.map((input, i) => fromTensor(input, this.#addon, this.#device, `Input ${i}`));
    const results = await this.#native.run(given).catch((error: unknown) => Promise.reject(fromNative(error)));
    return await Promise.all(results.map((result) => toTensor(result, this.#outputs)));
  }

  dispose(): void {
    this.#native.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Opens a package. The native code in it runs with all rights of the process: open only packages that you trust. */
export function openAoti(
  addon: Addon,
  path: string,
  { model = "model", runners = 1 }: AotiOptions,
  device: string,
  outputs: Outputs,
): AotiModel {
  const native = located(() => addon.loadAoti(path, { model, device, runners }));
  return new AotiModel(native, addon, device, outputs);
}
