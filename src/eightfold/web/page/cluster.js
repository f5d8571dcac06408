// The nodes of a cluster that play the games of a run: a panel of the runs view, for runs that have any.

import { make, show } from "./dom.js";
import { numberOf, percent } from "./names.js";

const COLUMNS = [
  ["Node", ({ node }) => node],
  ["Actors", ({ actors }) => actors],
  ["Games/s", (node) => node.games_per_s?.toFixed(2)],
  ["Simulations/s", (node) => Math.round(node.simulations_per_s).toLocaleString("en")],
  ["Playing", ({ busy }) => percent(Math.min(1, busy))],
  ["Weights are", (node) => `${node.weights_age_s?.toFixed(1)} s old`],
];

export class ClusterPanel {
  constructor() {
    this.words = make("p", { class: "note", id: "cluster-words" });
    this.rows = make("tbody", { id: "cluster-nodes" });
    const head = make("tr", {}, ...COLUMNS.map(([title]) => make("th", { scope: "col" }, title)));
    this.node = make("div", { class: "card cluster", hidden: true }, make("h2", {}, "Cluster"), this.words,
      make("div", { class: "scrolled" }, make("table", {}, make("thead", {}, head), this.rows)));
  }

  // The newest entry of the metrics that tells of nodes, if there is one.
  show(entry) {
    show(this.node, Boolean(entry));
    if (!entry) return;
    const { actors, nodes, actors_lost: lost, bytes_a_game: bytes } = entry;
    this.words.textContent = [`${numberOf(actors, "actor")} on ${numberOf(nodes.length, "node")}`,
      lost ? `${lost} lost and replaced since the launch` : null,
      bytes ? `${Math.round(bytes).toLocaleString("en")} bytes a game` : null].filter(Boolean).join(" · ");
    this.rows.replaceChildren(...nodes.map((node) => make("tr", {}, ...COLUMNS.map(([, cell]) => make("td", {}, String(cell(node)))))));
  }
}
