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
/* a link to a claim opens the folds around it */
const open = () => {
  const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target?.scrollIntoView();
};
window.addEventListener("hashchange", open);
if (window.location.hash) open();
