export type {
  Backend,
  HostTensor,
  MemoryReport,
  Profile,
  Progress,
  RunOptions,
  StepTime,
  Tensor,
  TraceEvent,
  TraceObserver,
  TraceOutput,
  TypedArray,
  Value,
  WarmupOptions,
} from "@pt2/backend";
export { type ByteSource, type DType, Pt2Error } from "@pt2/format";
export type { OpHandler, OpSet } from "@pt2/registry";
export type { Call } from "./call.ts";
export { type LoadOptions, load, type TypedLoadOptions } from "./load.ts";
export type { Model } from "./model.ts";
export type {
  ModelTypes,
  TensorInput,
  TensorOutput,
  TypedArguments,
  TypedCall,
  TypedModel,
} from "./model-types.ts";
export type { ModelSource } from "./open-source.ts";
export { prepare } from "./prepare.ts";
export { type ReadModelOptions, readSchema, readWeights, type Schema } from "./read.ts";
export type { JointResult } from "./result.ts";
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
export { type Elements, tensor } from "./tensor.ts";
