/** Every bound on what a program may demand of the code that backends share, with its reason. */
export const LIMITS = {
  /** Bytes of a result whose size comes from data: what wasm32 addresses, and more than an array buffer should have. */
  resultBytes: 4_294_967_296,
  /** Entries of a table of element offsets: 512 MiB. */
  offsets: 134_217_728,
  /** Iterations of a loop: a body that never ends the loop would otherwise run until it is aborted. */
  iterations: 16_777_216,
  /** Degree of an orthogonal polynomial, which is a recurrence of so many steps for each element. */
  polynomialDegree: 1_000_000,
} as const;
