// What the pages of the site do: colours, the menu of a phone, copying commands, and search in an index that is a
// script, so that all of it works from a disk.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const page = document.documentElement;

  // ---- colours ----
  const kept = {
    get: () => {
      try {
        return localStorage.getItem("stopover-colours");
      } catch {
        return null;
      }
    },
    set: (value) => {
      try {
        localStorage.setItem("stopover-colours", value);
      } catch {
        // a disk without storage: the choice lasts for this page
      }
    },
  };
  const button = document.getElementById("colours");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (page.dataset.colours ? page.dataset.colours === "dark" : system.matches);
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  if (kept.get()) page.dataset.colours = kept.get();
  button.addEventListener("click", () => {
    page.dataset.colours = isDark() ? "light" : "dark";
    kept.set(page.dataset.colours);
    tell();
  });
  system.addEventListener("change", tell);
  tell();

  // ---- the menu is closed where it would come before the text ----
  const menu = document.getElementById("menu");
  const narrow = matchMedia("(max-width: 50rem)");
  const fold = () => (menu.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  fold();

  // ---- commands can be copied ----
  for (const block of document.querySelectorAll("main pre")) {
    const typed = [...block.querySelectorAll(".typed")].map((line) => line.textContent.slice(2));
    if (typed.length === 0 || !navigator.clipboard) continue;
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "copy";
    copy.setAttribute("aria-label", "copy the command");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(typed.join("\n"));
      copy.textContent = "copied";
      setTimeout(() => (copy.textContent = "copy"), 1500);
    });
    block.append(copy);
  }

  // ---- search ----
  const field = document.getElementById("search");
  const found = document.getElementById("found");
  let sections = null;

  const load = () => {
    if (sections) return;
    sections = [];
    const script = document.createElement("script");
    script.src = `${root}/search_index.js`;
    script.onload = () => {
      sections = globalThis.stopoverSections.map(([place, title, heading, text]) => ({
        place,
        title,
        heading,
        text,
        low: text.toLowerCase(),
        lowHeading: `${heading} ${title}`.toLowerCase(),
      }));
      show();
    };
    document.head.append(script);
  };

  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // Every word must begin some word of the section; headings weigh more than text.
  const search = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const patterns = words.map((word) => new RegExp(`(?:^|[^a-z0-9])${escaped(word)}`, "g"));
    const hits = [];
    for (const section of sections) {
      let score = 0;
      for (const pattern of patterns) {
        const inHeading = (section.lowHeading.match(pattern) ?? []).length;
        const inText = (section.low.match(pattern) ?? []).length;
        if (inHeading + inText === 0) {
          score = 0;
          break;
        }
        score += 12 * inHeading + Math.min(inText, 6) / (1 + section.low.length / 4000);
      }
      if (section.lowHeading.startsWith(query.toLowerCase())) score *= 2;
      if (!section.place.startsWith("guide/")) score /= 2;
      if (score > 0) hits.push({ section, score });
    }
    return { words, hits: hits.sort((a, b) => b.score - a.score) };
  };

  const piece = (section, words) => {
    const at = Math.max(0, Math.min(...words.map((word) => section.low.indexOf(word)).filter((k) => k >= 0), 1e9));
    const begin = at >= section.text.length ? 0 : Math.max(0, at - 60);
    return (begin > 0 ? "... " : "") + section.text.slice(begin, begin + 160);
  };

  const marked = (target, text, words) => {
    const pattern = new RegExp(`(${words.map(escaped).join("|")})`, "ig");
    text.split(pattern).forEach((part, k) => {
      if (k % 2 === 0) return target.append(part);
      const mark = document.createElement("mark");
      mark.textContent = part;
      target.append(mark);
    });
  };

  const show = () => {
    found.replaceChildren();
    const query = field.value.trim();
    if (query.length < 2 || !sections) return;
    const { words, hits } = search(query);
    const count = document.createElement("p");
    count.textContent = hits.length === 0 ? "Nothing found." : `${hits.length} found`;
    found.append(count);
    for (const { section } of hits.slice(0, 12)) {
      const link = document.createElement("a");
      link.href = `${root}/${section.place}`;
      const head = document.createElement("strong");
      head.textContent = section.heading === section.title ? section.title : `${section.title}: ${section.heading}`;
      const text = document.createElement("span");
      marked(text, piece(section, words), words);
      link.append(head, text);
      found.append(link);
    }
  };

  field.addEventListener("focus", load);
  field.addEventListener("input", show);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const links = [field, ...found.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape") {
      found.replaceChildren();
    } else if (at >= 0 && links.length > 1 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      links[(at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length].focus();
    }
  });
  document.addEventListener("click", (event) => {
    if (!field.form.contains(event.target)) found.replaceChildren();
  });
})();
