import { hostElementwise } from "../host-elementwise.ts";
import type { HostKernel } from "../host-kernel.ts";
import { airyAi, besselI, besselJ, besselK, besselY } from "./bessel.ts";
import { gammaLower, gammaUpper, zeta } from "./gamma.ts";
import { erfcx, logNdtr, ndtri } from "./normal.ts";
import { POLYNOMIALS } from "./polynomials.ts";

const UNARY: Readonly<Record<string, (x: number) => number>> = {
  i0: (x) => besselI(0, x),
  special_i0e: (x) => besselI(0, x, true),
  special_i1: (x) => besselI(1, x),
  special_i1e: (x) => besselI(1, x, true),
  special_bessel_j0: (x) => besselJ(0, x),
  special_bessel_j1: (x) => besselJ(1, x),
  special_bessel_y0: (x) => besselY(0, x),
  special_bessel_y1: (x) => besselY(1, x),
  special_modified_bessel_k0: (x) => besselK(0, x),
  special_modified_bessel_k1: (x) => besselK(1, x),
  special_ndtri: ndtri,
  special_log_ndtr: logNdtr,
  special_erfcx: erfcx,
};

/** These call their argument `x`. */
const UNARY_X: Readonly<Record<string, (x: number) => number>> = {
  special_scaled_modified_bessel_k0: (x) => besselK(0, x, true),
  special_scaled_modified_bessel_k1: (x) => besselK(1, x, true),
  special_airy_ai: airyAi,
};

const BINARY: Readonly<Record<string, (x: number, y: number) => number>> = {
  igamma: gammaLower,
  igammac: gammaUpper,
  special_zeta: zeta,
};

/** Special functions: rare, and iterations rather than expressions. */
export const SPECIAL: readonly HostKernel[] = [
  ...Object.entries(UNARY).map(([name, compute]) =>
    hostElementwise(`aten::${name}`, ["self"], (x) => compute(x as number)),
  ),
  ...Object.entries(UNARY_X).map(([name, compute]) =>
    hostElementwise(`aten::${name}`, ["x"], (x) => compute(x as number)),
  ),
  ...Object.entries(BINARY).map(([name, compute]) =>
    hostElementwise(`aten::${name}`, ["self", "other"], (x, y) => compute(x as number, y as number)),
  ),
  ...Object.entries(POLYNOMIALS).map(([name, compute]) =>
    hostElementwise(`aten::special_${name}`, ["x", "n"], (x, n) => compute(x as number, n as number)),
  ),
];
