// Ways in which elements are combined, as kernels for several of them number them.

@inline
export const SUM: i32 = 0;
@inline
export const PROD: i32 = 1;
@inline
export const MAX: i32 = 2;
@inline
export const MIN: i32 = 3;
