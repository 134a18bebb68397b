// Checks of a report without points.
finish(async () => {
  checkPage();
  check("says so", document.getElementById("curves-chart").textContent.includes("No points"));
  checkEqual("nothing to compare", document.getElementById("compare"), null);
  checkEqual("no times", document.getElementById("time"), null);
  checkEqual(
      "all links lead somewhere",
      all(".contents a").map((node) => node.hash).filter((hash) => !document.querySelector(hash)),
      []);
});
