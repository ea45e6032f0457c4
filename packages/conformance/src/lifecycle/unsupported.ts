import type { Progress } from "@pt2/backend";
import { floats } from "../programs.ts";
import { weightOf } from "../weight-of.ts";
import { expectCodedError, expectThat, expectValues, ramp } from "./expectations.ts";
import type { LifecycleCase } from "./lifecycle-case.ts";

const UNKNOWN = `program {
  user_input %x: f32[3]
  %a: f32[3] = aten::relu(%x)
  %b: f32[3] = nobody::has_this(self=%a)  # head.act (model.py:41, in forward)
  %c: f32[3] = nobody::has_this(self=%b)
  %d: f32[3] = nobody::nor_this(self=%c)
  return %d
}`;

const NESTED = `program {
  user_input %p: bool[]
  user_input %x: f32[3]
  cond: [%y: f32[3]] = higher_order::cond(%p, graph yes(%a: f32[3]) {
    %b: f32[3] = nobody::has_this(self=%a)
    return %b
  }, graph no(%a: f32[3]) {
    %b: f32[3] = aten::neg(%a)
    return %b
  }, [%x])
  return %y
}`;

const SUM = `program {
  parameter "w" = %w: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::add.Tensor(%x, other=%w)
  return %y
}`;

/** Cases for programs that a backend cannot run, which it must report before it tries. */
export const UNSUPPORTED: readonly LifecycleCase[] = [
  {
    name: "unsupported: every op at once, with counts and the first place",
    async run({ backend, program, registry }) {
      const unknown = program(UNKNOWN);
      const missing = await backend.unsupported(unknown, registry);
      const [first, second] = [...missing].sort((a, b) => a.op.localeCompare(b.op));
      expectThat(missing.length === 2, `2 ops are missing, reported are ${missing.length}`);
      expectThat(second!.op === "nobody::nor_this" || first!.op === "nobody::nor_this", "nobody::nor_this is reported");
      const twice = missing.find(({ op }) => op === "nobody::has_this");
      expectThat(twice?.count === 2, "nobody::has_this is counted twice");
      expectThat(/model\.py:41/.test(twice.where), `its place is "${twice.where}", without the Python line`);
      const error = await expectCodedError(
        backend.compile({ program: unknown, weights: new Map(), registry }),
        "compile with unknown ops",
      );
      for (const { op } of missing) expectThat(error.message.includes(op), `the error of compile does not name ${op}`);
    },
  },
  {
    name: "unsupported: nested graphs are looked into",
    async run({ backend, program, registry }) {
      const missing = await backend.unsupported(program(NESTED), registry);
      expectThat(
        missing.some(({ op }) => op === "nobody::has_this"),
        "an op of a branch is reported",
      );
    },
  },
  {
    name: "unsupported: nothing for a program that runs",
    async run({ backend, program, registry }) {
      expectThat((await backend.unsupported(program(SUM), registry)).length === 0, "nothing is missing");
    },
  },
  {
    name: "compile: a missing weight is a coded error, and the next compile works",
    async run({ compile }) {
      await expectCodedError(compile(SUM), "compile without the weight");
      const executable = await compile(SUM, [weightOf("w", floats([3], 1, 2, 3))]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 1, 2.5, 4)]);
    },
  },
  {
    name: "compile: a weight that cannot be read rejects with the reader's error",
    async run({ compile }) {
      const good = weightOf("w", floats([3], 1, 2, 3));
      const broken = {
        ...good,
        storage: { ...good.storage, read: () => Promise.reject(new Error("the disk is gone")) },
      };
      const error = await compile(SUM, [broken]).then(
        () => null,
        (reason: unknown) => reason,
      );
      expectThat(String(error).includes("the disk is gone"), `compile rejects with ${String(error)}`);
      const executable = await compile(SUM, [good]);
      await expectValues(await executable.run([ramp([3])]), [floats([3], 1, 2.5, 4)]);
    },
  },
  {
    name: "compile: progress ends at the total",
    async run({ backend, program, registry }) {
      const seen: Progress[] = [];
      const w = weightOf("w", floats([3], 1, 2, 3));
      const executable = await backend.compile({
        program: program(SUM),
        weights: new Map([["w", w]]),
        registry,
        onProgress: (progress) => seen.push(progress),
      });
      await executable.dispose();
      const last = seen.at(-1);
      expectThat(last !== undefined && last.done === last.total, "the last report is of everything");
      expectThat(
        seen.every(({ stage, done }, i) => !seen.slice(0, i).some((past) => past.stage === stage && past.done > done)),
        "progress of a stage never goes back",
      );
    },
  },
];
