// Runs before anything is drawn, so that a page that was set to dark does not flash in white.
// `data-theme` is what was chosen, if anything was; `data-shade`, which the style sheets go by, what comes of it.
{
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const shade = () => { root.dataset.shade = root.dataset.theme ?? (prefersDark.matches ? "dark" : "light"); };
  const kept = localStorage.getItem("theme");
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  prefersDark.addEventListener("change", shade);
  new MutationObserver(shade).observe(root, { attributeFilter: ["data-theme"] });
  shade();
}
