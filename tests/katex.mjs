// Reads a list of LaTeX from standard input and prints those that KaTeX, which GitHub's readers come near to, refuses.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const katex = createRequire(process.argv[2] + "/")("katex");
const refused = [];
for (const latex of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    katex.renderToString(latex, { strict: "error", throwOnError: true, output: "mathml" });
  } catch (error) {
    refused.push([latex, String(error.message)]);
  }
}
console.log(JSON.stringify(refused));
