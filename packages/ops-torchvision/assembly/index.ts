// The kernels of torchvision's ops. They keep nothing: memory is that of the model, in which their tensors lie.
export { deformedColumns } from "./deformed-columns";
export { nms32, nms64 } from "./nms";
export { roiAlign } from "./roi-align";
export { sortByScore32, sortByScore64 } from "./score-order";
export { transpose } from "./transpose";
