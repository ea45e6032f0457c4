import type { ConvGeometry } from "./geometry.ts";
import type { RegisterTile } from "./register-tile.ts";

interface Choice {
  readonly type: string;
  readonly shared: number;
  readonly software: boolean;
}

/** Tiles as channels and pixels: 64 sums fill the registers of a CPU; on a GPU more invocations are worth more. */
const TILES = {
  software: [
    [8, 8],
    [16, 4],
    [4, 8],
    [4, 4],
  ],
  gpu: [
    [4, 8],
    [8, 4],
    [4, 4],
  ],
} as const;

/** Inputs that one step reads at most: every read costs time to compile. */
const MOST_COLUMNS = 24;

/** A read of one number, in multiply-adds. */
const READ_COST = 20;
/** A read of four at once. */
const READ4_COST = 60;

/** Columns of the input that one step reads, from that under the first tap of the first pixel. */
export function rowColumns(
  { stride, dilation }: Pick<ConvGeometry, "stride" | "dilation">,
  { pixels, taps }: Pick<RegisterTile, "pixels" | "taps">,
): readonly number[] {
  const columns = new Set<number>();
  for (let t = 0; t < taps; t++) for (let i = 0; i < pixels; i++) columns.add(i * stride[2] + t * dilation[2]);
  return [...columns].sort((a, b) => a - b);
}

/** The tile that needs the least time for each useful product. */
export function chooseRowTile(geometry: ConvGeometry, { software, ...rest }: Choice): RegisterTile {
  const width = geometry.kernel[2];
  const parts = Array.from({ length: width }, (_, i) => i + 1).filter((taps) => width % taps === 0);
  const tiles = TILES[software ? "software" : "gpu"].flatMap(([outputs, pixels]) =>
    parts.map((taps): RegisterTile => ({ outputs, pixels, taps, ...rest })),
  );
  const fitting = tiles.filter((tile) => tile.taps === 1 || rowColumns(geometry, tile).length <= MOST_COLUMNS);
  return cheapest(geometry, fitting, (tile) => READ_COST * rowColumns(geometry, tile).length);
}

/** Tiles of a product of matrices whose pixels are read four at once, from channels that follow each other. */
const POINTWISE_TILES = [
  [16, 4, 2],
  [12, 4, 2],
  [8, 4, 4],
  [8, 8, 2],
  [4, 8, 2],
  [16, 4, 1],
  [8, 8, 1],
  [4, 8, 1],
] as const;

/** The tile that needs the least time where the kernel is of one element. */
export function choosePointwiseTile(geometry: ConvGeometry, rest: Omit<Choice, "software">): RegisterTile {
  const tiles = POINTWISE_TILES.map(([outputs, pixels, taps]): RegisterTile => ({ outputs, pixels, taps, ...rest }));
  const fitting = tiles.filter(({ taps }) => geometry.inChannels % taps === 0);
  return cheapest(geometry, fitting, ({ taps, pixels }) => (READ4_COST * taps * pixels) / 4);
}

function cheapest(
  { output, outChannels }: ConvGeometry,
  tiles: readonly RegisterTile[],
  inputCost: (tile: RegisterTile) => number,
): RegisterTile {
  const costs = tiles.map((tile) => {
    const { outputs, pixels, taps, shared } = tile;
    const vectors = (outputs * taps) / 4;
    const weights = READ4_COST * (shared === 0 ? vectors : Math.ceil(vectors / shared));
    const products = outputs * pixels * taps;
    const useful = fill(output[2], pixels) * fill(outChannels, outputs);
    return (products + inputCost(tile) + weights) / (products * useful);
  });
  return tiles[costs.indexOf(Math.min(...costs))]!;
}

/** Which part of blocks of a size is used. */
function fill(count: number, block: number): number {
  return count / (Math.ceil(count / block) * block);
}
