// Lines of JSON {"tex", "display"} in, lines of JSON {"html"} or {"error"} out. usage: node katex_render.js KATEX_FOLDER
const katex = require(process.argv[2] + "/katex.js");
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    const options = { displayMode: display, throwOnError: true, strict: (code) => (code === "unicodeTextInMathMode" ? "ignore" : "error") };
    answer = { html: katex.renderToString(tex, options) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
