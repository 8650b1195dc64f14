// Runs first: unpacks the program and starts it, or says why that cannot be.
import { inflateText } from "./inflate";

async function start(): Promise<void> {
  document.documentElement.dataset.started = "true";
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old for the page: it has no DecompressionStream. "
      + "Open it with Chrome or Edge 103, Firefox 113, Safari 16.4 or later.");
  }
  const element = document.getElementById("program")!;
  const packed = element.dataset.packed !== undefined;
  const script = document.createElement("script");
  script.textContent = packed ? await inflateText(element.textContent!) : element.textContent;
  element.remove();
  document.body.append(script);
}

start().catch((error: unknown) => {
  const message = document.getElementById("message")!;
  message.hidden = false;
  message.textContent = error instanceof Error ? error.message : String(error);
});
