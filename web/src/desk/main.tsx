// The desk's page: leads from rows to a release over the jobs of the program that serves it.
import { render } from "preact";
import { App } from "./app";

const root = document.getElementById("desk");
if (root) {
  root.textContent = "";
  render(<App />, root);
}
