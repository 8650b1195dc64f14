// The card that says what is known of the picked body or contact. Values are those of the frame.
import { escape, number, vector } from "./format";
import { type Frame, REGIMES, type Source, toWorld } from "./source";
import { REGIME_COLORS } from "./theme";
import type { Picked } from "./stage";

type Row = [label: string, value: string, unit?: string];

function at(columns: Float32Array[], row: number): number[] {
  return columns.map((column) => column[row]);
}

export function bodyName(source: Source, body: number): string {
  return body < 0 ? "world" : source.model.bodies[body].name || `body ${body}`;
}

function shapeName(source: Source, shape: number): string {
  const info = source.model.shapes[shape];
  const body = bodyName(source, info.body);
  return info.name && info.name !== body ? `${body} / ${info.name}` : body;
}

function bodyRows(source: Source, frame: Frame, body: number): Row[] {
  const info = source.model.bodies[body];
  const row = frame.bodyBegin + body, c = frame.contacts, { shapes } = source.model;
  const sum = [0, 0, 0];
  let count = 0;
  for (let i = c.begin; i < c.begin + c.count; ++i) {
    const a = shapes[c.shapeA[i]].body === body, b = shapes[c.shapeB[i]].body === body;
    if (a === b) continue;
    ++count;
    toWorld(c, i, at(c.force, i)).forEach((value, k) => sum[k] += a ? value : -value);
  }
  return [
    ["mass", number(info.mass), "kg"],
    ["joint", info.joint],
    ["position", vector(at(frame.bodies.slice(0, 3), row)), "m"],
    ["quaternion", vector(at(frame.bodies.slice(3, 7), row))],
    ["velocity", vector(at(frame.bodies.slice(7, 10), row)), "m/s"],
    ["turning", vector(at(frame.bodies.slice(10, 13), row)), "rad/s"],
    ["contacts", String(count)],
    ["their force", vector(sum), "N"],
  ];
}

// `side`: the body that the force is told of, 1 for a, −1 for b, as it is drawn.
function contactRows(source: Source, frame: Frame, contact: number, side: 1 | -1): Row[] {
  const c = frame.contacts, row = c.begin + contact;
  const parts = at(c.force, row), velocity = at(c.velocity, row);
  const pressing = parts[2], parting = velocity[2];
  const friction = Math.hypot(parts[0], parts[1]), slip = Math.hypot(velocity[0], velocity[1]);
  const mu = c.friction[row], limit = mu * pressing;
  const [on, from] = side > 0 ? [c.shapeA, c.shapeB] : [c.shapeB, c.shapeA];
  const force = toWorld(c, row, parts).map((value) => side * value);
  return [
    ["on", shapeName(source, on[row])],
    ["from", shapeName(source, from[row])],
    ["position", vector(at(c.position, row)), "m"],
    ["normal", vector(at(c.normal, row).map((value) => side * value))],
    ["gap", number(c.gap[row], 3), "m"],
    ["force", vector(force), "N"],
    ["its length", number(Math.hypot(...parts), 5), "N"],
    ["pressing", number(pressing, 5), "N"],
    ["friction", number(friction, 5), "N"],
    ["of its limit", limit > 0 ? `${(100 * friction / limit).toFixed(1)} %` : "–"],
    ["μ", `${number(mu)}  (cone ${(Math.atan(mu) * 180 / Math.PI).toFixed(1)}°)`],
    ["slip", number(slip, 3), "m/s"],
    ["parting", number(parting, 3), "m/s"],
  ];
}

export class Details {
  constructor(private readonly element: HTMLElement, private readonly source: Source,
    actions: { follow: () => void; close: () => void }) {
    element.addEventListener("click", (event) => {
      const action = (event.target as HTMLElement).dataset.action;
      if (action === "close") actions.close();
      if (action === "follow") actions.follow();
    });
  }

  show(frame: Frame, picked: Picked, follows: boolean, side: 1 | -1): void {
    const isContact = picked.contact >= 0 && picked.contact < frame.contacts.count;
    this.element.hidden = !isContact && picked.body < 0;
    if (this.element.hidden) return;
    let title: string, rows: Row[];
    if (isContact) {
      const regime = frame.contacts.regime[frame.contacts.begin + picked.contact];
      title = `<i style="background:${REGIME_COLORS[regime]}"></i>contact ${picked.contact}, ${REGIMES[regime]}`;
      rows = contactRows(this.source, frame, picked.contact, side);
    } else {
      title = escape(bodyName(this.source, picked.body));
      rows = bodyRows(this.source, frame, picked.body);
    }
    const follow = isContact ? "" : `<button data-action="follow" aria-pressed="${follows}">follow</button>`;
    this.element.innerHTML = `<h2>${title}</h2>${follow}<button data-action="close" aria-label="close">×</button><table>`
      + rows.map(([label, value, unit]) => `<tr><th>${label}</th><td>${escape(value)}${unit ? ` <small>${unit}</small>` : ""}</td></tr>`).join("")
      + "</table>";
  }
}
