// A box in which a zone or a group of zones is found by its name.
import { useId, useState } from "preact/hooks";
import { grouped } from "./number";
import type { Found, ZoneMap } from "./zones";

const kMost = 8;

export function ZoneSearch({ zones, stop, choose }: { zones: ZoneMap; stop: string; choose(found: Found): void }) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const id = useId();
  const list = open ? zones.search(text, kMost) : [];
  const take = (found: Found | undefined) => {
    if (!found) return;
    setText("");
    setOpen(false);
    choose(found);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt(list.length ? (at + step + list.length) % list.length : 0);
    } else if (event.key === "Enter") take(list[at]);
    else if (event.key === "Escape") setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div class="search">
      <input
        type="text"
        role="combobox"
        aria-label={`Find a zone at ${stop} by name`}
        aria-expanded={list.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={list.length ? `${id}-${at}` : undefined}
        autocomplete="off"
        placeholder="Find a zone"
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          setOpen(true);
          setAt(0);
        }}
        onKeyDown={key}
        onBlur={() => setOpen(false)}
      />
      <ul role="listbox" id={`${id}-list`} aria-label="Zones and groups" hidden={list.length === 0}>
        {list.map((found, i) => (
          <li
            role="option"
            id={`${id}-${i}`}
            aria-selected={i === at}
            onPointerDown={(e) => {
              e.preventDefault();
              take(found);
            }}
          >
            {found.name}
            {found.level && (
              <span class="soft">
                {" "}
                {found.level}, {grouped(found.to - found.from)} zones
              </span>
            )}
          </li>
        ))}
      </ul>
      {open && text.trim() !== "" && list.length === 0 && (
        <p class="soft small" role="status">
          No zone has that in its name.
        </p>
      )}
    </div>
  );
}
