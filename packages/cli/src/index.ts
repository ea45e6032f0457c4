/** Exports the results of the commands as data, for pages and tools. It does not depend on Node. */
export { type BackendSettings, defineConfig, type Pt2Config } from "./config.ts";
export { type Arrow, type Box, type Diagram, type DrawOptions, diagramOf } from "./draw/diagram.ts";
export { toDot } from "./draw/dot.ts";
export { type Family, familyOf } from "./draw/family.ts";
export { depthFor, type Fold, foldModules } from "./draw/fold.ts";
export { type Layered, layer, type Slot } from "./draw/layers.ts";
export { toMermaid } from "./draw/mermaid.ts";
export { toSvg } from "./draw/svg.ts";
export { describeModel, type ModelReport, type WeightCount } from "./report/describe-model.ts";
export { toHostTensor } from "./report/host-tensor.ts";
export { sampleCall } from "./report/sample-call.ts";
export { type OutputSummary, summarize } from "./report/summary.ts";
export { bytesText, countText, plural, rangeText, timeText } from "./report/text.ts";
export { type OpTime, timesByOp } from "./report/times-by-op.ts";
export { type Trace, type TraceEvent, traceOf } from "./report/trace.ts";
