/** Declarations of WGSL by the name that they declare. */
export type Helpers = Readonly<Record<string, string>>;
