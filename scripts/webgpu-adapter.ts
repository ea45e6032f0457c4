// Prints what WebGPU finds in Node, as JSON: a process of its own, because a driver may end it.
import { create, globals } from "webgpu";
import { vulkanEnvironment } from "./vulkan.ts";

Object.assign(process.env, vulkanEnvironment());
Object.assign(globalThis, globals);
const gpu = create([]);
const adapter = await gpu.requestAdapter();
const features = ["shader-f16", "subgroups", "timestamp-query"].filter((name) => adapter?.features.has(name));
const { description, device, vendor } = adapter?.info ?? {};
console.log(JSON.stringify(adapter === null ? {} : { name: description || device || vendor, features }));
process.exit(0);
