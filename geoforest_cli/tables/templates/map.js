"use strict";
(() => {
  const part = (name) => document.getElementById(name);
  const data = JSON.parse(part("data").textContent);
  const map = part("map");
  const pen = map.getContext("2d");
  const tip = part("tip");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const count = data.x.length;
  const wide = Math.max(...extent(data.x)), high = Math.max(...extent(data.y));
  const shown = data.entries.map(() => true);
  const view = { x: wide / 2, y: high / 2, zoom: 1 };
  let chosen = -1;
  let waiting = false;

  function extent(values) {
    return values.reduce(([low, top], one) => [Math.min(low, one), Math.max(top, one)], [0, 1]);
  }

  // places on the screen
  const unit = () => 0.92 * view.zoom * Math.min(map.clientWidth / wide, map.clientHeight / high);
  const left = (row) => (data.x[row] - view.x) * unit() + map.clientWidth / 2;
  const top = (row) => (data.y[row] - view.y) * unit() + map.clientHeight / 2;
  const visible = (row) => data.entries.length === 0 || shown[data.codes[row]];

  function radius() {
    const area = map.clientWidth * map.clientHeight;
    const usual = Math.min(Math.max(0.13 * Math.sqrt(area / count), 1.2), 6);
    return Math.min(usual * Math.sqrt(view.zoom), 9);
  }

  function colors() {
    if (data.scale) return [...data.scale.colors, "#8a8a8a"];
    if (data.entries.length) return data.entries.map((one) => one.color);
    return ["#0072b2"];
  }

  const groups = [];
  for (let row = 0; row < count; row += 1) {
    const code = data.codes.length ? data.codes[row] : 0;
    (groups[code] ??= []).push(row);
  }

  function draw() {
    waiting = false;
    const sharp = window.devicePixelRatio || 1;
    map.width = Math.round(map.clientWidth * sharp);
    map.height = Math.round(map.clientHeight * sharp);
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    const size = radius(), step = unit();
    const x0 = map.clientWidth / 2 - view.x * step, y0 = map.clientHeight / 2 - view.y * step;
    const palette = colors();
    pen.globalAlpha = count > 5000 ? 0.65 : 0.85;
    groups.forEach((rows, code) => {
      if (data.entries.length && !shown[code]) return;
      pen.fillStyle = palette[code];
      pen.beginPath();
      for (const row of rows) {
        const x = data.x[row] * step + x0, y = data.y[row] * step + y0;
        if (x < -9 || y < -9 || x > map.clientWidth + 9 || y > map.clientHeight + 9) continue;
        if (size < 2) pen.rect(x - size, y - size, 2 * size, 2 * size);
        else {
          pen.moveTo(x + size, y);
          pen.arc(x, y, size, 0, 2 * Math.PI);
        }
      }
      pen.fill();
    });
    pen.globalAlpha = 1;
    if (chosen >= 0) {
      pen.strokeStyle = dark.matches ? "#ffffff" : "#000000";
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(left(chosen), top(chosen), size + 3, 0, 2 * Math.PI);
      pen.stroke();
    }
    place();
  }

  function redraw() {
    if (waiting) return;
    waiting = true;
    window.requestAnimationFrame(draw);
  }

  // one row, pointed at or reached by keys
  function words(row) {
    const lines = [`${data.identifier}: ${data.ids[row]}`];
    if (data.name) lines.push(`${data.name}: ${data.words[data.texts[row]]}`);
    return lines;
  }

  function place() {
    tip.hidden = chosen < 0;
    if (chosen < 0) return;
    const x = left(chosen), y = top(chosen);
    const beside = x + 14 + tip.offsetWidth > map.clientWidth ? x - 14 - tip.offsetWidth : x + 14;
    const below = Math.min(Math.max(y + 10, 0), map.clientHeight - tip.offsetHeight);
    tip.style.left = `${Math.max(beside, 0)}px`;
    tip.style.top = `${Math.max(below, 0)}px`;
  }

  function choose(row) {
    if (row === chosen) return;
    chosen = row;
    tip.textContent = row < 0 ? "" : words(row).join("\n");
    part("status").textContent = row < 0 ? "\u00a0" : words(row).join(", ");
    map.dataset.row = row < 0 ? "" : data.ids[row];
    redraw();
  }

  function nearest(x, y, reach) {
    let best = -1, least = reach * reach;
    for (let row = 0; row < count; row += 1) {
      if (!visible(row)) continue;
      const far = (left(row) - x) ** 2 + (top(row) - y) ** 2;
      if (far <= least) [best, least] = [row, far];
    }
    return best;
  }

  function go(right, down) {
    if (chosen < 0) return choose(nearest(map.clientWidth / 2, map.clientHeight / 2, Infinity));
    const [x, y] = [data.x[chosen], data.y[chosen]];
    let best = -1, least = Infinity;
    for (let row = 0; row < count; row += 1) {
      if (row === chosen || !visible(row)) continue;
      const along = (data.x[row] - x) * right + (data.y[row] - y) * down;
      const across = Math.abs((data.x[row] - x) * down) + Math.abs((data.y[row] - y) * right);
      // a place that two rows share: from the first to the next one, whatever the key
      const same = along === 0 && across === 0 && row > chosen;
      const far = same ? -1 : along + 2 * across;
      if ((same || (along > 0 && across <= along)) && far < least) [best, least] = [row, far];
    }
    if (best < 0) return undefined;
    const inside = left(best) > 0 && top(best) > 0 && left(best) < map.clientWidth
      && top(best) < map.clientHeight;
    if (!inside) [view.x, view.y] = [data.x[best], data.y[best]];
    return choose(best);
  }

  // zoom and move
  function zoom(by, x = map.clientWidth / 2, y = map.clientHeight / 2) {
    const old = unit();
    view.zoom = Math.min(Math.max(view.zoom * by, 0.5), 400);
    view.x += (x - map.clientWidth / 2) * (1 / old - 1 / unit());
    view.y += (y - map.clientHeight / 2) * (1 / old - 1 / unit());
    map.dataset.zoom = view.zoom.toFixed(3);
    redraw();
  }

  function reset() {
    Object.assign(view, { x: wide / 2, y: high / 2, zoom: 1 });
    zoom(1);
  }

  const pointers = new Map();
  const at = (event) => {
    const box = map.getBoundingClientRect();
    return [event.clientX - box.left - map.clientLeft, event.clientY - box.top - map.clientTop];
  };
  const gap = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);

  map.addEventListener("pointerdown", (event) => {
    map.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    choose(nearest(...at(event), 20));
  });
  map.addEventListener("pointermove", (event) => {
    const now = at(event), before = pointers.get(event.pointerId);
    if (!before) return choose(nearest(...now, 14));
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, spot]) => spot);
    pointers.set(event.pointerId, now);
    if (others.length) {
      const middle = [(now[0] + others[0][0]) / 2, (now[1] + others[0][1]) / 2];
      zoom(gap([now, others[0]]) / Math.max(gap([before, others[0]]), 1), ...middle);
    }
    const share = others.length ? 0.5 : 1;
    view.x -= (share * (now[0] - before[0])) / unit();
    view.y -= (share * (now[1] - before[1])) / unit();
    return redraw();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    map.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
  map.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== map) choose(-1);
  });
  map.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.0015)), ...at(event));
  }, { passive: false });
  map.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowRight: () => go(1, 0), ArrowLeft: () => go(-1, 0),
      ArrowDown: () => go(0, 1), ArrowUp: () => go(0, -1),
      "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4),
      0: reset, Escape: () => choose(-1),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  });
  part("in").addEventListener("click", () => zoom(1.4));
  part("out").addEventListener("click", () => zoom(1 / 1.4));
  part("reset").addEventListener("click", reset);

  // the legend
  function paint() {
    const palette = colors();
    document.querySelectorAll("#legend .mark").forEach((mark, code) => {
      mark.style.background = palette[code];
    });
    if (data.scale) part("bar").style.background = `linear-gradient(90deg, ${palette.slice(0, -1)})`;
    redraw();
  }

  function piece(kind, name, text) {
    const made = document.createElement(kind);
    if (name) made.className = name;
    made.textContent = text;
    return made;
  }

  data.entries.forEach((entry, code) => {
    const button = piece("button", "", "");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.append(
      piece("span", "mark", ""), piece("span", "name", entry.name),
      piece("span", "count", entry.rows),
    );
    button.addEventListener("click", () => {
      shown[code] = !shown[code];
      button.setAttribute("aria-pressed", String(shown[code]));
      if (chosen >= 0 && !visible(chosen)) choose(-1);
      redraw();
    });
    const item = piece("li", "", "");
    item.append(button);
    part("legend").append(item);
  });
  part("legend").hidden = data.entries.length === 0;
  if (data.scale) {
    part("scale").hidden = false;
    part("low").textContent = data.scale.low;
    part("high").textContent = data.scale.high;
  }

  part("page").hidden = false;
  dark.addEventListener("change", paint);
  new ResizeObserver(redraw).observe(map);
  paint();
})();
