import { parse } from "@pt2/graph";
import { createRegistry, effectsOf, parseSchema } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { Dispatcher } from "../dispatcher.ts";
import { Router } from "../routes.ts";
import { commitsOf } from "./commits.ts";
import { encodeProgram } from "./encode-program.ts";
import { inlineEffects } from "./inline-effects.ts";
import { printPlan } from "./print-plan.test-helper.ts";
import { writesState } from "./writes-state.ts";

const registry = createRegistry({ sets: [aten] });

/** A dispatcher of a few ops. */
const SCHEMAS = new Map(
  [
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
    "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
    "aten::neg(Tensor self) -> Tensor",
    "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    "aten::sym_size.int(Tensor self, int dim) -> SymInt",
    "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
    "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
  ].map((text) => [parseSchema(text).name, text]),
);
const dispatcher = new Dispatcher(
  { schema: (op) => SCHEMAS.get(op) ?? null, hasKernel: () => true, refusal: () => null },
  "cuda:0",
);
const router = new Router(dispatcher, registry, []);
const options = { device: "cuda:0", routeOf: router.routeOf.bind(router) };
const program = (body: string) => parse(`program "TRAINING" torch "2.13.0" {\n${body}\n}\n`);
const encoded = (body: string): string => printPlan(encodeProgram(program(body), options).plan);

test("values are slots, arguments keep their kinds, devices are the backend's", () => {
  expect(
    encoded(`
  parameter "w" = %w: f32[2]
  parameter "unread" = %u: f32[2]
  constant_input "k" = 3
  user_input %x: f32[2]
  user_input %unused: f32[2]
  %a: f32[2] = aten::add.Tensor(%x, other=%w, alpha=2.5)
  %r: i64[4] = aten::arange(end=4, dtype=torch.int64, layout=torch.strided, device=device(cpu), pin_memory=false)
  %c: f32[4] = aten::cat(tensors=[%a, %w], dim=0)
  %v: f32[1], %i: i64[1] = aten::topk(%c, k=1)
  return %v, %r, 7, none`),
  ).toBe(`on cuda:0
graph 0 (0, 1, -) 8 slots
  op aten::add.Tensor(self=%1, other=%0, alpha=2.5) -> 3
  op aten::arange(end=4, dtype=int64, layout=strided, device=cuda:0, pin_memory=false) -> 4
  op aten::cat(tensors=[%3, %0], dim=0) -> 5
  op aten::topk(self=%5, k=1) -> 6, -
  return %6, %4, 7, none
`);
});

test("numbers are scalar nodes, results may be lists, and nested graphs have an index", () => {
  expect(
    encoded(`
  user_input %p: bool[]
  user_input %x: f32[s0, 4]
  %n: int(s0) = aten::sym_size.int(%x, dim=0)
  %m: int(s0*4) = _operator::mul(a=%n, b=4)
  %f: f32[s0*4] = aten::view(%x, size=[%m])
  split: [%a: f32[s0*2], %b: f32[s0*2]] = aten::split.Tensor(%f, split_size=%m)
  cond: [%y: f32[s0*2]] = higher_order::cond(%p, graph yes(%t: f32[s0*2]) {
    %z: f32[s0*2] = aten::neg(%t)
    return %z
  }, graph no(%t: f32[s0*2]) {
    return %t
  }, [%a])
  return %y, %b, %m`),
  ).toBe(`on cuda:0
graph 0 (0, 1) 8 slots
  op aten::sym_size.int(self=%1, dim=0) -> 2
  scalar _operator::mul(%2, 4) -> 3
  op aten::view(self=%1, size=[%3]) -> 4
  op aten::split.Tensor(self=%4, split_size=%3) -> [5, 6]
  control higher_order::cond(%0, graph 1, graph 2, [%5]) -> 7
  return %7, %6, %3
graph 1 (0) 2 slots
  op aten::neg(self=%0) -> 1
  return %1
graph 2 (0) 1 slots
  return %0
`);
});

test("an op that the dispatcher lacks is a host node that is given what it uses", () => {
  expect(
    encoded(`
  user_input %x: f32[s0]
  user_input %y: f32[s0]
  %z: f32[s0] = aten::atan2(%x, other=%y)
  return %z`),
  ).toContain("host aten::atan2(%0, %1) -> 2\n");
});

test("effect tokens are left out", () => {
  const effects = inlineEffects(
    program(`
  token %token: object "token"
  user_input %x: f32[2]
  with_effects: %next: object "token", %y: f32[2] = higher_order::with_effects(%token, &aten::neg, %x)
  return %next -> token, %y`),
    (op) => dispatcher.schema(op),
  );
  expect(printPlan(encodeProgram(effects, options).plan)).toBe(`on cuda:0
graph 0 (0) 2 slots
  op aten::neg(self=%0) -> 1
  return none, %1
`);
});

test("new values of buffers are committed, or copied where memory is shared", () => {
  const functional = program(`
  buffer "a" = %a: f32[2]
  buffer "b" = %b: f32[2]
  user_input %x: f32[2]
  %y: f32[2] = aten::add.Tensor(%a, other=%x)
  %z: f32[2] = aten::add.Tensor(%b, other=%x)
  return %y -> buffer_mutation "a", %z -> buffer_mutation "b", %y`);
  const { program: copied, commits } = commitsOf(functional, {
    isShared: (target) => target === "b",
    effectsOf: (op) => router.effectsOf(op),
  });
  expect(commits).toEqual([{ output: 0, target: "a" }]);
  expect(printPlan(encodeProgram(copied, options).plan)).toContain("op aten::copy_(self=%1, src=%4) -> -\n");
});

test("what may change a weight is found through views, and nothing else counts", () => {
  const writesOf = (body: string) =>
    writesState(program(body), {
      isOp: (node) => router.routeOf(node).kind === "op",
      effectsOf(op) {
        const schema = dispatcher.schema(op);
        return schema === null ? undefined : effectsOf({ schema });
      },
    });
  const writes = (body: string): boolean => writesOf(body).any;
  const inputs = `
  buffer "b" = %b: f32[2, 3]
  user_input %x: f32[2, 3]
  `;
  expect(writes(`${inputs}%y: f32[2, 3] = aten::add_.Tensor(%x, other=%b)\n  return %y`)).toBe(false);
  expect(writes(`${inputs}%y: f32[2, 3] = aten::add_.Tensor(%b, other=%x)\n  return %y`)).toBe(true);
  const view = `${inputs}%v: f32[3] = aten::select.int(%b, dim=0, index=0)\n  `;
  expect(writes(`${view}%y: f32[3] = aten::add_.Tensor(%v, other=%x)\n  return %y`)).toBe(true);
  expect(
    writes(`${inputs}split: [%p: f32[1, 3], %q: f32[1, 3]] = aten::split.Tensor(%b, split_size=1)
  %y: f32[1, 3] = aten::add_.Tensor(%q, other=%p)
  return %y`),
  ).toBe(true);
  const norm = (training: boolean): string => `
  buffer "m" = %m: f32[3]
  buffer "v" = %v: f32[3]
  user_input %x: f32[2, 3]
  %y: f32[2, 3] = aten::batch_norm(input=%x, weight=none, bias=none, running_mean=%m, running_var=%v, training=${training}, momentum=0.1, eps=1e-5, cudnn_enabled=true)
  return %y`;
  expect([writes(norm(true)), writes(norm(false))]).toEqual([true, false]);
  expect([...writesOf(norm(true)).inPlace]).toEqual(["m", "v"]);
  const two = `buffer "a" = %a: f32[2, 3]
  ${inputs}%v: f32[3] = aten::select.int(%b, dim=0, index=0)
  %sum: f32[2, 3] = aten::add.Tensor(%a, other=%b)
  `;
  expect([...writesOf(`${two}%y: f32[3] = aten::add_.Tensor(%v, other=%v)\n  return %sum`).inPlace]).toEqual(["b"]);
  expect([...writesOf(`${two}%y: f32[2, 3] = aten::add_.Tensor(%sum, other=%x)\n  return %y`).inPlace]).toEqual([]);
  const result = writesOf(`${two}return %sum -> buffer_mutation "a", %v`);
  expect([result.any, [...result.inPlace]]).toEqual([true, []]);
  const branches = writesOf(
    `${two}user_input %p: bool[]
  cond: [%y: f32[2, 3]] = higher_order::cond(%p, graph yes(%i: f32[2, 3]) {
    %n: f32[2, 3] = aten::add_.Tensor(%i, other=%i)
    return %n
  }, graph no(%i: f32[2, 3]) {
    %n: f32[2, 3] = aten::add.Tensor(%i, other=%i)
    return %n
  }, [%b])
  return %y`
      .replace("user_input %p: bool[]\n  ", "")
      .replace("user_input %x", "user_input %p: bool[]\n  user_input %x"),
  );
  expect([...branches.inPlace]).toEqual(["b"]);
});

test("a number of more than 64 bits is infinity to a comparison", () => {
  expect(
    encoded(`
  user_input %x: f32[s0]
  %n: int = aten::sym_size.int(%x, dim=0)
  %least: bool = _operator::ge(%n, b=-27670116110564327418)
  %most: bool = _operator::le(%n, b=27670116110564327418)
  return %least, %most`),
  ).toContain(`(%1, -Infinity) -> 2
  scalar _operator::le(%1, Infinity) -> 3`);
});
