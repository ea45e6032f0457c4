// The coefficients are those of Cephes (Moshier), which PyTorch has too.
import { horner } from "./series.ts";

const RIGHT_OVER = [
  0.346538101525629, 12.007595273964581, 76.27960536152345, 168.08922493463058, 159.75639135016442, 70.53609068404442,
  14.026469116338967, 1,
];
const RIGHT_UNDER = [
  0.5675945326387702, 14.75625625848472, 84.51389701414746, 177.31808814540045, 164.2346928715297, 71.47784008255756,
  14.095913560783403, 1,
];
const SINE_OVER = [
  -0.1316963234183318, -0.6264565444319123, -0.6931580360369335, -0.2797799815451191, -0.04919001326095003,
  -0.004062659235948854, -0.0001592764962392621, -0.000002776491081552329, -1.6778769848911465e-8,
];
const SINE_UNDER = [
  13.356042070655324, 32.682503279522464, 26.736704094149957, 9.187074029072596, 1.4752914677166642,
  0.11568717379518804, 0.004402916416152112, 0.00007547203482874142, 0.00000045185009297058035,
];
const COSINE_OVER = [
  0.01973399320916857, 0.39110302961568827, 1.0657989759959559, 0.9391692298166502, 0.35146565610554764,
  0.06338889196289255, 0.005858041130483885, 0.000282851600836737, 0.00000698793669997261, 8.117892395543892e-8,
  3.415517847659236e-10,
];
const COSINE_UNDER = [
  9.30892908077442, 19.835292871831214, 15.564662893286462, 5.476860694229755, 0.9542936116189619, 0.08645808263523921,
  0.004126565238242226, 0.00010125908511650914, 0.0000011716673321441352, 4.9183457006293e-9,
];

/** The Airy function Ai. */
export function airyAi(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const zeta = (2 * Math.abs(x) * Math.sqrt(Math.abs(x))) / 3;
  const scale = 1 / (Math.sqrt(Math.PI) * Math.sqrt(Math.sqrt(Math.abs(x))));
  if (x >= 2.09) {
    if (x > 103.892) return 0;
    return (scale * (horner(1 / zeta, RIGHT_OVER) / horner(1 / zeta, RIGHT_UNDER))) / (2 * Math.exp(zeta));
  }
  if (x >= -2.09) return maclaurin(x);
  const square = 1 / (zeta * zeta);
  const sine = 1 + (square * horner(square, SINE_OVER)) / horner(square, SINE_UNDER);
  const cosine = horner(square, COSINE_OVER) / horner(square, COSINE_UNDER) / zeta;
  const phase = zeta + Math.PI / 4;
  return scale * (Math.sin(phase) * sine - Math.cos(phase) * cosine);
}

/** Computes c1 f(x) - c2 g(x), whose terms end where those of f are lost. */
function maclaurin(x: number): number {
  const cube = x * x * x;
  let f = 1;
  let g = x;
  let sumF = f;
  let sumG = g;
  for (let k = 1; Math.abs(f) > Number.EPSILON * Math.abs(sumF); k++) {
    f *= cube / ((3 * k - 1) * (3 * k));
    g *= cube / (3 * k * (3 * k + 1));
    sumF += f;
    sumG += g;
  }
  return 0.3550280538878172 * sumF - 0.2588194037928068 * sumG;
}
