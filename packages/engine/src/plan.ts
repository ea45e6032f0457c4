// The planner: what a backend that lowers programs makes plans with, given a `PlanDevice`.

export { bindWeights, type DeviceStorage, type ProgramState } from "./plan/bind-weights.ts";
export { areParts, inParts, isComplexDtype, partDtype, partOf } from "./plan/complex-parts.ts";
export { Constant, type ConstantMemory, type DeviceBuffer } from "./plan/constant.ts";
export { type ConstantLoader, ConstantPool, type LoadWatch } from "./plan/constant-pool.ts";
export { ConstantWork } from "./plan/constant-work.ts";
export { bytesOf } from "./plan/derive.ts";
export { DedicatedBuffer, type PlanBuffer, type PlanMemory } from "./plan/device-buffer.ts";
export type { DeviceTypes } from "./plan/device-types.ts";
export type { KernelCall, PlanContext } from "./plan/kernel-call.ts";
export type { ConstantSteps, Epilogue, PlanDevice, PlannedCall, PlanTarget } from "./plan/plan-device.ts";
export { type PlannedStage, type PlannedStep, type PlanRequest, planStage } from "./plan/plan-stage.ts";
export { PlanningContext } from "./plan/planning-context.ts";
export { type TensorLayout, type TensorView, viewOf } from "./plan/tensor-view.ts";
export { planSlots } from "./plan-slots.ts";
