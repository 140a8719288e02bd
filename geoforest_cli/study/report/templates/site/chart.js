"use strict";
/* Draws the charts of a page: panels of lines with intervals that can be pointed at, read by key
   and filtered. The data of each is JSON inside its figure; charts.py says what is in it. */
(() => {
  const RIGHT = 10, TOP = 8, NEAR = 30, LETTER = 6.3, ALL = -1;
  const RING = "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z";
  const STEPS = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
    Home: [0, -Infinity], End: [0, Infinity],
  };

  const add = (made, attributes, inside) => {
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...inside);
    return made;
  };
  const html = (name, attributes = {}, ...inside) => add(document.createElement(name), attributes, inside);
  const number = (value) => {
    const size = Math.abs(value);
    return size === 0 || (size >= 0.005 && size < 1000) ? value.toFixed(3) : String(Number(value.toPrecision(3)));
  };
  const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const marks = (points, mark) => points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}${mark}`).join("");
  /* "k = 50" beside "k" is 50 */
  const within = (words, label) => {
    const same = words.toLowerCase().startsWith(`${label.toLowerCase()} `);
    return same ? words.slice(label.length + 1).replace(/^= /, "") : words;
  };
  const spread = (values) => {
    const low = Math.min(...values), span = Math.max(...values) - low;
    return values.map((value) => (span > 0 ? (value - low) / span : 0.5));
  };

  const start = (figure) => {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const replaced = figure.querySelector(".scroll");
    const space = replaced.querySelector("svg").namespaceURI;
    const svg = (name, attributes, ...inside) => add(document.createElementNS(space, name), attributes, inside);
    const { x: axis, metrics, methods, variants, choices } = data;
    const points = data.points.map(([panel, x, method, variant, mean, low, high, n, published, ...picks]) =>
      ({ panel, x, method, variant, mean, low, high, n, published, picks }));
    const levels = data.levels.map(([constant, panel, at, ...picks]) => ({ constant, panel, at, picks }));
    const chosen = choices.map((choice) => choice.start);
    const hidden = new Set();
    const mixed = new Set(metrics.map((metric) => metric.log)).size > 1;
    const scales = { x: axis.scale, y: mixed ? "own" : metrics[0].log ? "log" : "linear" };
    let views = [], width = 0;

    const fits = (picks, wanted) => picks.every((pick, i) => pick === null || wanted[i] === ALL || pick === wanted[i]);
    const rowsOf = (view) => points.filter((point) => point.panel === view.panel && fits(point.picks, view.wanted));
    const isLog = (metric) => metric.logarithmic !== null && (scales.y === "own" ? metric.log : scales.y === "log");
    const nameOf = (point) => methods[point.method].label + (variants.length > 1 ? `, ${variants[point.variant].label}` : "");
    const titleOf = (view) => view.title || view.metric.label;
    const placesOf = () => {
      if (scales.x === "category") return spread(axis.values.map((_, i) => i));
      if (scales.x === "linear") return spread(axis.values);
      return spread(axis.values.map(Math.min(...axis.values) > 0 ? Math.log : Math.log1p));
    };
    const sentences = (view, point) => {
      const interval = point.low === null ? "No interval: fewer than 4 repetitions" : `95 % interval: [${number(point.low)}, ${number(point.high)}]`;
      const published = point.published === null ? [] : [`Published: ${number(point.published)}`];
      return [
        nameOf(point), `${view.metric.label}: ${number(point.mean)}`, interval,
        `${axis.label}: ${axis.words[point.x]}; repetitions: ${point.n}`, ...published,
      ];
    };

    const scalesOf = (view) => {
      const log = isLog(view.metric), limits = view.metric[log ? "logarithmic" : "linear"];
      const moved = (value) => (log ? Math.log(value) : value);
      const left = 12 + LETTER * Math.max(...limits.ticks.map(([, word]) => word.length));
      const places = placesOf(), room = width - left - RIGHT - 16;
      const longest = Math.max(...axis.words.map((word) => word.length));
      const turned = !axis.numeric && longest * LETTER * axis.words.length > room;
      const depth = turned ? Math.min(longest * LETTER * 0.6, 80) : 0;
      const bottom = 20 + depth, height = Math.min(Math.max(width * 0.7, 190), 330) + depth;
      const low = moved(limits.low), span = moved(limits.high) - low;
      return {
        limits, left, bottom, height, turned,
        x: (place) => left + 8 + places[place] * room,
        y: (value) => {
          const inside = Math.min(Math.max(value, limits.low), limits.high);
          return height - bottom - ((moved(inside) - low) / span) * (height - bottom - TOP);
        },
      };
    };

    const frame = (view, at) => {
      const { left, bottom, height, turned } = at;
      for (const [value, word] of at.limits.ticks) {
        const y = at.y(value).toFixed(1);
        view.svg.append(
          svg("path", { class: "grid", d: `M${left} ${y}H${width - RIGHT}` }),
          svg("text", { x: left - 6, y: Number(y) + 4, "text-anchor": "end" }, word),
        );
      }
      view.svg.append(svg("path", { class: "axis", d: `M${left} ${height - bottom}H${width - RIGHT}` }));
      let last = Infinity;
      for (let i = axis.words.length - 1; i >= 0; i -= 1) {
        const x = at.x(i), y = height - bottom + 15, half = turned ? 7 : (axis.words[i].length * LETTER) / 2;
        if (x + half + 4 > last) continue;
        last = x - half;
        const place = turned ? { "text-anchor": "end", transform: `rotate(-35 ${x} ${y})` } : { "text-anchor": "middle" };
        view.svg.append(svg("text", { x, y, ...place }, axis.words[i]));
      }
    };

    const drawLine = (view, at, line) => {
      const method = methods[line[0].method], dash = variants[line[0].variant].dash;
      const ours = line.map((point) => [at.x(point.x), at.y(point.mean)]);
      const printed = line.filter((point) => point.published !== null).map((point) => [at.x(point.x), at.y(point.published)]);
      const bars = line.filter((point) => point.low !== null)
        .map((point) => `M${at.x(point.x).toFixed(1)} ${at.y(point.low).toFixed(1)}V${at.y(point.high).toFixed(1)}`).join("");
      const style = { "stroke-width": method.width, "stroke-dasharray": dash || "none" };
      const group = svg("g", { class: `hue-${method.hue}` }, svg("path", { class: "line", d: path(ours), ...style }));
      const drawn = { printed: path(printed), bars, marks: marks(ours, method.mark), rings: marks(printed, RING) };
      for (const [name, d] of Object.entries(drawn)) if (d) group.append(svg("path", { class: name, d }));
      view.svg.append(group);
    };

    const draw = (view) => {
      const at = scalesOf(view), rows = rowsOf(view).filter((point) => !hidden.has(point.method));
      view.at = at;
      view.svg.replaceChildren();
      for (const [name, value] of [["width", width], ["height", at.height]]) view.svg.setAttribute(name, value);
      frame(view, at);
      for (const level of levels.filter((one) => one.panel === view.panel && fits(one.picks, view.wanted))) {
        const flat = new Set(level.at.map(([, value]) => value)).size === 1;
        const d = flat ? `M${at.left} ${at.y(level.at[0][1]).toFixed(1)}H${width - RIGHT}` : path(level.at.map(([x, value]) => [at.x(x), at.y(value)]));
        view.svg.append(svg("path", { class: `constant constant-${level.constant}`, d }));
      }
      const lines = new Map();
      for (const point of rows) {
        const key = point.method * variants.length + point.variant;
        lines.set(key, [...(lines.get(key) ?? []), point]);
      }
      view.lines = [...lines].sort(([a], [b]) => a - b).map(([, line]) => line.sort((a, b) => a.x - b.x));
      const ordered = [...view.lines].reverse().sort((a, b) => methods[a[0].method].order - methods[b[0].method].order);
      for (const line of ordered) drawLine(view, at, line);
      view.here = svg("circle", { class: "here", r: 8, visibility: "hidden" });
      view.svg.append(view.here);
      show(view, null);
    };

    const show = (view, point, aloud = false) => {
      view.point = point;
      view.tip.hidden = !point;
      view.here.setAttribute("visibility", point ? "visible" : "hidden");
      if (!point) return;
      const x = view.at.x(point.x), y = view.at.y(point.mean);
      view.here.setAttribute("cx", x);
      view.here.setAttribute("cy", y);
      const [first, ...rest] = sentences(view, point);
      view.tip.className = `tip hue-${methods[point.method].hue}`;
      view.tip.replaceChildren(html("b", {}, first), ...rest.map((line) => html("span", {}, line)));
      /* set by the object, not as an attribute: the policy of the page allows no inline style */
      const outer = panels.getBoundingClientRect(), inner = view.plot.getBoundingClientRect();
      const wide = view.tip.offsetWidth, from = inner.left - outer.left;
      const beside = from + x + 14 + wide <= outer.width ? x + 14 : x - 14 - wide;
      const left = Math.min(Math.max(beside, -from), outer.width - from - wide);
      view.tip.style.left = `${left}px`;
      view.tip.style.top = `${y > view.at.height / 2 ? y - view.tip.offsetHeight - 12 : y + 14}px`;
      if (aloud) status.textContent = `${titleOf(view)}. ${sentences(view, point).join(". ")}.`;
    };
    const aim = (view, event) => {
      const box = view.svg.getBoundingClientRect();
      let nearest = null, least = NEAR;
      for (const point of view.lines.flat()) {
        const far = Math.hypot(view.at.x(point.x) + box.left - event.clientX, view.at.y(point.mean) + box.top - event.clientY);
        if (far < least) [nearest, least] = [point, far];
      }
      if (nearest !== view.point) show(view, nearest);
    };
    const press = (view, event) => {
      if (event.key === "Escape") return show(view, null);
      const step = STEPS[event.key];
      if (!step || !view.lines.length || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (!view.point) return show(view, view.lines[0][0], true);
      const count = view.lines.length, at = view.lines.findIndex((line) => line.includes(view.point));
      const line = view.lines[(at + step[0] + count) % count];
      const far = line.map((point) => Math.abs(point.x - view.point.x));
      const place = far.indexOf(Math.min(...far)) + step[1];
      show(view, line[Math.min(Math.max(place, 0), line.length - 1)], true);
    };

    const panels = html("div", { class: "panels" });
    const status = html("p", { role: "status", class: "chart-status" });
    const panelOf = (panel, wanted, title) => {
      const metric = metrics[data.panels[panel].metric];
      const view = { panel, wanted, title, metric, svg: svg("svg", { "aria-hidden": "true", focusable: "false" }) };
      view.tip = html("div", { class: "tip", hidden: "" });
      /* an application, so that a screen reader leaves the arrow keys to it */
      view.plot = html("div", {
        class: "plot", tabindex: 0, role: "application",
        "aria-label": `${titleOf(view)}: ${metric.label} against ${axis.label}. Arrow keys read the points.`,
      }, view.svg, view.tip);
      view.box = html("div", { class: "panel" });
      if (title) view.box.append(html("p", { class: "panel-name" }, title));
      view.box.append(html("p", { class: "panel-axis" }, metric.label), view.plot, html("p", { class: "panel-axis x" }, axis.label));
      for (const name of ["pointermove", "pointerdown"]) view.svg.addEventListener(name, (event) => aim(view, event));
      view.svg.addEventListener("pointerleave", () => show(view, null));
      view.plot.addEventListener("keydown", (event) => press(view, event));
      view.plot.addEventListener("blur", () => show(view, null));
      return view;
    };
    const layOut = () => {
      const split = choices.findIndex((choice) => choice.split);
      const rows = split >= 0 && chosen[split] === ALL ? choices[split].options.map((_, i) => i) : [null];
      views = rows.flatMap((row) => data.panels.map(({ title }, panel) => {
        if (row === null) return panelOf(panel, chosen, title);
        return panelOf(panel, chosen.with(split, row), [title, choices[split].options[row]].filter(Boolean).join(", "));
      })).filter((view) => rowsOf(view).length);
      panels.replaceChildren(...views.map((view) => view.box));
      panels.dataset.across = Math.min(views.length, data.across);
      redraw();
    };
    const redraw = () => {
      width = Math.max(Math.floor(views[0]?.plot.clientWidth ?? 0), 160);
      views.forEach(draw);
      const shown = new Set(views.flatMap((view) => rowsOf(view).map((point) => point.method)));
      for (const button of keys.children) {
        const method = Number(button.dataset.method);
        button.hidden = !shown.has(method);
        button.setAttribute("aria-pressed", String(!hidden.has(method)));
      }
      const rows = views.flatMap((view) => view.lines.flat().map((point) => [view, point]));
      summary.textContent = `The ${rows.length} numbers in this chart as a table`;
      if (fold.open) fill(rows);
      else body.replaceChildren();
    };

    const fill = (rows) => body.replaceChildren(...rows.map(([view, point]) => {
      const numbers = [
        axis.words[point.x], number(point.mean), point.low === null ? "–" : `[${number(point.low)}, ${number(point.high)}]`,
        point.n, point.published === null ? "–" : number(point.published),
      ];
      const name = html("th", { scope: "row" }, nameOf(point));
      const panel = [view.title, metrics.length > 1 || !view.title ? view.metric.label : ""].filter(Boolean).join(": ");
      return html("tr", {}, name, html("td", {}, panel), ...numbers.map((text) => html("td", { class: "n" }, String(text))));
    }));
    const heads = ["Method", "Panel", axis.label, "Mean", "95 % interval", "Repetitions", "Published"];
    const body = html("tbody");
    const head = html("tr", {}, ...heads.map((text, i) => html("th", { scope: "col", ...(i > 1 && { class: "n" }) }, text)));
    const table = html("table", {}, html("thead", {}, head), body);
    const summary = html("summary");
    const box = html("div", { class: "scroll tall", role: "group", tabindex: 0, "aria-label": "Numbers in the chart" }, table);
    const fold = html("details", { class: "numbers" }, summary, box);
    fold.addEventListener("toggle", () => { if (fold.open && !body.firstChild) redraw(); });

    const select = (label, options, value, change) => {
      const made = html("select", {}, ...options.map(([key, words]) => html("option", { value: key }, words)));
      made.value = value;
      made.addEventListener("change", () => change(made.value));
      return html("label", {}, label, made);
    };
    const tools = figure.querySelector(".chart-tools");
    add(tools, { role: "group", "aria-label": "What the chart shows" }, []).replaceChildren();
    choices.forEach((choice, i) => {
      const options = choice.options.map((words, value) => [value, within(words, choice.label)]);
      if (choice.all) options.push([ALL, "all"]);
      tools.append(select(choice.label, options, choice.start, (value) => { chosen[i] = Number(value); layOut(); }));
    });
    const rescale = (name) => (value) => { scales[name] = value; redraw(); };
    if (metrics.some((metric) => metric.logarithmic)) {
      const options = [...(mixed ? [["own", "as in the figure"]] : []), ["linear", "linear"], ["log", "logarithmic"]];
      tools.append(select("Vertical axis", options, scales.y, rescale("y")));
    }
    if (axis.numeric && axis.values.length > 2) {
      const lowest = Math.min(...axis.values), log = lowest > 0 ? "logarithmic" : "log(1 + x)";
      const options = [["category", "even steps"], ["linear", "linear"], ...(lowest < 0 ? [] : [["log", log]])];
      tools.append(select("Horizontal axis", options, scales.x, rescale("x")));
    }
    const keys = figure.querySelector(".chart-keys");
    keys.replaceChildren(...[...keys.children].map((item, method) => {
      const button = html("button", { type: "button", class: item.className, "data-method": method }, ...item.childNodes);
      button.addEventListener("click", () => {
        if (!hidden.delete(method)) hidden.add(method);
        redraw();
      });
      return button;
    }));
    keys.setAttribute("role", "group");
    keys.setAttribute("aria-label", "Methods, shown or hidden");
    replaced.replaceWith(panels, status);
    figure.after(fold);
    layOut();
    new ResizeObserver(() => {
      if (views.length && Math.abs(views[0].plot.clientWidth - width) > 1) redraw();
    }).observe(panels);
  };

  for (const figure of document.querySelectorAll("figure.chart")) start(figure);
})();
