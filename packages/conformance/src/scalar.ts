// For backends that generate code of scalar expressions: what to run it on, and what must come out.

export { distance } from "./scalar/distance.ts";
export { isDivision, typedFunction } from "./scalar/functions.ts";
export { type RandomExpression, randomExpression } from "./scalar/random-expression.ts";
export { evaluateAll, type Operand, positions, type Walk } from "./scalar/reference.ts";
export { type DeviceNumbers, samples } from "./scalar/samples.ts";
