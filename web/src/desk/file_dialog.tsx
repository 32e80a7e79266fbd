// Choosing a file from the folders that the desk was started with.
import { useEffect, useRef, useState } from "preact/hooks";
import { files, type DeskFacts, type Entry, type Fault } from "./api";
import { faultOf, Trouble } from "./pieces";

const sized = (bytes: number) =>
  bytes < 1e3 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
const icons: Record<Entry["kind"], string> = {
  folder: "📁",
  series: "📁",
  rows: "▤",
  zones: "⬡",
  ledger: "§",
  release: "◈",
};

export function FileDialog(props: {
  facts: DeskFacts;
  title: string;
  kinds: Entry["kind"][];
  folders?: boolean; // a folder may be chosen too
  choose: (path: string) => void;
  close: () => void;
}) {
  const roots = [...props.facts.data, props.facts.folder];
  const [folder, setFolder] = useState(roots[0] ?? "");
  const [entries, setEntries] = useState<Entry[]>([]);
  const [fault, setFault] = useState<Fault | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let here = true;
    files(folder).then(
      (r) => {
        if (!here) return;
        setEntries(r.entries);
        setFault(null);
      },
      (e) => here && setFault(faultOf(e)),
    );
    return () => {
      here = false;
    };
  }, [folder]);
  const root = roots.filter((r) => folder === r || folder.startsWith(`${r}/`)).sort((a, b) => b.length - a.length)[0];
  const inside = root !== undefined && folder !== root;
  const shown = entries.filter((e) => props.kinds.includes(e.kind) || e.kind === "folder" || e.kind === "series");
  return (
    <dialog ref={dialog} class="files" onClose={props.close} aria-label={props.title}>
      <h2>{props.title}</h2>
      <div class="roots" role="group" aria-label="Folders of this desk">
        {roots.map((r) => (
          <button type="button" aria-pressed={r === root} onClick={() => setFolder(r)} title={r}>
            {r === props.facts.folder ? "This desk" : (r.split("/").at(-1) ?? r) || "/"}
          </button>
        ))}
      </div>
      <p class="path">{folder}</p>
      <Trouble fault={fault} />
      <ul>
        {inside ? (
          <li>
            <button type="button" onClick={() => setFolder(folder.slice(0, folder.lastIndexOf("/")))}>
              <span aria-hidden="true">↑</span> One folder up
            </button>
          </li>
        ) : null}
        {shown.map((e) => {
          const opens = (e.kind === "folder" || e.kind === "series") && !props.kinds.includes(e.kind);
          return (
            <li>
              <button type="button" onClick={() => (opens ? setFolder(e.path) : props.choose(e.path))}>
                <span aria-hidden="true">{icons[e.kind]}</span> {e.name}
                <small>{e.bytes ? sized(e.bytes) : ""}</small>
              </button>
            </li>
          );
        })}
        {shown.length === 0 ? <li class="soft">Nothing here that fits.</li> : null}
      </ul>
      <p class="actions">
        {props.folders ? (
          <button type="button" onClick={() => props.choose(folder)}>
            Take this whole folder
          </button>
        ) : null}
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </p>
      <p class="soft small">
        {props.folders
          ? "The whole folder only if every file in it holds trips; zones and stations come in step 2. "
          : ""}
        Other folders: start the desk with <code>--data FOLDER</code>.
      </p>
    </dialog>
  );
}
