/** The access with which a shader left one of its bindings. */
interface Outside {
  readonly shader: string;
  readonly binding: string;
  readonly index: number;
  readonly length: number;
}

/** Watches the accesses of shaders. */
export interface AccessWatch {
  /** Returns the first access outside of a binding since the last call. */
  outside(): Promise<Outside | null>;
}

const DECLARATION = /@group\(0\) @binding\(\d+\) var<storage, \w+> (\w+): array</g;

/**
 * Compiles checks into all shaders of a device from now on. WebGPU keeps accesses outside of a binding harmless, at a
 * price that differs from device to device, so kernels must not rely on it.
 */
export function watchAccesses(device: GPUDevice): AccessWatch {
  const shaders: { readonly name: string; readonly bindings: readonly string[] }[] = [];
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const words = device.createBuffer({ size: 16, usage, label: "outside" });
  const layout = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: "storage" } }],
  });
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer: words } }] });

  const { createShaderModule, createPipelineLayout, createCommandEncoder } = device;
  device.createShaderModule = (descriptor) => {
    const bindings = [...descriptor.code.matchAll(DECLARATION)].map(([, name]) => name!);
    const code = withChecks(descriptor.code, bindings, shaders.push({ name: descriptor.label ?? "", bindings }));
    return createShaderModule.call(device, { ...descriptor, code });
  };
  device.createPipelineLayout = (descriptor) =>
    createPipelineLayout.call(device, {
      ...descriptor,
      bindGroupLayouts: [...descriptor.bindGroupLayouts, layout],
    });
  device.createCommandEncoder = (descriptor) => {
    const encoder = createCommandEncoder.call(device, descriptor);
    const { beginComputePass } = encoder;
    encoder.beginComputePass = (pass) => {
      const begun = beginComputePass.call(encoder, pass);
      begun.setBindGroup(1, group);
      return begun;
    };
    return encoder;
  };
  // The words take one of the bindings that shaders may have.
  const limits = new Proxy(device.limits, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as number;
      return name === "maxStorageBuffersPerShaderStage" ? value - 1 : value;
    },
  });
  Object.defineProperty(device, "limits", { value: limits });

  return {
    outside: async () => {
      const copy = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = createCommandEncoder.call(device);
      encoder.copyBufferToBuffer(words, 0, copy, 0, 16);
      encoder.clearBuffer(words);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const [shader, binding, index, length] = new Uint32Array(copy.getMappedRange().slice(0)) as unknown as [
        number,
        number,
        number,
        number,
      ];
      copy.destroy();
      if (shader === 0) return null;
      const { name, bindings } = shaders[shader - 1]!;
      return { shader: name, binding: bindings[binding]!, index, length };
    },
  };
}

/** Returns the text with a check of every index into a binding; `id` names the shader. */
function withChecks(code: string, bindings: readonly string[], id: number): string {
  const enables = code.match(/^(enable \w+;\n)*/)![0];
  const entry = code.match(/@compute @workgroup_size\([^)]*\)\s*fn main\((.*)\) \{\n/)!;
  const parameters = [...entry[1]!.matchAll(/@builtin\(\w+\) (\w+): (\S+?)(?:,|$)/g)];
  const plain = parameters.map(([, name, type]) => `${name}: ${type}`).join(", ");
  const body = code.slice(enables.length).replace(entry[0], () => `fn unchecked_main(${plain}) {\n`);
  // A private variable costs nothing next to the checks; it is stored once, if there is something to report.
  return `${enables}@group(1) @binding(0) var<storage, read_write> outside_words: vec4<u32>;
var<private> outside_seen: vec4<u32>;
fn inside_of(binding: u32, i: u32, length: u32) -> u32 {
  outside_seen = select(outside_seen, vec4<u32>(${id}u, binding, i, length), i >= length);
  return i;
}
${checked(body, bindings)}
${entry[0]}  unchecked_main(${parameters.map(([, name]) => name).join(", ")});
  if (outside_seen.x != 0u) { outside_words = outside_seen; }
}
`;
}

function checked(code: string, bindings: readonly string[]): string {
  const access = new RegExp(`\\b(${bindings.join("|")})\\[`, "g");
  let out = "";
  let at = 0;
  for (let match = access.exec(code); match !== null; match = access.exec(code)) {
    const end = closing(code, access.lastIndex);
    const name = match[1]!;
    const index = checked(code.slice(access.lastIndex, end), bindings);
    out += `${code.slice(at, access.lastIndex)}inside_of(${bindings.indexOf(name)}u, u32(${index}), arrayLength(&${name}))`;
    at = end;
    access.lastIndex = end;
  }
  return out + code.slice(at);
}

/** Returns where the bracket that is open at `from` closes. */
function closing(code: string, from: number): number {
  let depth = 1;
  for (let at = from; ; at++) {
    if (code[at] === "[") depth++;
    else if (code[at] === "]" && --depth === 0) return at;
  }
}
