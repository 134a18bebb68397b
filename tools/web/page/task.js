// Work that the page has done elsewhere, so that it stays responsive: a worker a task.
"use strict";

// The decoder's module, compiled once.
function compiledModule() {
  compiledModule.promise ??= (async () => {
    const packed = Uint8Array.from(atob(byId("module").textContent), (c) => c.charCodeAt(0));
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(bytes).arrayBuffer());
  })();
  return compiledModule.promise;
}

// A task of worker.js. `hear` has a function for what it tells that is of interest, by kind: "end"
// comes last, or "failure" with a message. Nothing comes once it is cancelled.
class Task {
  constructor(message, hear) {
    this.hear = hear;
    this.start(message);
  }

  async start(message) {
    try {
      const compiled = await compiledModule();
      if (this.isOver) return;
      const script = new Blob([byId("worker").textContent], {type: "text/javascript"});
      const url = URL.createObjectURL(script);
      this.worker = new Worker(url);
      URL.revokeObjectURL(url);
      this.worker.onmessage = ({data: [kind, value]}) => this.tell(kind, value);
      this.worker.onerror = (event) => {
        event.preventDefault();
        this.tell("failure", `the decoder failed: ${event.message ?? "its worker did not start"}`);
      };
      this.worker.postMessage({compiled, ...message});
    } catch (error) {
      this.tell("failure", `this browser cannot run the decoder: ${error.message}`);
    }
  }

  tell(kind, value) {
    if (this.isOver) return;
    if (kind === "failure" || kind === "end") this.cancel();
    this.hear[kind]?.(value);
  }

  cancel() {
    this.isOver = true;
    this.worker?.terminate();
  }
}
