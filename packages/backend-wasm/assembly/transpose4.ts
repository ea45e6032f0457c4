// 4x4 transposition in registers: column j of the matrix whose rows are a, b, c, d.

@inline
export function column0(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  return v128.shuffle<i64>(ab, cd, 0, 2);
}

@inline
export function column1(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  return v128.shuffle<i64>(ab, cd, 1, 3);
}

@inline
export function column2(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cd = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  return v128.shuffle<i64>(ab, cd, 0, 2);
}

@inline
export function column3(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cd = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  return v128.shuffle<i64>(ab, cd, 1, 3);
}
