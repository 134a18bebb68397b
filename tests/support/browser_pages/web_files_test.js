// Opens each file of the test and hands over what the page makes of it: "0.failure", "0.png", and
// of those that are looked into "0.Segmentation" and so on.
finish(async () => {
  const files = testData();
  for (const [index, {name, file, dictionary, inspect}] of files.entries()) {
    await open(fileOf(name, file));
    if (dictionary) {
      check("the dictionary file is asked for", shows("dictionary-control"));
      check("and why is said", failureText().includes("dictionary"), failureText());
      put(one("#dictionary-file"), fileOf("own.mmd", dictionary));
      await until(() => !shows("failure"));
      await settled();
    }
    if (failureText() !== "") reportValue(`${index}.failure`, encodeURIComponent(failureText()));
    if (shows("decoded")) reportValue(`${index}.png`, await savedPng());
    if (!inspect) continue;
    const blobs = await blobsOf(lookInside);
    const names = all("#inside input[name='layer']").map((node) => node.value);
    for (const [k, layer] of names.entries())
      reportValue(`${index}.${layer}`, await base64Of(blobs[k]));
    checkPage();
  }
  check("all are there", files.length > 0);
});
