import type { DType } from "@pt2/format";
import type { Buffer, Constant } from "./constant.ts";
import type { Device } from "./device.ts";
import type { PlanContext } from "./kernel.ts";

/** What all plans of one executable share. */
export interface Services {
  readonly device: Device;
  /** Whether rewrites that change bits are forbidden: `precision: "exact"`. */
  readonly exact: boolean;
  /** State that kernels keep for the executable, by what makes it. */
  readonly state: Map<() => object, object>;
  /**
   * The constant that `build` computes from others, which the same `key` always names. `build` plans with the context it
   * is given, once; what it planned runs when the constant is needed.
   */
  derive(key: string, bytes: number, label: string, build: (ctx: PlanContext, to: Buffer) => void): Constant;
  /** A constant with these elements, in the dtype's own bytes. Equal ones are one. */
  literal(dtype: DType, shape: readonly number[], data: ArrayBufferView): Constant;
}
