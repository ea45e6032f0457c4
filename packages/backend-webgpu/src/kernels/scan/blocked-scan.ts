import type { KernelCall } from "../../engine/kernel.ts";
import type { Shader } from "../../shader/shader.ts";
import type { ReducedLayout } from "../reduce/reduced-layout.ts";
import { declareScanState, type ScanState } from "./scan-state.ts";

/** Invocations of a workgroup, neighboring elements that each of them takes at once, and how many that makes. */
const [LANES, EACH] = [256, 4];
const TILE = LANES * EACH;
/** Blocks of a lane at most: a workgroup looks at the totals of all in front of its own at once. */
const MOST_BLOCKS = LANES;

/** Tells what a shader reads, and what it stores of `s: ScanState` for the element `k` of the lane `o`. */
interface Lanes {
  readonly layout: ReducedLayout;
  readonly read: (name: string) => Shader;
  /** Declares results. */
  readonly write: (shader: Shader) => void;
  /** WGSL that stores what `s` stands for as element `k` of the lane that begins at `to`. */
  readonly store: string;
}

/**
 * Goes along lanes by workgroups, for GPUs: each takes a block of a lane, tile by tile. Where lanes have several blocks, a
 * first dispatch finds what each block comes to, and the second begins with that of those in front.
 */
export function planBlocks(call: KernelCall, state: ScanState, { layout, read, write, store }: Lanes): void {
  const { outer, n } = layout;
  const tiles = Math.ceil(n / TILE);
  const length = Math.ceil(tiles / Math.min(tiles, MOST_BLOCKS)) * TILE;
  const blocks = Math.ceil(n / length);
  const begin = (name: string): Shader =>
    read(name).u32("n", n).u32("blocks", blocks).u32("length", length).u32("lanes", LANES);
  const totals = blocks === 1 ? null : call.temporary("int32", [outer * blocks, 2]);
  if (totals !== null) {
    const shader = begin("of blocks").write("totals", totals);
    const end = `if (lane == 0u) {
    set_totals(2u * group, bitcast<i32>(before.a));
    set_totals(2u * group + 1u, bitcast<i32>(before.b));
  }`;
    shader.forEachGroup(outer * blocks, blockText("", "", end), options(shader, state));
  }
  const shader = begin("in blocks");
  if (totals !== null) shader.raw("totals", totals);
  write(shader);
  const front =
    totals === null
      ? ""
      : `var total = start();
  if (lane < block) { total = total_of(2u * (o * p.blocks + lane)); }
  along(lane, total);
  before = shared_along[${LANES - 1}];
  workgroupBarrier();`;
  const [a, b] = state.types;
  const totalOf = `fn total_of(at: u32) -> ScanState { return ScanState(bitcast<${a}>(totals_at(at)), bitcast<${b}>(totals_at(at + 1u))); }\n`;
  const walk = `let to = to_outer(o);
    var s = before;
    if (lane > 0u) { s = two(s, shared_along[lane - 1u]); }
    for (var k = mine; k < end; k++) {
      s = two(s, one(x_at(base + inner(k)), k));
      ${store}
    }`;
  shader.forEachGroup(
    outer * blocks,
    blockText(front, walk, ""),
    options(shader, state, totals === null ? "" : totalOf),
  );
}

/** `before` is what is in front of a tile; `walk` sees what is in front of the others' elements in `shared_along`. */
function blockText(front: string, walk: string, end: string): string {
  return `let o = group / p.blocks;
  let block = group % p.blocks;
  let base = outer(o);
  var before = start();
  ${front}
  let last = min((block + 1u) * p.length, p.n);
  for (var tile = block * p.length; tile < last; tile += ${TILE}u) {
    let mine = tile + lane * ${EACH}u;
    let end = min(mine + ${EACH}u, last);
    var own = start();
    for (var k = mine; k < end; k++) { own = two(own, one(x_at(base + inner(k)), k)); }
    along(lane, own);
    ${walk}
    before = two(before, shared_along[${LANES - 1}]);
    workgroupBarrier();
  }
  ${end}`;
}

/**
 * Offers `along(lane, s)`, which leaves in `shared_along` what each invocation and all in front of it come to. Its loop has
 * a bound that compilers do not know: with that they would write out every step and its barriers.
 */
function options(
  shader: Shader,
  state: ScanState,
  more = "",
): { readonly workgroupSize: number; readonly declarations: string } {
  const declarations = `${declareScanState(shader, state)}${more}var<workgroup> shared_along: array<ScanState, ${LANES}>;
fn along(lane: u32, own: ScanState) {
  var s = own;
  shared_along[lane] = s;
  workgroupBarrier();
  for (var step = 1u; step < p.lanes; step *= 2u) {
    if (lane >= step) { s = two(shared_along[lane - step], s); }
    workgroupBarrier();
    shared_along[lane] = s;
    workgroupBarrier();
  }
}
`;
  return { workgroupSize: LANES, declarations };
}
