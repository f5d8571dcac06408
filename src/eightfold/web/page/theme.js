// Runs before anything is drawn, so that a dark page does not flash in white.
// `data-theme` is the choice of the user, if there is one; `data-shade` is what the style sheets use.
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
