/** `scaled_dot_product_attention(q, k, v, mask)` as `run_decompositions()` writes it; the result is `%y1`. */
export const ATTENTION = `user_input %q: f32[2, 3, 5, 4]
  user_input %k: f32[2, 3, 7, 4]
  user_input %v: f32[2, 3, 7, 4]
  user_input %mask: f32[5, 7]
  %qs: f32[2, 3, 5, 4] = aten::mul.Scalar(%q, other=0.5)
  %t: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::permute(%k, dims=[0, 1, 3, 2])
  %ks: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::mul.Scalar(%t, other=0.5)
  %q1: f32[6, 5, 4] = aten::view(%qs, size=[6, 5, 4])
  %kc: f32[2, 3, 4, 7] = aten::clone(%ks, memory_format=torch.contiguous_format)
  %k1: f32[6, 4, 7] = aten::view(%kc, size=[6, 4, 7])
  %s: f32[6, 5, 7] = aten::bmm(%q1, mat2=%k1)
  %s1: f32[2, 3, 5, 7] = aten::view(%s, size=[2, 3, 5, 7])
  %s2: f32[2, 3, 5, 7] = aten::add.Tensor(%s1, other=%mask)
  %p: f32[2, 3, 5, 7] = aten::_softmax(%s2, dim=-1, half_to_float=false)
  %eq: bool[2, 3, 5, 7] = aten::eq.Scalar(%s2, other=-inf)
  %some: bool[2, 3, 5, 7] = aten::logical_not(%eq)
  %any: bool[2, 3, 5, 1] = aten::any.dim(%some, dim=-1, keepdim=true)
  %none: bool[2, 3, 5, 1] = aten::logical_not(%any)
  %zeros: f32[2, 3, 5, 7] = aten::full_like(%p, fill_value=0)
  %safe: f32[2, 3, 5, 7] = aten::where.self(condition=%none, self=%zeros, other=%p)
  %p1: f32[6, 5, 7] = aten::view(%safe, size=[6, 5, 7])
  %v1: f32[6, 7, 4] = aten::view(%v, size=[6, 7, 4])
  %y: f32[6, 5, 4] = aten::bmm(%p1, mat2=%v1)
  %y1: f32[2, 3, 5, 4] = aten::view(%y, size=[2, 3, 5, 4])`;
