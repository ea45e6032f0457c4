import type { TensorMeta } from "@pt2/registry";
import { hostElementwise } from "../host-elementwise.ts";
import type { HostKernel } from "../host-kernel.ts";
import { airyAi } from "./airy.ts";
import { besselI, besselJ, besselK, besselY } from "./bessel.ts";
import { gammaLower, gammaUpper, zeta } from "./gamma.ts";
import { erfcx, logNdtr, ndtri } from "./normal.ts";
import { POLYNOMIALS } from "./polynomials.ts";

const ofSelf = ({ self }: { readonly self: TensorMeta }) => [self] as const;
const ofX = ({ x }: { readonly x: TensorMeta }) => [x] as const;
const ofSelfAndOther = ({ self, other }: { readonly self: TensorMeta; readonly other: TensorMeta }) =>
  [self, other] as const;

/** Special functions, which are rare, and take loops or tables, so that scalar expressions cannot express them. */
export const SPECIAL: readonly HostKernel[] = [
  hostElementwise("aten::i0", ofSelf, (x) => besselI(0, x)),
  hostElementwise("aten::special_i0e", ofSelf, (x) => besselI(0, x, true)),
  hostElementwise("aten::special_i1", ofSelf, (x) => besselI(1, x)),
  hostElementwise("aten::special_i1e", ofSelf, (x) => besselI(1, x, true)),
  hostElementwise("aten::special_bessel_j0", ofSelf, (x) => besselJ(0, x)),
  hostElementwise("aten::special_bessel_j1", ofSelf, (x) => besselJ(1, x)),
  hostElementwise("aten::special_bessel_y0", ofSelf, (x) => besselY(0, x)),
  hostElementwise("aten::special_bessel_y1", ofSelf, (x) => besselY(1, x)),
  hostElementwise("aten::special_modified_bessel_k0", ofSelf, (x) => besselK(0, x)),
  hostElementwise("aten::special_modified_bessel_k1", ofSelf, (x) => besselK(1, x)),
  hostElementwise("aten::special_ndtri", ofSelf, ndtri),
  hostElementwise("aten::special_log_ndtr", ofSelf, logNdtr),
  hostElementwise("aten::special_erfcx", ofSelf, erfcx),
  hostElementwise("aten::special_scaled_modified_bessel_k0", ofX, (x) => besselK(0, x, true)),
  hostElementwise("aten::special_scaled_modified_bessel_k1", ofX, (x) => besselK(1, x, true)),
  hostElementwise("aten::special_airy_ai", ofX, airyAi),
  hostElementwise("aten::igamma", ofSelfAndOther, gammaLower),
  hostElementwise("aten::igammac", ofSelfAndOther, gammaUpper),
  hostElementwise("aten::special_zeta", ofSelfAndOther, zeta),
  ...POLYNOMIALS.map(([op, polynomial]) => hostElementwise(op, ({ x, n }) => [x, n], polynomial)),
];
