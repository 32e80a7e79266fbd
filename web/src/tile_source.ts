// The bytes of an archive that the page's server has. All parts come from one file, or the reading ends.
import type { RangeResponse, Source } from "pmtiles";

export class Replaced extends Error {}

export class ServedArchive implements Source {
  private tag: string | undefined;
  constructor(private readonly address: string) {}

  getKey(): string {
    return this.address;
  }
  async getBytes(offset: number, length: number, signal?: AbortSignal): Promise<RangeResponse> {
    // Not by If-Match: browsers complain loudly of a 412.
    const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
    const reply = await fetch(this.address, { headers, ...(signal ? { signal } : {}) });
    const tag = reply.headers.get("ETag") ?? undefined;
    if (reply.status === 412 || (this.tag && tag !== this.tag)) throw new Replaced();
    if (reply.status !== 206 && reply.status !== 200) throw new Error(`status ${reply.status}`);
    this.tag = tag;
    const data = await reply.arrayBuffer();
    return { data: reply.status === 200 ? data.slice(offset, offset + length) : data, etag: tag };
  }
}
