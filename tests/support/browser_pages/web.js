// Uses the page that decodes as a person would.

// The next time that it holds.
function until(holds) {
  return new Promise((resolve, reject) => {
    const deadline = performance.now() + 60000;
    const look = () => {
      if (holds())
        resolve();
      else if (performance.now() > deadline)
        reject(new Error(`waited too long for ${holds}`));
      else
        setTimeout(look, 2);
    };
    look();
  });
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

function fileOf(name, base64) {
  return new File([bytesOf(base64)], name);
}

function put(input, file) {
  const transfer = new DataTransfer();
  transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change"));
}

function shows(id) {
  return !one(`#${id}`).hidden;
}

// Once what has been begun, which takes off what was there, has come to its end.
function settled() {
  return until(() => !shows("working") && (shows("decoded") || shows("failure")));
}

async function open(file) {
  one("h1").textContent = "";
  put(one("#file"), file);
  await until(() => one("h1").textContent === file.name);
  await settled();
}

function failureText() {
  return shows("failure") ? one("#failure").textContent : "";
}

async function base64Of(blob) {
  let text = "";
  for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}

// The blobs that the page makes an address of while `act` is done; those of scripts are not among
// them.
async function blobsOf(act) {
  const blobs = [], create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    if (blob.type === "image/png") blobs.push(blob);
    return create.call(URL, blob);
  };
  try {
    await act();
  } finally {
    URL.createObjectURL = create;
  }
  return blobs;
}

// The PNG file that is saved, not left to the browser's downloads.
async function savedPng() {
  let download = null;
  const click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function() {
    download = this.download;
  };
  const blobs = await blobsOf(async () => {
    one("#save").click();
    await until(() => download !== null && !shows("working"));
  });
  HTMLAnchorElement.prototype.click = click;
  checkEqual("one file is saved", blobs.length, 1);
  check("with a name of its own", download.endsWith(".png"), download);
  return base64Of(blobs[0]);
}

async function lookInside() {
  one("#look-button").click();
  await until(() => !shows("working") && (document.querySelector("#stage") || shows("failure")));
  await drawn();
}

function testData() {
  return JSON.parse(one("#test-data").textContent);
}
