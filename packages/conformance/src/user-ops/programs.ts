import type { HostTensor } from "@pt2/backend";
import { floats } from "../programs.ts";

/** An input of the programs in this file. */
export const x: HostTensor = floats([7], 0, 1, 2, 3, 4, 5, 6);

/** An in-place op writes to a slice of a tensor. */
export const THROUGH_SLICE = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %some: f32[2] = aten::slice.Tensor(%y, dim=0, start=1, end=3, step=1)
  %in: f32[2] = mine::bump_(self=%some, by=5.0)
  return %y, %in
}`;

/** A view is read after its base was written. */
export const SEES_WRITES = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %v: f32[4]{strides=[2]} = mine::every_second(self=%y)
  %in: f32[7] = aten::mul_.Tensor(%y, other=2.0)
  %z: f32[4] = aten::neg(%v)
  return %z
}`;

/** A program writes through a view. */
export const THROUGH_VIEW = `program {
  user_input %x: f32[7]
  %y: f32[7] = aten::clone(%x)
  %v: f32[4]{strides=[2]} = mine::every_second(self=%y)
  %in: f32[4]{strides=[2]} = aten::add_.Tensor(%v, other=10.0)
  return %y, %v
}`;
