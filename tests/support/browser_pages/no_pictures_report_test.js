// Checks of a report whose points have no pictures.
finish(async () => {
  checkPage();
  check("says how to have them", one("#compare-note").textContent.includes("--decoded"));
  checkEqual("no stage", document.getElementById("compare-stage"), null);
  checkEqual("no buttons to compare", all("button.thumbnail").length, 0);
  check("curves", all("#curves-chart .marker").length > 0);
});
