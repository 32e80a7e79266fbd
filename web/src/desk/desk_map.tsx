// A map for the desk: coasts and towns of the program itself, a private sample of places, zones, and a box to draw.
// Drag moves it; its buttons, the keys + and -, or the wheel with Ctrl zoom, so that the page scrolls over it. A box is
// drawn with the button pressed, and typed just as well.
import { useEffect, useRef, useState } from "preact/hooks";
import { ground, type Ground } from "./api";

export type Box = [number, number, number, number]; // west, south, east, north

export interface DrawnZone {
  id: string;
  at?: [number, number];
  rings?: [number, number][][];
}

// A colour of the style sheet, as the light or dark of this moment has it.
function paint(name: string): string {
  const probe = document.querySelector<HTMLElement>(".deskmap .probe");
  if (!probe) return "gray";
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

// Around the middle nine tenths, with room at the edges; the whole world where there is nothing.
export function boxAround(points: [number, number][]): Box | null {
  const good = points.filter(([x, y]) => Math.abs(x) <= 180 && Math.abs(y) <= 90);
  if (good.length === 0) return null;
  const xs = good.map((p) => p[0]).sort((a, b) => a - b);
  const ys = good.map((p) => p[1]).sort((a, b) => a - b);
  const at = (v: number[], q: number) => v[Math.min(v.length - 1, Math.floor(q * v.length))] ?? 0;
  const [w, e, s, n] = [at(xs, 0.02), at(xs, 0.98), at(ys, 0.02), at(ys, 0.98)];
  const room = Math.max(0.02, 0.25 * Math.max(e - w, n - s));
  return [w - room, s - room, e + room, n + room];
}

interface View {
  x: number;
  y: number;
  scale: number; // pixels per degree of latitude
}

export function DeskMap(props: {
  label: string;
  points?: [number, number][];
  zones?: DrawnZone[];
  box?: Box | null;
  grid?: [number, number] | null;
  setBox?: (box: Box) => void;
  look?: Box | null; // where to look first
  height?: number;
  mark?: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<View | null>(null);
  const [land, setLand] = useState<Ground | null>(null);
  const [drawing, setDrawing] = useState(false);
  const [band, setBand] = useState<Box | null>(null);
  const [size, setSize] = useState({ width: 600, height: props.height ?? 340 });
  const [hint, setHint] = useState(false);
  const hiding = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const grip = useRef<{ x: number; y: number; view: View; from: [number, number] } | null>(null);
  const squeeze = Math.cos(((view?.y ?? 0) * Math.PI) / 180) || 1;

  const toPixel = (v: View, lng: number, lat: number): [number, number] => [
    size.width / 2 + (lng - v.x) * v.scale * squeeze,
    size.height / 2 - (lat - v.y) * v.scale,
  ];
  const toPlace = (v: View, x: number, y: number): [number, number] => [
    v.x + (x - size.width / 2) / (v.scale * squeeze),
    v.y - (y - size.height / 2) / v.scale,
  ];
  const fit = (box: Box) => {
    const y = (box[1] + box[3]) / 2;
    const narrow = Math.cos((y * Math.PI) / 180) || 1;
    const scale = Math.min(size.width / ((box[2] - box[0]) * narrow), size.height / (box[3] - box[1]));
    setView({ x: (box[0] + box[2]) / 2, y, scale: Math.min(200_000, scale * 0.94) });
  };

  useEffect(() => {
    const element = canvas.current;
    if (!element?.parentElement) return;
    const watch = new ResizeObserver(() => {
      const width = element.parentElement?.clientWidth ?? 600;
      setSize({ width, height: props.height ?? 340 });
    });
    watch.observe(element.parentElement);
    return () => watch.disconnect();
  }, []);

  const look = props.look ?? null;
  const lookKey = look ? look.map((v) => v.toFixed(3)).join() : "";
  useEffect(() => fit(look ?? [-170, -60, 170, 75]), [lookKey, size.width]);

  // Coasts of what is seen, asked for once it stays still.
  useEffect(() => {
    if (!view) return;
    const timer = setTimeout(() => {
      const [w, n] = toPlace(view, -size.width / 2, -size.height / 2);
      const [e, s] = toPlace(view, size.width * 1.5, size.height * 1.5);
      const cut: Box = [Math.max(-180, w), Math.max(-90, s), Math.min(180, e), Math.min(90, n)];
      if (cut[0] < cut[2] && cut[1] < cut[3]) ground(cut).then(setLand, () => {});
    }, 120);
    return () => clearTimeout(timer);
  }, [view, size.width]);

  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!element || !pen || !view) return;
    const sharp = window.devicePixelRatio || 1;
    element.width = size.width * sharp;
    element.height = size.height * sharp;
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.fillStyle = paint("--sea");
    pen.fillRect(0, 0, size.width, size.height);
    const line = (steps: number[]) => {
      let x = 0;
      let y = 0;
      for (let i = 0; i + 1 < steps.length; i += 2) {
        x += steps[i] ?? 0;
        y += steps[i + 1] ?? 0;
        const [px, py] = toPixel(view, x / 1e4, y / 1e4);
        i === 0 ? pen.moveTo(px, py) : pen.lineTo(px, py);
      }
    };
    if (land) {
      pen.beginPath();
      land.land.forEach(line);
      pen.fillStyle = paint("--land");
      pen.fill("evenodd");
      pen.strokeStyle = paint("--coast");
      pen.lineWidth = 0.7;
      pen.stroke();
      pen.beginPath();
      land.borders.forEach(line);
      pen.strokeStyle = paint("--line");
      pen.stroke();
    }
    for (const zone of props.zones ?? []) {
      for (const ring of zone.rings ?? []) {
        pen.beginPath();
        ring.forEach(([x, y], i) => {
          const [px, py] = toPixel(view, x, y);
          i === 0 ? pen.moveTo(px, py) : pen.lineTo(px, py);
        });
        pen.closePath();
        pen.fillStyle = paint("--zone");
        pen.fill();
        pen.strokeStyle = paint("--d4");
        pen.lineWidth = 1;
        pen.stroke();
      }
      if (zone.at && !zone.rings) {
        const [px, py] = toPixel(view, zone.at[0], zone.at[1]);
        pen.beginPath();
        pen.arc(px, py, 3.2, 0, 7);
        pen.fillStyle = paint("--d4");
        pen.fill();
        pen.strokeStyle = paint("--card");
        pen.lineWidth = 1;
        pen.stroke();
      }
    }
    pen.fillStyle = paint("--dot");
    for (const [x, y] of props.points ?? []) {
      const [px, py] = toPixel(view, x, y);
      pen.fillRect(px - 1.1, py - 1.1, 2.2, 2.2);
    }
    if (land) {
      pen.font = "12px system-ui, sans-serif";
      pen.fillStyle = paint("--soft");
      const used: [number, number][] = [];
      for (const [name, x, y] of land.places.slice(0, 40)) {
        const [px, py] = toPixel(view, x, y);
        if (px < 0 || py < 0 || px > size.width || py > size.height || used.length > 10) continue;
        if (used.some(([ux, uy]) => Math.abs(ux - px) < 95 && Math.abs(uy - py) < 20)) continue;
        used.push([px, py]);
        pen.textAlign = px > size.width - 100 ? "right" : "left";
        pen.fillText(name, px + (px > size.width - 100 ? -4 : 4), py - 3);
      }
    }
    const box = band ?? props.box;
    if (box) {
      const [x0, y0] = toPixel(view, box[0], box[3]);
      const [x1, y1] = toPixel(view, box[2], box[1]);
      const grid = props.grid;
      if (grid && grid[0] > 0 && (x1 - x0) / grid[0] > 4) {
        pen.strokeStyle = paint("--mesh");
        pen.lineWidth = 0.5;
        pen.beginPath();
        for (let i = 1; i < grid[0]; i++) {
          pen.moveTo(x0 + ((x1 - x0) * i) / grid[0], y0);
          pen.lineTo(x0 + ((x1 - x0) * i) / grid[0], y1);
        }
        for (let i = 1; i < grid[1]; i++) {
          pen.moveTo(x0, y0 + ((y1 - y0) * i) / grid[1]);
          pen.lineTo(x1, y0 + ((y1 - y0) * i) / grid[1]);
        }
        pen.stroke();
      }
      pen.strokeStyle = paint("--accent");
      pen.lineWidth = 2;
      pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  });

  const zoom = (by: number, x = size.width / 2, y = size.height / 2) => {
    if (!view) return;
    const [lng, lat] = toPlace(view, x, y);
    const scale = Math.min(200_000, Math.max(1, view.scale * by));
    setView({ x: lng - ((lng - view.x) * view.scale) / scale, y: lat - ((lat - view.y) * view.scale) / scale, scale });
  };
  const place = (e: PointerEvent): [number, number] => {
    const edge = (e.currentTarget as HTMLElement).getBoundingClientRect();
    return [e.clientX - edge.left, e.clientY - edge.top];
  };
  const round = (v: number) => Math.round(v * 1e4) / 1e4;

  return (
    <div class="deskmap">
      <span class="probe" aria-hidden="true" />
      {props.mark ? <span class="mapmark">{props.mark}</span> : null}
      <canvas
        ref={canvas}
        style={{ width: "100%", height: `${size.height}px` }}
        role="img"
        tabIndex={0}
        aria-label={props.label}
        data-drawing={drawing}
        onPointerDown={(e) => {
          if (!view) return;
          const [x, y] = place(e);
          grip.current = { x, y, view, from: toPlace(view, x, y) };
          e.currentTarget.setPointerCapture(e.pointerId);
        }}
        onPointerMove={(e) => {
          const held = grip.current;
          if (!held || !view) return;
          const [x, y] = place(e);
          if (drawing) {
            const [a, b] = held.from;
            const [c, d] = toPlace(view, x, y);
            setBand([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
          } else {
            const { scale } = held.view;
            setView({
              x: held.view.x - (x - held.x) / (scale * squeeze),
              y: held.view.y + (y - held.y) / scale,
              scale,
            });
          }
        }}
        onPointerUp={() => {
          grip.current = null;
          if (drawing && band) {
            props.setBox?.([round(band[0]), round(band[1]), round(band[2]), round(band[3])]);
            setDrawing(false);
          }
          setBand(null);
        }}
        onPointerCancel={() => {
          grip.current = null;
          setBand(null);
        }}
        onWheel={(e) => {
          if (!e.ctrlKey && !e.metaKey) {
            setHint(true);
            clearTimeout(hiding.current);
            hiding.current = setTimeout(() => setHint(false), 1600);
            return;
          }
          e.preventDefault();
          const edge = e.currentTarget.getBoundingClientRect();
          zoom(e.deltaY < 0 ? 1.25 : 0.8, e.clientX - edge.left, e.clientY - edge.top);
        }}
        onKeyDown={(e) => {
          const step = view ? 60 / view.scale : 0;
          const moves: Record<string, [number, number]> = {
            ArrowLeft: [-step, 0],
            ArrowRight: [step, 0],
            ArrowUp: [0, step],
            ArrowDown: [0, -step],
          };
          const move = moves[e.key];
          if (move && view) setView({ ...view, x: view.x + move[0], y: view.y + move[1] });
          else if (e.key === "+" || e.key === "=") zoom(1.5);
          else if (e.key === "-") zoom(1 / 1.5);
          else return;
          e.preventDefault();
        }}
      />
      {hint ? <span class="maphint">Ctrl and the wheel, or the buttons, zoom the map</span> : null}
      <div class="maptools">
        <button type="button" onClick={() => zoom(1.6)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(1 / 1.6)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => fit(props.box ?? look ?? [-170, -60, 170, 75])}>
          Fit
        </button>
        {props.setBox ? (
          <button type="button" aria-pressed={drawing} onClick={() => setDrawing(!drawing)}>
            {drawing ? "Drag over the map …" : "Draw the box"}
          </button>
        ) : null}
      </div>
    </div>
  );
}
