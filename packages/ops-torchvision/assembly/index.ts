// The kernels of torchvision's ops. They keep nothing: memory is that of the model, in which their tensors lie.
export { channelMapping } from "./channel-mapping";
export { deformedColumns } from "./deformed-columns";
export { nms32, nms64 } from "./nms";
export { psRoiPool } from "./ps-roi-pool";
export { roiAlign } from "./roi-align";
export { roiPool } from "./roi-pool";
export { sortByScore32, sortByScore64 } from "./score-order";
export { transpose, transposeBins } from "./transpose";
