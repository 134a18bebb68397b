// Does one task of the page, in a worker of its own, which ends with it. The page sends a task, and
// gets what comes of it as [kind, value] until "end" or "failure".
"use strict";

function tell(kind, value, transferred = []) {
  postMessage([kind, value], transferred);
}

// The module, telling what its functions tell, but pictures, which go to `onPicture`.
function startModule(compiled, onPicture) {
  return MmpDecoder({
    instantiateWasm(imports, start) {
      WebAssembly.instantiate(compiled, imports).then((instance) => start(instance, compiled));
      return {};
    },
    onText: (kind, text) => tell(kind, kind === "failure" ? text : JSON.parse(text)),
    onProgress: (part) => tell("progress", part),
    onPicture,
  });
}

// Where the bytes are in the module's memory.
function place(module, bytes) {
  const address = module._malloc(bytes.length + 1);
  if (address === 0) throw new RangeError("the file is too large for the memory of this page");
  module.HEAPU8.set(bytes, address);
  module.HEAPU8[address + bytes.length] = 0;
  return address;
}

const TASKS = {
  async decode({compiled, file, dictionary}) {
    const onPicture = (picture) => tell("picture", picture, [picture.samples.buffer]);
    const module = await startModule(compiled, onPicture);
    const address = place(module, file), patterns = place(module, dictionary);
    module._mmp_web_decode(address, file.length, patterns, dictionary.length);
  },

  async inspect({compiled, file, dictionary, name}) {
    const pictures = [];
    const module = await startModule(compiled, (picture) => pictures.push(picture));
    const address = place(module, file), patterns = place(module, dictionary);
    module._mmp_web_inspect(
        address, file.length, patterns, dictionary.length,
        place(module, new TextEncoder().encode(name)));
    // Enlarged pictures repeat their rows, which differences of rows take out.
    for (const picture of pictures)
      tell("layer", {name: picture.name, png: await png.encode(picture, [2])});
  },

  async save({picture}) {
    tell("png", await png.encode(picture));
  },
};

onmessage = async ({data}) => {
  try {
    await TASKS[data.task](data);
    tell("end");
  } catch (error) {
    tell(
        "failure",
        error instanceof RangeError ? `there is not enough memory: ${error.message}` :
                                      `the decoder failed: ${error.message}`);
  }
};
