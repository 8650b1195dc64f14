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

// Films what the canvas shows until stop() is called. A slow machine encodes the first pictures seconds after they were
// shown: what is stopped before goes on until it has some, at most `patience` long, because a recorder that is stopped
// forgets what it has not encoded.
export class Film {
  private static readonly patience = 20000;  // ms
  private readonly recorder: MediaRecorder;
  private readonly parts: Blob[] = [];
  private stopping = false;

  // `empty` is called in place of a download where the browser gave no picture at all.
  constructor(canvas: HTMLCanvasElement, name: string, empty: () => void) {
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"]
      .find((t) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(t));
    if (!type) throw new Error("This browser records no film. Chrome and Firefox do.");
    this.recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
    this.recorder.ondataavailable = (event) => {
      if (event.data.size > 0) this.parts.push(event.data);
      if (this.stopping && this.parts.length > 0) this.end();
    };
    this.recorder.onstop = () => {
      if (this.parts.length === 0) return empty();
      download(new Blob(this.parts, { type }), `${name}.${type.includes("mp4") ? "mp4" : "webm"}`);
    };
    this.recorder.start(500);
  }

  stop(): void {
    if (this.stopping) return;
    this.stopping = true;
    if (this.parts.length > 0) this.end();
    else setTimeout(() => this.end(), Film.patience);
  }

  private end(): void {
    if (this.recorder.state !== "inactive") this.recorder.stop();
  }
}
