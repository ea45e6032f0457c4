// vs.local.ts THREADS SECONDS MODELS...: this checkout against /work/tmp/wt, in turns in one process; PAUSE=ms between runs
const [threads, seconds, ...names] = process.argv.slice(2);
const folder = process.env.MODELS ?? "/work/tmp/bench";
const pause = Number(process.env.PAUSE ?? 0);
const { compileHere: neu } = await import("./subjects.ts");
const { compileHere: old } = await import("/work/tmp/wt/bench/src/subjects.ts");
const { readTensors } = await import("./tensors.ts");
const q = (a: number[], f = 0.5) => [...a].sort((x, y) => x - y)[Math.floor(a.length * f)]!;
const ratios: number[] = [];
for (const name of names) {
  const inputs = await readTensors(`${folder}/${name}.inputs.safetensors`);
  const ex: any[] = [];
  for (const c of [old, neu]) { const { executable } = await c(`${folder}/${name}.pt2`, Number(threads)); for (let i = 0; i < 40; i++) await executable.run(inputs); ex.push(executable); }
  const t: number[][] = [[], []], pairs: number[] = [];
  const end = performance.now() + Number(seconds) * 1000;
  const n = pause ? 1 : 8;
  for (let r = 0; performance.now() < end; r++) {
    const m = [0, 0];
    for (const k of r % 2 ? [1, 0] : [0, 1]) { const ms: number[] = []; for (let i = 0; i < n + (pause ? 0 : 2); i++) { if (pause) await new Promise((r) => setTimeout(r, pause)); const s = performance.now(); await ex[k].run(inputs); ms.push(performance.now() - s); } m[k] = q(pause ? ms : ms.slice(2)); t[k]!.push(m[k]!); }
    pairs.push(m[1]! / m[0]!);
  }
  ratios.push(q(pairs));
  console.log(name.padEnd(24), ...[0, 1].map((k) => `${k ? "new" : "old"} p10 ${q(t[k]!, .1).toFixed(2)} p50 ${q(t[k]!).toFixed(2)} p90 ${q(t[k]!, .9).toFixed(2)}  `), "pairs", q(pairs, .25).toFixed(3), q(pairs).toFixed(3), q(pairs, .75).toFixed(3));
  for (const e of ex) await e.dispose();
}
console.log("mean", Math.exp(ratios.reduce((s, x) => s + Math.log(x), 0) / ratios.length).toFixed(3));
process.exit(0);
