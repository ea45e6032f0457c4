export { WasmBackend } from "./backend.ts";
