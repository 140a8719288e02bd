"use strict";
/* contents that fold on a narrow window, tables to sort; browsers open folds that a link leads into */
(() => {
  document.documentElement.classList.add("scripted");
  const contents = document.querySelector(".contents details");
  const narrow = window.matchMedia("(max-width: 64rem)");
  const fold = () => { contents.open = !narrow.matches; };
  if (contents) {
    fold();
    narrow.addEventListener("change", fold);
    contents.addEventListener("click", (event) => {
      if (narrow.matches && event.target.closest("a")) contents.open = false;
    });
  }

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
      const column = Number(head.dataset.column);
      const keyed = first.map((row) => [valueOf(row, column), row]);
      const known = keyed.filter(([value]) => value !== "");
      known.sort(([a], [b]) => (down ? order(b, a) : order(a, b)));
      body.append(...[...known, ...keyed.filter(([value]) => value === "")].map(([, row]) => row));
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      if (select) select.value = `${column} ${down ? "down" : "up"}`;
    };

    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const numbers = first.some((row) => typeof valueOf(row, Number(head.dataset.column)) === "number");
        const before = head.getAttribute("aria-sort");
        sort(head, before ? before === "ascending" : numbers && head.classList.contains("n"));
      });
      for (const [way, mark] of select ? [["up", "↑"], ["down", "↓"]] : []) {
        select.add(new Option(`${button.textContent} ${mark}`, `${head.dataset.column} ${way}`));
      }
    }
    if (select) {
      select.value = "";
      select.addEventListener("change", () => {
        const [column, way] = select.value.split(" ");
        sort(heads.find((one) => one.dataset.column === column), way === "down");
      });
    }
  }
})();
