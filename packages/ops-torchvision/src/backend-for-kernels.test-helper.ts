import { type LibtorchBackend, libtorch, loadAddon } from "@pt2/backend-libtorch/node";
import { orWhyNot } from "@pt2/testing/or-why-not";

/** Makes a backend for which kernels can be compiled, or says why there is none here. */
export async function backendForKernels(threads = 2): Promise<LibtorchBackend | string> {
  const made = await orWhyNot(libtorch({ threads }));
  if (typeof made === "string") return made;
  const { libtorch: found } = await loadAddon();
  const [, minor] = /^2\.(\d+)/.exec(found.version) ?? [];
  if (minor === undefined || Number(minor) >= 11) return made;
  await made.dispose();
  return `torch ${found.version} has no stable ABI`;
}
