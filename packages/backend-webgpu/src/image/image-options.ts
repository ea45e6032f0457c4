/** How a picture becomes a tensor. */
export interface ImageOptions {
  /** Width of the tensor, to which the picture is resized: bilinear, and averaged where it shrinks, as torchvision does. */
  readonly width: number;
  /** Height of the tensor. */
  readonly height: number;
  /** 3: red, green, blue. 4: alpha too. 1: grey, as ITU-R 601-2 weighs the colours. @default 3 */
  readonly channels?: 1 | 3 | 4;
  /** Subtracted from values between 0 and 1, one for each channel. @default 0 */
  readonly mean?: readonly number[];
  /** What is left is divided by it, one for each channel. @default 1 */
  readonly std?: readonly number[];
  /** `uint8` holds 0 to 255, without mean and std. @default "float32" */
  readonly dtype?: "float32" | "float16" | "bfloat16" | "uint8";
}
