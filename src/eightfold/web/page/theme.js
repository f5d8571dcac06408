// Runs before anything is drawn, so that a page that was set to dark does not flash in white.
{
  const kept = localStorage.getItem("theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
}
