/** The types of a device: what plans for it are made of. */
export interface DeviceTypes {
  /** Where a buffer is: an address, a buffer of a GPU. */
  readonly handle: unknown;
  /** One piece of planned work. */
  readonly step: unknown;
  /** What an elementwise loop computes: a `TypedExpr`, or more. */
  readonly expr: unknown;
  /** What kernels' helpers plan with, and what a kernel plans a call with. */
  readonly context: unknown;
  readonly call: unknown;
  /** What the device keeps for each plan, and for each computation of a constant. */
  readonly notes: unknown;
  /** What the layout of a plan's buffers tells besides their positions. */
  readonly layout: unknown;
  /** A plan of the device's engine. */
  readonly plan: unknown;
}
