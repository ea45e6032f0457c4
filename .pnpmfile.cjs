/**
 * What packing and publishing write into `package.json`: without the condition `dev`, by which this repository runs
 * sources. Other repositories have a condition of that name too, and Node does not run TypeScript in packages.
 */
function beforePacking(manifest) {
  for (const target of Object.values(manifest.exports ?? {})) if (typeof target === "object") delete target.dev;
  return manifest;
}

module.exports = { hooks: { beforePacking } };
