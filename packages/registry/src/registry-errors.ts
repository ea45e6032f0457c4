import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Lists every error code of this package with its meaning. */
export const REGISTRY_ERRORS = {
  "registry.schema": "an op's schema string is malformed",
  "registry.op-name": "a name is not an op name",
  "registry.duplicate": "an op is defined by two records or handlers",
  "registry.unknown-op": "no op set has a record of that name",
  "registry.no-schema": "PyTorch has no op of that name",
  "registry.argument": "an argument is unknown, missing, given twice or of the wrong kind",
  "registry.assertion": "an assertion of the program does not hold for its inputs or for what it computed",
  "registry.shape": "shapes or sizes cannot be combined",
  "registry.dtype": "dtypes cannot be combined",
  "registry.scalar-dtype": "an elementwise op does not exist for a dtype",
  "registry.scalar-gradient": "a function of an elementwise op has no derivative",
  "registry.divide-by-zero": "an integer was divided by zero",
  "registry.undefined-value": "a node reads a value that nothing defines",
  "registry.unsupported-op": "a backend has no kernel for an op, and the op has no decomposition",
  "registry.limit": "a program needs more than a documented limit allows, or than the backend can address",
  "registry.not-loaded": "code that loads on demand could not be loaded",
  "registry.internal": "the rules of an op failed unexpectedly; the cause is kept",
  "registry.rule": "an op record lacks a rule, or its rule does not apply or fails",
  "registry.result": "a handler, rewrite or decomposition returned something else than the op does",
  "registry.api-version": "an op set was written for another version of this package",
  "registry.kernels": "an op set has kernels for an op or a backend that does not exist",
} as const;

/** A code of {@link REGISTRY_ERRORS}. */
export type RegistryErrorCode = keyof typeof REGISTRY_ERRORS;

/** Makes an error whose code is one of {@link REGISTRY_ERRORS}. */
export function registryError(code: RegistryErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
