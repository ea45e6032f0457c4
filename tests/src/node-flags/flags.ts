import { fileURLToPath } from "node:url";

const REQUIRED = fileURLToPath(new URL("required.cjs", import.meta.url));

/** Flags of each kind that Node has, some of them only in some versions. Several in one line belong together. */
export const FLAGS: readonly string[] = [
  // These are V8's own flags.
  ...["--max-old-space-size=400", "--max-semi-space-size=16", "--stack-size=900", "--stack-trace-limit=5"],
  ...["--expose-gc", "--harmony", "--no-opt", "--prof", "--perf-basic-prof", "--interpreted-frames-native-stack"],
  ...["--disallow-code-generation-from-strings", "--abort-on-uncaught-exception", "--no-wasm-tier-up"],
  // These concern the whole process.
  ...["--title=user", "--v8-pool-size=0", "--secure-heap=65536", "--zero-fill-buffers", "--report-on-fatalerror"],
  ...["--openssl-legacy-provider", "--disable-proto=throw", "--disable-wasm-trap-handler", "--tls-min-v1.2"],
  ...["--no-node-snapshot", "--use-largepages=silent", "--trace-sigint"],
  // These concern each thread.
  ...["--conditions=mine", "-C mine", "--preserve-symlinks --preserve-symlinks-main", "--no-addons"],
  ...["--throw-deprecation", "--unhandled-rejections=none", "--enable-source-maps", "--trace-uncaught"],
  ...["--frozen-intrinsics", "--cpu-prof", "--heap-prof", "--inspect=0", "--experimental-default-type=module"],
  ...["--experimental-vm-modules", "--experimental-wasm-modules", "--experimental-strip-types"],
  ...["--no-experimental-require-module", "--experimental-import-meta-resolve", "--experimental-shadow-realm"],
  // These load modules of the user.
  ...["--import=data:text/javascript,globalThis.mine=1", `--require=${REQUIRED}`, `-r ${REQUIRED}`],
  "--experimental-loader=data:text/javascript,export{}",
  // These restrict what code may do.
  ...["--permission --allow-fs-read=* --allow-worker", "--experimental-permission --allow-fs-read=* --allow-worker"],
];

/** Flags under which no thread starts, or nothing can be compiled, each with the error's code. */
export const REFUSED: readonly (readonly [flags: string, code: string])[] = [
  ["--jitless", "wasm.unavailable"],
  ["--permission --allow-fs-read=*", "wasm.worker-failed"],
  ["--experimental-permission --allow-fs-read=*", "wasm.worker-failed"],
];

/** With these a process waits for a debugger, does other work, may not read the script, or cannot be as above. */
const OTHERWISE =
  /^--(inspect|debug-port|watch|prof-process|trace-promises|snapshot-blob|test|force-fips|enable-fips|run|build-|jitless|(experimental-)?permission)/;

/** Lists every other flag of this version that may be in `NODE_OPTIONS`, except flags that take a value. */
export function allFlags(): readonly string[] {
  return [...process.allowedNodeEnvironmentFlags].filter((flag) => flag.startsWith("--") && !OTHERWISE.test(flag));
}
