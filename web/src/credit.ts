// An archive's attribution is HTML of whoever made it. Of it are kept the words and the links to the web, nothing else.
import type { CreditPart } from "./tile_layer";

const named: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  copy: "©",
  nbsp: " ",
  reg: "®",
  mdash: "—",
  ndash: "–",
  middot: "·",
};

function plain(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name) return named[name.toLowerCase()] ?? whole;
      const code = decimal ? Number(decimal) : parseInt(hex!, 16);
      return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );
}

export function creditParts(html: string): CreditPart[] {
  const parts: CreditPart[] = [];
  let href: string | undefined;
  for (const piece of html.slice(0, 2000).split(/(<[^>]*>)/)) {
    const tag = /^<\s*(\/?)\s*(\w+)([^>]*)>$/.exec(piece);
    if (tag) {
      if (tag[2]!.toLowerCase() !== "a") continue;
      const target = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag[3]!);
      const address = plain((target?.[1] ?? target?.[2] ?? target?.[3] ?? "").trim());
      href = !tag[1] && /^https?:\/\/[^\s]+$/i.test(address) ? address : undefined;
      continue;
    }
    const words = plain(piece.replace(/[<>]/g, "")).replace(/\s+/g, " ");
    if (!words) continue;
    const last = parts.at(-1);
    if (last && last.href === href) last.words += words;
    else parts.push(href ? { words, href } : { words });
  }
  if (parts[0]) parts[0].words = parts[0].words.trimStart();
  const end = parts.at(-1);
  if (end) end.words = end.words.trimEnd();
  return parts.filter((p) => p.words);
}
