// Pooling over an NDHWC tensor: every output reduces a box of the input. TypeScript writes the header and behind it,
// for depth, height and width in turn, one (start, end, extent) triple of i32 per output index
// (src/pool/boxes.ts holds the same order). Positions inside a box are `step` apart.
@unmanaged
export class Boxes {
  batch: i32;
  channels: i32;
  inD: i32;
  inH: i32;
  inW: i32;
  outD: i32;
  outH: i32;
  outW: i32;
  stepD: i32;
  stepH: i32;
  stepW: i32;
  /** What a mean divides by; 0 for the product of the box's three extents. */
  divisor: i32;
}

/** Bytes of the header and of a table's entry. */
export const HEADER: usize = 48;
export const ENTRY: usize = 12;

/** The box of one output; bounds count positions, `input` and `output` are bytes. */
@unmanaged
export class Box {
  d0: i32;
  d1: i32;
  h0: i32;
  h1: i32;
  w0: i32;
  w1: i32;
  extent: i32;
  /** Offset of the image and of the output pixel. */
  image: usize;
  output: usize;
}

/** Fills `box` for output pixel `index`, counted over batch, depth, height and width. */
export function locate(b: Boxes, index: i32, box: Box): void {
  const tables = changetype<usize>(b) + HEADER;
  const w = tables + <usize>(b.outD + b.outH + (index % b.outW)) * ENTRY;
  const h = tables + <usize>(b.outD + ((index / b.outW) % b.outH)) * ENTRY;
  const d = tables + <usize>((index / (b.outW * b.outH)) % b.outD) * ENTRY;
  box.d0 = load<i32>(d);
  box.d1 = load<i32>(d, 4);
  box.h0 = load<i32>(h);
  box.h1 = load<i32>(h, 4);
  box.w0 = load<i32>(w);
  box.w1 = load<i32>(w, 4);
  box.extent = b.divisor ? b.divisor : load<i32>(d, 8) * load<i32>(h, 8) * load<i32>(w, 8);
  const n = index / (b.outW * b.outH * b.outD);
  box.image = <usize>(n * b.inD * b.inH * b.inW) * (<usize>b.channels << 2);
  box.output = <usize>index * (<usize>b.channels << 2);
}
