/** The types that a device's plans are made of. */
export interface DeviceTypes {
  /** Where a buffer is: an address, or a buffer of a GPU. */
  readonly handle: unknown;
  /** A piece of planned work. */
  readonly step: unknown;
  /** What an elementwise loop computes: a `TypedExpr`, or more. */
  readonly expr: unknown;
  /** What helpers of kernels plan with (`context`), and what a kernel plans a call with (`call`). */
  readonly context: unknown;
  readonly call: unknown;
  /** What the device records for each plan, and for each computation of a constant. */
  readonly notes: unknown;
  /** What the layout of a plan's buffers holds besides their positions. */
  readonly layout: unknown;
  /** A plan of the device's engine. */
  readonly plan: unknown;
}
