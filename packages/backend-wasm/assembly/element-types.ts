// Types of elements as kernels for several of them number them.

@inline
export const FLOAT32: i32 = 0;
@inline
export const FLOAT64: i32 = 1;
@inline
export const INT32: i32 = 2;
@inline
export const INT64: i32 = 3;
