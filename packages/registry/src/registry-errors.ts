import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Lists every error code of this package with its meaning. */
export const REGISTRY_ERRORS = {
  "registry.schema": "an op's schema string is malformed",
  "registry.op-name": "a name is not an op name",
  "registry.duplicate": "two records or handlers claim the same op",
  "registry.unknown-op": "no op set has a record of that name",
  "registry.no-schema": "PyTorch has no op of that name",
  "registry.argument": "an argument is unknown, missing, given twice or of the wrong kind",
  "registry.assertion": "what the program asserts of its inputs or of what it computes does not hold",
  "registry.shape": "shapes or sizes cannot be combined",
  "registry.dtype": "dtypes cannot be combined",
  "registry.undefined-value": "a node reads a value that nothing defines",
  "registry.unsupported-op": "a backend has no kernel for an op, and the op has no decomposition",
  "registry.limit": "a program asks for more than any real one needs, or than the backend can hold",
  "registry.not-loaded": "a part of the code that loads on demand cannot be reached",
  "registry.internal": "the rules of an op failed in a way that they should not",
  "registry.rule": "an op record lacks a rule, or its rule does not apply or fails",
  "registry.result": "a handler, rewrite or decomposition gives what the op does not give",
  "registry.kernels": "kernels of an op set are for an op or a backend that does not exist",
} as const;

/** A code of {@link REGISTRY_ERRORS}. */
export type RegistryErrorCode = keyof typeof REGISTRY_ERRORS;

/** Makes an error whose code is one of {@link REGISTRY_ERRORS}. */
export function registryError(code: RegistryErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
