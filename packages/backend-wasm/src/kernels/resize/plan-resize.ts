import type { Spatial } from "@pt2/engine";
import type { AxisTable } from "@pt2/engine/host";
import type { Pointer } from "../../kernels.gen.ts";
import type { Division } from "../../threads/team.ts";
import type { KernelModule } from "../conv/types.ts";
import { writeWords } from "../conv/window.ts";

/** A separable resampling of channels-last f32 data; an axis without a table keeps its length. */
export interface ResizeShape {
  readonly batch: number;
  readonly channels: number;
  readonly input: Spatial;
  readonly tables: readonly [AxisTable | undefined, AxisTable | undefined, AxisTable | undefined];
}

/** Addresses of one run. */
export interface ResizeCall {
  readonly input: Pointer;
  readonly output: Pointer;
  readonly scratch: Pointer;
}

/** A resampling that is planned and ready to run. */
export interface ResizePlan {
  readonly output: Spatial;
  readonly scratchBytes: number;
  /** One after the other. */
  readonly passes: readonly ResizePass[];
}

/** The resampling of one axis. */
export interface ResizePass {
  /** How the lines of the result may be divided among threads. */
  readonly division: Division;
  /** Writes the tables to the scratch, before any line. */
  begin(call: ResizeCall): void;
  /** Computes `count` lines from `start` on. */
  run(call: ResizeCall, start: number, count: number): void;
}

/** Of a product and a sum. */
const NANOSECONDS_EACH = 0.15;

interface Pass {
  readonly table: AxisTable;
  readonly outer: number;
  readonly inner: number;
  readonly outBytes: number;
}

/** The passes in the order that makes intermediate results small: the axis that shrinks most comes first. */
function passesOf({ batch, channels, input, tables }: ResizeShape): readonly Pass[] {
  const sizes = [batch, ...input, channels];
  const axes = tables
    .flatMap((table, axis) => (table ? [{ table, axis: axis + 1 }] : []))
    .sort((p, q) => p.table.outLength / p.table.inLength - q.table.outLength / q.table.inLength);
  return axes.map(({ table, axis }) => {
    const outer = sizes.slice(0, axis).reduce((product, size) => product * size, 1);
    const inner = sizes.slice(axis + 1).reduce((product, size) => product * size, 1);
    sizes[axis] = table.outLength;
    return { table, outer, inner, outBytes: outer * table.outLength * inner * 4 };
  });
}

function align(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}

/** Plans an interpolation as one pass per axis that has a table; at least one has. */
export function planResize(module: KernelModule, shape: ResizeShape): ResizePlan {
  const { kernels } = module;
  const passes = passesOf(shape);
  const size = (axis: 0 | 1 | 2): number => shape.tables[axis]?.outLength ?? shape.input[axis];
  const tableBytes = align(Math.max(0, ...passes.map(({ table }) => table.indices.byteLength * 2)));
  // Intermediate results alternate between two buffers; the last pass writes the output.
  const between = passes.slice(0, -1).map(({ outBytes }) => align(outBytes));
  const [first = 0, second = 0] = between;
  const resultOf = ({ output, scratch }: ResizeCall, index: number): Pointer =>
    index === passes.length - 1 ? output : scratch + tableBytes + (index % 2 === 0 ? 0 : first);
  return {
    output: [size(0), size(1), size(2)],
    scratchBytes: tableBytes + first + second,
    passes: passes.map(({ table, outer, inner, outBytes }, index) => ({
      division: { items: outer * table.outLength, nanoseconds: (outBytes / 4) * table.taps * NANOSECONDS_EACH },
      begin({ scratch }) {
        writeWords(module, table.indices, scratch);
        writeWords(module, table.weights, scratch + table.indices.byteLength);
      },
      run(call, start, count) {
        const [source, target] = [index === 0 ? call.input : resultOf(call, index - 1), resultOf(call, index)];
        const { inLength, outLength, taps } = table;
        kernels.resizeAxis(source, target, start, count, inLength, outLength, inner, taps, call.scratch);
      },
    })),
  };
}
