// All that a page needs to train a program on the GPU.
import { webgpu } from "@pt2/backend-webgpu";
import { openProgram, tensor } from "@pt2/runtime";
import { adamW, createTrainer } from "@pt2/train";

/** What the page offers to the tests. */
export interface SmallestTraining {
  readonly adamW: typeof adamW;
  readonly createTrainer: typeof createTrainer;
  readonly openProgram: typeof openProgram;
  readonly tensor: typeof tensor;
  readonly webgpu: typeof webgpu;
}

declare global {
  var smallestTraining: SmallestTraining;
}

globalThis.smallestTraining = { adamW, createTrainer, openProgram, tensor, webgpu };
