// Compiles scan.cc against a libtorch: `npm run build:libtorch -- FOLDER`, where FOLDER has include/ and lib/.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [folder = "/usr/local"] = process.argv.slice(2);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const { status } = spawnSync(
  process.env.CXX ?? "c++",
  [
    ...["-std=c++20", "-O2", "-shared", "-fPIC", `-I${folder}/include`, path("scan.cc")],
    ...[`-L${folder}/lib`, "-ltorch_cpu", "-o", path("../dist/scan.so")],
  ],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
