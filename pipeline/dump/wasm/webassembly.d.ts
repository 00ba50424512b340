// The types of https://webassembly.github.io/spec/js-api/ that this product uses and Node provides.
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    private readonly code: unknown;
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: unknown;
  }
  interface Global {
    readonly value: unknown;
  }
}
