"use strict";
/* the claims table: rows that fit all selects; the address keeps the choice */
for (const form of document.querySelectorAll("form.filters")) {
  const rows = [...document.querySelectorAll("table.claims tbody tr")];
  const selects = [...form.querySelectorAll("select")];
  const address = new URL(window.location.href);
  const apply = () => {
    for (const row of rows) row.hidden = selects.some(({ name, value }) => value && row.dataset[name] !== value);
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("[role=status]").textContent = `${shown} of ${rows.length}`;
    for (const { name, value } of selects) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    window.history.replaceState(null, "", address);
  };
  for (const select of selects) {
    const value = address.searchParams.get(select.name);
    if ([...select.options].some((option) => option.value === value)) select.value = value;
    select.addEventListener("input", apply);
  }
  form.addEventListener("reset", () => window.setTimeout(apply));
  form.hidden = false;
  apply();
}
/* a click on a heading sorts by it, a second one the other way round; dashes are last */
for (const table of document.querySelectorAll("table.claims")) {
  const [body] = table.tBodies;
  const heads = [...table.tHead.rows[0].cells];
  for (const [at, head] of heads.entries()) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    const key = (row) => row.cells[at].textContent.trim();
    const value = (row) => (head.classList.contains("n") ? Number.parseFloat(key(row).replace("[", "")) : key(row));
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const compare = (a, b) => Number.isNaN(a) - Number.isNaN(b) || sign * ((a > b) - (a < b));
      body.append(...[...body.rows].sort((a, b) => compare(value(a), value(b))));
    });
  }
}
/* a link to a claim opens the folds around it */
const open = () => {
  const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target?.scrollIntoView();
};
window.addEventListener("hashchange", open);
if (window.location.hash) open();
