import type { OpRecord } from "../../op.ts";
import { ACTIVATION_BACKWARD_OPS } from "../backward/activation-backward.ts";
import { ATTENTION_BACKWARD_OPS } from "../backward/attention.ts";
import { AVERAGE_VOLUME_BACKWARD_OPS } from "../backward/average-volume.ts";
import { BACKWARD_OPS } from "../backward/backward.ts";
import { BATCH_NORM_BACKWARD_OPS } from "../backward/batch-norm.ts";
import { CONVOLUTION_BACKWARD_OPS } from "../backward/convolution.ts";
import { DISTANCE_BACKWARD_OPS } from "../backward/distance.ts";
import { EMBEDDING_BAG_BACKWARD_OPS } from "../backward/embedding-bag.ts";
import { GATHER_BACKWARD_OPS } from "../backward/gather-backward.ts";
import { INDEX_BACKWARD_OPS } from "../backward/index-backward.ts";
import { LOSS_BACKWARD_OPS } from "../backward/loss-backward.ts";
import { PAD_BACKWARD_OPS } from "../backward/pad-backward.ts";
import { VIEW_BACKWARD_OPS } from "../backward/view-backward.ts";
import { CLASS_MARGIN_LOSS_OPS } from "../loss/class-margin.ts";
import { CLASSIFICATION_LOSS_OPS } from "../loss/classification.ts";
import { CONNECTIONIST_LOSS_OPS } from "../loss/connectionist.ts";
import { ELEMENTWISE_LOSS_OPS } from "../loss/elementwise.ts";
import { MARGIN_LOSS_OPS } from "../loss/margin.ts";
import { BACKWARD_POINTWISE_OPS } from "../pointwise/backward.ts";
import { RRELU_BACKWARD_OPS } from "../random/rrelu.ts";

/** Losses, and the backward ops that gradients consist of. */
export const trainingOps: readonly OpRecord[] = [
  ...ATTENTION_BACKWARD_OPS,
  ...AVERAGE_VOLUME_BACKWARD_OPS,
  ...DISTANCE_BACKWARD_OPS,
  ...EMBEDDING_BAG_BACKWARD_OPS,
  ...INDEX_BACKWARD_OPS,
  ...VIEW_BACKWARD_OPS,
  ...PAD_BACKWARD_OPS,
  ...LOSS_BACKWARD_OPS,
  ...GATHER_BACKWARD_OPS,
  ...ACTIVATION_BACKWARD_OPS,
  ...BACKWARD_OPS,
  ...BATCH_NORM_BACKWARD_OPS,
  ...CONVOLUTION_BACKWARD_OPS,
  ...BACKWARD_POINTWISE_OPS,
  ...CLASS_MARGIN_LOSS_OPS,
  ...CLASSIFICATION_LOSS_OPS,
  ...CONNECTIONIST_LOSS_OPS,
  ...ELEMENTWISE_LOSS_OPS,
  ...MARGIN_LOSS_OPS,
  ...RRELU_BACKWARD_OPS,
];
