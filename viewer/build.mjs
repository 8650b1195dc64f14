// Builds dist/page.html, one file with everything inside: node build.mjs [OUT]
// The same source and the same package-lock.json give the same bytes; tests/viewer/build_test.py holds that.
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist", "page.html");

async function bundle(entry, options) {
  const result = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, write: false, minify: true, target: "es2022",
    legalComments: "none", charset: "ascii", ...options,
  });
  return result.outputFiles[0].text.trim();
}

const program = await bundle("src/main.ts", { format: "iife" });
const loader = await bundle("src/loader.ts", { format: "iife" });
const style = await bundle("src/style.css", {});
if (/<\/script/i.test(program)) throw new Error("the program would end its own element");

// Licences of what is bundled go along, as they ask.
const notices = ["three/LICENSE", "uplot/LICENSE", "lil-gui/LICENSE.md"].map((path) => {
  const name = path.split("/")[0];
  const { version } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(here, "node_modules", path), "utf8").trim().replaceAll("--", "- -")}`;
});
const parts = {
  notices: notices.join("\n\n"),
  style: `<style>${style}</style>`,
  program: `<script type="text/plain" id="program">${program}</script>`,
  loader: `<script>${loader}</script>`,
};
const page = readFileSync(join(here, "src", "page.html"), "utf8")
  .replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${page.length} bytes`);
