/** A package in its row. */
export interface Member {
  readonly name: string;
  readonly what: string;
  /** Narrower than "earlier rows": what the shipped code may import. Its tests may still import every earlier row. */
  readonly only?: readonly string[];
  /** Is for tests: shipped code may not import it. */
  readonly tests?: true;
  /** May reach past entry points, to look at one module at a time. */
  readonly inside?: true;
}

const FOUNDATION = ["@pt2/format", "@pt2/graph", "@pt2/registry", "@pt2/backend"];
const ENGINE = "@pt2/engine";
const BACKENDS = ["@pt2/backend-wasm", "@pt2/backend-libtorch", "@pt2/backend-webgpu"];

/**
 * The house, as an array of rows: a package imports from earlier rows only, never from its own. The last row holds
 * programs that no package imports, so its members may use everything. Packages that do not exist yet have their place.
 */
export const ROWS: readonly (readonly Member[])[] = [
  [
    { name: "@pt2/format", what: "bytes → typed archive" },
    { name: "@pt2/testing", what: "what the tests of all packages share", tests: true },
  ],
  [{ name: "@pt2/graph", what: "archive → IR; structural passes; text form" }],
  [{ name: "@pt2/registry", what: "what ops mean: schema, infer, decompose; handlers" }],
  [{ name: "@pt2/backend", what: "the contract: Backend, Executable, Tensor, plan" }],
  [
    { name: "@pt2/engine", what: "what backends that lower programs share: stages, plans, host kernels" },
    { name: "@pt2/autograd", what: "program → program with gradients" },
  ],
  [{ name: "@pt2/conformance", what: "the contract as a test suite anyone can run" }],
  BACKENDS.map((name) => ({ name, what: "a backend (conformance in its tests only)", only: [...FOUNDATION, ENGINE] })),
  [
    { name: "@pt2/runtime", what: "load and call; never a concrete backend", only: FOUNDATION },
    { name: "@pt2/eager", what: "ops called one by one; never a concrete backend", only: FOUNDATION },
  ],
  [
    {
      name: "@pt2/train",
      what: "a program is trained where it runs",
      only: [...FOUNDATION, "@pt2/autograd", "@pt2/runtime"],
    },
    {
      name: "@pt2/ops-torchvision",
      what: "an op set, made with public entry points alone",
      only: [...FOUNDATION, ...BACKENDS],
    },
  ],
  [
    {
      name: "@pt2/vision",
      what: "pictures in, boxes and classes out",
      only: [...FOUNDATION, "@pt2/runtime"],
    },
    {
      name: "@pt2/generate",
      what: "a prompt in, tokens out",
      only: [...FOUNDATION, "@pt2/runtime"],
    },
  ],
  [
    { name: "@pt2/cli", what: "pt2, the command line" },
    { name: "@pt2/custom-ops", what: "example: ops of one's own" },
    { name: "@pt2/detect-node", what: "example: a detector finds things in a picture" },
    { name: "@pt2/detect-web", what: "example: a page that finds things in pictures and before a camera" },
    { name: "@pt2/digits", what: "example: handwritten digits" },
    { name: "@pt2/finetune", what: "example: a network learns, in Node and in a page" },
    { name: "pt2-scan", what: "example: an op package of a third party" },
    { name: "@pt2/search", what: "example: sentence search" },
    { name: "@pt2/web", what: "example: a page that opens and runs programs" },
    { name: "@pt2/write", what: "example: a page that continues a text" },
    { name: "@pt2/tests", what: "tests across packages", inside: true },
    { name: "@pt2/bench", what: "measurements", inside: true },
  ],
];

/**
 * The packages that the shipped code (`test: false`) or the tests of a package may import. Undefined: not in the house.
 */
export function mayImport(name: string, options: { readonly test: boolean }): ReadonlySet<string> | undefined {
  const index = ROWS.findIndex((row) => row.some((each) => each.name === name));
  const member = memberOf(name);
  if (member === undefined) return undefined;
  const isTop = index === ROWS.length - 1;
  if (member.only !== undefined && !options.test) return new Set(member.only);
  const earlier = ROWS.slice(0, isTop ? index + 1 : index).flat();
  return new Set(earlier.filter(({ tests }) => tests !== true || options.test || isTop).map((each) => each.name));
}

/** A package's entry in the house. */
export function memberOf(name: string): Member | undefined {
  return ROWS.flat().find((member) => member.name === name);
}
