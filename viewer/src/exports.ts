// Pictures and films out of the page.

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function baseName(title: string): string {
  return title.replace(/\.[A-Za-z0-9]+$/, "").replace(/[^\w.-]+/g, "_") || "stiction";
}

export function savePng(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => { if (blob) download(blob, name); }, "image/png");
}

// Films what the canvas shows until stop() is called.
export class Film {
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];

  constructor(canvas: HTMLCanvasElement, name: string) {
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"]
      .find((t) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(t));
    if (!type) throw new Error("This browser records no film. Chrome and Firefox do.");
    this.recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
    this.recorder.ondataavailable = (event) => this.parts.push(event.data);
    this.recorder.onstop = () => download(new Blob(this.parts, { type }), `${name}.${type.includes("mp4") ? "mp4" : "webm"}`);
    this.recorder.start(500);
  }

  stop(): void {
    if (this.recorder.state !== "inactive") this.recorder.stop();
  }
}
