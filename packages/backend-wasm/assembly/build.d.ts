/** Rows of the largest tile of the matrix product, 4 or 6: scripts/build-kernels.ts sets it. */
declare const TILE_ROWS: i32;
