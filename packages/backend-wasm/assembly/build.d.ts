/** Rows of the largest tile of the matrix product, 4 or 6: scripts/build-kernels.ts sets it. */
declare const TILE_ROWS: i32;
/** Whether copies transpose elements of any size in registers: scripts/build-kernels.ts sets it. */
declare const ALL_COPIES: bool;
