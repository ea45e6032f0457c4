/** The results of the commands as data, for pages and tools. Nothing here needs Node. */
export { describeModel, type ModelReport, type WeightCount } from "./describe-model.ts";
export { toHostTensor } from "./host-tensor.ts";
export { sampleCall } from "./sample-call.ts";
export { type OutputSummary, summarise } from "./summary.ts";
export { bytesText, countText, plural, rangeText, timeText } from "./text.ts";
export { type OpTime, timesByOp } from "./times-by-op.ts";
export { type Trace, type TraceEvent, traceOf } from "./trace.ts";
