// The types of the WebAssembly API of Node (https://webassembly.github.io/spec/js-api/) that line-memory.ts uses.
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
