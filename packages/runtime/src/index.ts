export type {
  Backend,
  DataOf,
  ElementOf,
  GivenArray,
  MemoryReport,
  NestedList,
  Profile,
  Progress,
  RunOptions,
  StepTime,
  TraceEvent,
  TraceObserver,
  TraceOutput,
  TypedArray,
  Value,
  WarmupOptions,
} from "@pt2/backend";
export { CpuGenerator, HostTensor, Tensor } from "@pt2/backend";
export { type ByteSource, type DType, Pt2Error } from "@pt2/format";
export type { Complex, OpHandler, OpSet } from "@pt2/registry";
export type { Call } from "./call.ts";
export { type LoadOptions, load, type ProgramSource, type TypedLoadOptions } from "./load.ts";
export type { Model } from "./model.ts";
export type {
  ModelTypes,
  TensorInput,
  TensorOutput,
  TypedArguments,
  TypedCall,
  TypedModel,
} from "./model-types.ts";
export type { OpSource } from "./op-source.ts";
export type { ModelSource } from "./open-source.ts";
export { prepare } from "./prepare.ts";
export { openProgram, type ReadModelOptions, readSchema, readWeights, type Schema } from "./read.ts";
export type { StepResult } from "./result.ts";
export { RUNTIME_ERRORS, type RuntimeErrorCode } from "./runtime-errors.ts";
export {
  type Constant,
  describeType,
  inputsOf,
  type LeafInfo,
  type LeafType,
  type OutputInfo,
  outputsOf,
} from "./signature.ts";
export type { Elements } from "./tensor/convert.ts";
export { arange, type FactoryOptions, full, ones, zeros } from "./tensor/factories.ts";
export { type RandomOptions, rand, randn } from "./tensor/random.ts";
export { type DTypeOf, type PlainTensor, type TensorOptions, tensor } from "./tensor/tensor.ts";
export { weightsFor } from "./weights-for.ts";
