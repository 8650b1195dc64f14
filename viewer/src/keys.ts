// Keys and their list.

export interface Key { keys: string[]; label: string; help: string; action: (event: KeyboardEvent) => void }

export function listenToKeys(keys: Key[], help: HTMLElement): void {
  const rows = keys.map((key) => `<tr><td>${key.label.split(" ").map((part) => `<kbd>${part}</kbd>`).join(" ")}</td><td>${key.help}</td></tr>`);
  help.innerHTML = `<div role="dialog" aria-label="keys"><button aria-label="close">×</button><h2>Keys</h2><table>${rows.join("")}</table>
    <h2>Mouse and touch</h2><table>
    <tr><td>drag</td><td>turn; with the right button or two fingers move; wheel or pinch to come closer</td></tr>
    <tr><td>click, tap</td><td>pick a body or a contact and read its numbers; beside everything: pick nothing</td></tr>
    <tr><td>charts</td><td>drag through time; wheel: less or more of it; double click: all of it</td></tr></table></div>`;
  help.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    if (target === help || target.tagName === "BUTTON") help.hidden = true;
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest("input, select, textarea")) return;
    if (event.key === " " && target.closest("button")) return;  // presses the button
    const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
    const key = keys.find((candidate) => candidate.keys.includes(name));
    if (!key) return;
    event.preventDefault();
    key.action(event);
  });
}
