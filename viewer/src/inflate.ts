// Base64 of raw deflate, as the elements of the page hold it.

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const decode = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (decode) return decode.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function inflated(base64: string): Response {
  const packed = new Blob([fromBase64(base64)]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("deflate-raw")));
}

export async function inflate(base64: string): Promise<Uint8Array> {
  return new Uint8Array(await inflated(base64).arrayBuffer());
}

export function inflateText(base64: string): Promise<string> {
  return inflated(base64).text();
}
