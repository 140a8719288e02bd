"use strict";
(() => {
  document.documentElement.classList.add("scripted");

  /* contents fold on a narrow window */
  const contents = document.querySelector(".contents details");
  const narrow = window.matchMedia("(max-width: 64rem)");
  const fold = () => { contents.open = !narrow.matches; };
  if (contents) {
    fold();
    narrow.addEventListener("change", fold);
  }

  /* a name in the legend of a drawing hides and shows its series */
  for (const drawing of document.querySelectorAll(".drawing svg")) {
    const keys = [...drawing.querySelectorAll("[data-key]")];
    const toggle = (name) => {
      const all = [...keys, ...drawing.querySelectorAll("[data-series]")];
      const mine = all.filter((part) => (part.dataset.key ?? part.dataset.series) === name);
      const off = mine[0].classList.contains("off");
      for (const part of mine) {
        part.classList.toggle("off", !off);
        if (part.hasAttribute("aria-pressed")) part.setAttribute("aria-pressed", String(off));
      }
    };
    for (const key of keys) {
      key.addEventListener("click", () => toggle(key.dataset.key));
      if (!key.querySelector("text")) continue;
      for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-pressed", "true"]]) key.setAttribute(name, value);
      key.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle(key.dataset.key);
      });
    }
  }

  /* tables to sort: by a heading, or by a select where headings are hidden */
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
  };
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : words.compare(a, b));
  for (const table of document.querySelectorAll("table[data-sort]")) {
    const [body] = table.tBodies;
    const first = [...body.rows];
    const heads = [...table.querySelectorAll("th[data-column]")];
    const select = document.getElementById(table.dataset.sort);
    const sort = (head, down) => {
      const keyed = first.map((row) => [valueOf(row, Number(head.dataset.column)), row]);
      const filled = keyed.filter(([value]) => value !== "");
      filled.sort(([a], [b]) => (down ? order(b, a) : order(a, b)));
      body.append(...[...filled, ...keyed.filter(([value]) => value === "")].map(([, row]) => row));
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      if (select) select.value = `${head.dataset.column} ${down ? "down" : "up"}`;
    };
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        sort(head, before ? before === "ascending" : head.classList.contains("n"));
      });
      for (const [way, mark] of select ? [["up", "↑"], ["down", "↓"]] : []) {
        select.add(new Option(`${button.textContent} ${mark}`, `${head.dataset.column} ${way}`));
      }
    }
    if (select) {
      select.value = "";
      select.addEventListener("change", () => {
        const [column, way] = select.value.split(" ");
        sort(heads.find((head) => head.dataset.column === column), way === "down");
      });
    }
  }

  /* rows to filter: by words, and by selects whose names are data attributes of rows */
  for (const form of document.querySelectorAll("form.filters")) {
    const table = document.getElementById(form.dataset.table);
    const rows = [...table.tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase()]);
    const choices = [...form.querySelectorAll("input, select[name]")];
    const address = new URL(window.location.href);
    const fits = (row, text, { name, value, type }) => (type === "search"
      ? value.toLowerCase().split(/\s+/).every((word) => text.includes(word))
      : value === "" || row.dataset[name].split("|").includes(value));
    const apply = () => {
      let count = 0;
      for (const [row, text] of rows) {
        row.hidden = !choices.every((choice) => fits(row, text, choice));
        count += row.hidden ? 0 : 1;
      }
      const all = `${rows.length} ${table.dataset.of}`;
      form.querySelector("[role=status]").textContent = count < rows.length ? `${count} of ${all}` : all;
      for (const { name, value } of choices.filter((choice) => choice.name)) {
        if (value) address.searchParams.set(name, value);
        else address.searchParams.delete(name);
      }
      window.history.replaceState(null, "", address);
    };
    for (const choice of choices) {
      const asked = address.searchParams.get(choice.name) ?? "";
      if (choice.type === "search" || [...choice.options].some((option) => option.value === asked)) choice.value = asked;
      choice.addEventListener("input", apply);
    }
    form.addEventListener("reset", () => window.setTimeout(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }
})();
