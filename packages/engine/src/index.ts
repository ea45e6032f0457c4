export type { ArenaPlan, Lifetime } from "./arena/plan-arena.ts";
export { planArena } from "./arena/plan-arena.ts";
export type { ComplexExpr, ElementExpr } from "./complex/element-expr.ts";
export { type Selection, selectElements } from "./dynamic/advanced-index.ts";
export { hasDynamicKernel } from "./dynamic/ops.ts";
export type { Abilities } from "./find-unsupported.ts";
export { findUnsupported } from "./find-unsupported.ts";
export type { ElementwiseGroup, FuseOptions, Step } from "./fuse.ts";
export { operandsOf } from "./fuse.ts";
export { hintBindings, hintValues } from "./hint-values.ts";
export { HOST_OPS, loadHostKernels } from "./host/host-ops.ts";
export { bindWeights, type DeviceStorage, type ProgramState } from "./plan/bind-weights.ts";
export type { BufferUpdate } from "./plan/buffer-update.ts";
export { areParts, inParts, isComplexDtype, partDtype, partOf } from "./plan/complex-parts.ts";
export { Constant, type ConstantMemory, type DeviceBuffer } from "./plan/constant.ts";
export { type ConstantLoader, ConstantPool, type LoadWatch } from "./plan/constant-pool.ts";
export { ConstantWork } from "./plan/constant-work.ts";
export { DedicatedBuffer, type PlanBuffer, type PlanMemory } from "./plan/device-buffer.ts";
export type { DeviceTypes } from "./plan/device-types.ts";
export type { KernelArgs, KernelOp } from "./plan/kernel-args.ts";
export type { KernelCall, PlanContext } from "./plan/kernel-call.ts";
export type { ConstantSteps, Epilogue, PlanDevice, PlannedCall, PlanTarget } from "./plan/plan-device.ts";
export type { CopyRecord, EpilogueQuestion, PlanRecords, StepRecord } from "./plan/plan-records.ts";
export { planAgain, planStage } from "./plan/plan-stage.ts";
export type { PlannedStage, PlannedStep, PlanRequest } from "./plan/planned-stage.ts";
export { PlanningContext } from "./plan/planning-context.ts";
export { RandomState } from "./plan/random-state.ts";
export { type TensorLayout, type TensorView, viewOf } from "./plan/tensor-view.ts";
export type { Awaitable } from "./staged/awaitable.ts";
export { compileChecked } from "./staged/compile-checked.ts";
export type { DynamicKernel } from "./staged/dynamic-kernel.ts";
export { elementBytes } from "./staged/element-bytes.ts";
export { addErrorLocation } from "./staged/error-location.ts";
export { GraphRunner } from "./staged/graph-runner.ts";
export { type HandlerInitials, readHandlerInitials } from "./staged/handler-initials.ts";
export { type DeviceTensors, fromRunValue, toRunValues } from "./staged/host-values.ts";
export { indexError } from "./staged/index-error.ts";
export { KernelParts, type KernelTable } from "./staged/kernel-parts.ts";
export { KernelSet, type OpKernel } from "./staged/kernel-set.ts";
export { atOnce } from "./staged/packaged-kernel.ts";
export { type ProgramResults, programResults, writtenBuffers } from "./staged/program-results.ts";
export { type ProgramWeight, programWeights } from "./staged/program-weights.ts";
export { QueuedExecutable, type SignaledHooks } from "./staged/queued-executable.ts";
export {
  type DeviceData,
  type HostData,
  isDeviceData,
  numberOf,
  type RealNumber,
  type RunValue,
  type TensorData,
  type TensorType,
} from "./staged/run-value.ts";
export type {
  RepeatRequest,
  RunHooks,
  StageEngine,
  StagePlan,
  StageRequest,
  StepObserver,
} from "./staged/stage-engine.ts";
export { staticInputs } from "./staged/static-inputs.ts";

export { broadcastPositions, broadcastShape } from "./strides/broadcast.ts";
export { checkInside } from "./strides/inside.ts";
export {
  broadcastStrides,
  channelsLast,
  denseStrides,
  isDense,
  type Layout,
  sameStrides,
} from "./strides/layout.ts";
export { forEachOffset, offsetsOf, type Slices, slicesOf } from "./strides/offsets.ts";
export {
  ADAPTIVE_POOLS,
  CONVOLUTIONS,
  type ConvolutionArgs,
  type ConvolutionWindow,
  convolutionWindow,
  type PoolingArgs,
  type PoolingWindow,
  poolingWindow,
  SLIDING_POOLS,
  type Spatial,
  spatial,
  volume,
  windowOf,
  withinReach,
} from "./windows.ts";
