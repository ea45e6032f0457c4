/**
 * Every bound on what a program may ask of this backend, with its reason. Memory that a program really needs is
 * bounded by what wasm32 can address; the rest bounds what a small program could claim.
 */
export const LIMITS = {
  /** Bytes of the memory of one executable: wasm32 addresses 4 GiB. */
  memoryBytes: 4_294_967_296,
  /** Bytes of one tensor, elements that a stride of 0 repeats counted too: any step may have to store them all. */
  tensorBytes: 4_294_967_296,
  /**
   * Entries of a table of element offsets, which gathers and scatters make when they are planned: 512 MiB, outside the
   * memory of the executable.
   */
  offsets: 134_217_728,
  /** Iterations of a loop: a body that never says stop would otherwise run until somebody aborts it. */
  iterations: 16_777_216,
  /** Degree of an orthogonal polynomial, which is a recurrence of so many steps for each element. */
  polynomialDegree: 1_000_000,
} as const;
