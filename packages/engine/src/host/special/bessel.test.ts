import { expect, it } from "vitest";
import { airyAi } from "./airy.ts";
import { besselI, besselJ, besselK, besselY } from "./bessel.ts";

const { POSITIVE_INFINITY: infinity, NaN: none } = Number;

/** Arguments on both sides of every bound between two approximations. */
const ARGUMENTS = [0, 1e-6, 0.7, 1.9, 2.3, 4.9, 5.1, 7.5, 8.5, 30];

/** What PyTorch computes for them in double precision. */
const GIVEN: readonly (readonly [name: string, compute: (x: number) => number, values: readonly number[]])[] = [
  [
    "J0",
    (x) => besselJ(0, x),
    [
      1, 0.99999999999975, 0.8812008886074052, 0.2818185593743899, 0.05553978444562005, -0.20973833620591686,
      -0.1443350727384758, 0.26633966007879234, 0.04193925300238668, -0.08636798358104034,
    ],
  ],
  [
    "J1",
    (x) => besselJ(1, x),
    [
      0, 4.999999999999375e-7, 0.3289957415400589, 0.5811570727134372, 0.5398725326043705, -0.3146946753606358,
      -0.3370975152766687, 0.1352484382588624, 0.2731219640357095, -0.11875106261662309,
    ],
  ],
  [
    "Y0",
    (x) => besselY(0, x),
    [
      -infinity,
      -8.869031481659443,
      -0.1906649293373951,
      0.49681997128383365,
      0.518075396207843,
      -0.29205460404698097,
      -0.3216023122791303,
      0.11731328137254243,
      0.2702051052031286,
      -0.11729573168666393,
    ],
  ],
  [
    "Y1",
    (x) => besselY(1, x),
    [
      -infinity,
      -636619.772372175,
      -1.1032498719076336,
      -0.16440577233159445,
      0.05227731584426088,
      0.18124669915853284,
      0.11373569645643754,
      -0.2591285055701094,
      -0.026168676820611445,
      0.08442557066174709,
    ],
  ],
  [
    "I0",
    (x) => besselI(0, x),
    [
      1, 1.0000000000002494, 1.1263030183068092, 2.1277401940538874, 2.8296056006275854, 24.914779075837764,
      29.78885544023884, 268.1613115151893, 683.1619269901155, 781672297823.9775,
    ],
  ],
  [
    "I1",
    (x) => besselI(1, x),
    [
      0, 5.000000000000623e-7, 0.37187967777700853, 1.4482443730548886, 2.0978000275174207, 22.199348620092486,
      26.680435679477114, 249.58436542268808, 641.6199025400667, 768532038938.9569,
    ],
  ],
  [
    "scaled I0",
    (x) => besselI(0, x, true),
    [
      1, 0.9999990000007495, 0.5593055265070683, 0.31824316288914156, 0.28369298571049134, 0.18552997208195343,
      0.18161510209591797, 0.1483158300773955, 0.13900184305484758, 0.0731459464822373,
    ],
  ],
  [
    "scaled I1",
    (x) => besselI(1, x, true),
    [
      0, 4.999995000003123e-7, 0.18466998276274726, 0.2166119111747705, 0.2103230051205625, 0.1653092936199283,
      0.16266385459531296, 0.13804121154855417, 0.13054935509459586, 0.07191633059864755,
    ],
  ],
  [
    "K0",
    (x) => besselK(0, x),
    [
      infinity,
      13.93144207362641,
      0.6605198599151018,
      0.1288459792760475,
      0.07913993300209364,
      0.004118936235515887,
      0.0033083102180174657,
      0.00024917761635611437,
      8.625756634932507e-5,
      2.1324774964630563e-14,
    ],
  ],
  [
    "K1",
    (x) => besselK(1, x),
    [
      infinity,
      999999.9999927843,
      1.0502835353129183,
      0.15966015303266767,
      0.09498244384536267,
      0.004521169177299837,
      0.0036191814623178003,
      0.00026529739012528955,
      9.119724775006897e-5,
      2.1677320018915495e-14,
    ],
  ],
  [
    "scaled K0",
    (x) => besselK(0, x, true),
    [
      infinity,
      13.931456005075448,
      1.3301236562420562,
      0.8614506167517557,
      0.7893561312246947,
      0.5531310396037262,
      0.5426353518989783,
      0.45052369910491563,
      0.423935999333698,
      0.22788666561625373,
    ],
  ],
  [
    "scaled K1",
    (x) => besselK(1, x, true),
    [
      infinity,
      1000000.9999932843,
      2.115011312848053,
      1.0674709298145704,
      0.9473722249178406,
      0.6071468127379164,
      0.5936250463138129,
      0.47966893379102066,
      0.4482133915630794,
      0.2316541293777118,
    ],
  ],
];

function expectNear(value: number, given: number): void {
  if (Number.isFinite(given)) expect(Math.abs(value - given)).toBeLessThanOrEqual(1e-13 * Math.abs(given));
  else expect(value).toBe(given);
}

it.each(GIVEN)("%s is PyTorch's", (_, compute, values) => {
  for (const [i, x] of ARGUMENTS.entries()) expectNear(compute(x), values[i]!);
});

it("functions of order 0 are even, those of order 1 are odd, and the second kinds have no values below zero", () => {
  for (const x of [1e-6, 0.7, 4.9, 7.5, 30]) {
    expect([besselJ(0, -x), besselJ(1, -x)]).toEqual([besselJ(0, x), -besselJ(1, x)]);
    expect([besselI(0, -x), besselI(1, -x)]).toEqual([besselI(0, x), -besselI(1, x)]);
    expect([besselY(0, -x), besselY(1, -x), besselK(0, -x), besselK(1, -x)]).toEqual([none, none, none, none]);
  }
});

it("results beyond the largest number are PyTorch's", () => {
  for (const order of [0, 1] as const) {
    expect([besselJ(order, infinity), besselY(order, infinity), besselI(order, infinity)]).toEqual([none, none, none]);
    expect([besselI(order, infinity, true), besselK(order, infinity), besselK(order, infinity, true)]).toEqual([
      0, 0, 0,
    ]);
    for (const compute of [besselJ, besselY, besselI, besselK]) expect(compute(order, none)).toBe(none);
  }
  expect([airyAi(infinity), airyAi(-infinity), airyAi(none)]).toEqual([none, none, none]);
});

it("Airy's function is PyTorch's", () => {
  const given = [
    -0.17640612707798525, 0.3191032477191283, -0.11232483666261353, 0.22740742820168564, 0.3550280538878172,
    0.07174949700810533, 0.015725923380470484, 2.4711684308724895e-9, 1.956232022933906e-304, 0,
  ];
  for (const [i, x] of [-20, -9.5, -2.5, -2, 0, 1.5, 2.5, 9, 103, 104].entries()) expectNear(airyAi(x), given[i]!);
});
