"use strict";
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const claims = [...document.querySelectorAll("tr.claim")];
  const texts = claims.map((one) => one.textContent.toLowerCase());
  const search = document.getElementById("filter-q");
  const choices = [...form.querySelectorAll("select[name]")];
  const address = new URL(window.location.href);

  const fits = (claim, choice) => claim.dataset[choice.name].split(choice.name === "reading" ? " " : "\n").includes(choice.value);

  const apply = () => {
    const wanted = choices.filter((one) => one.value);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    claims.forEach((claim, i) => {
      claim.hidden = !(wanted.every((one) => fits(claim, one)) && words.every((one) => texts[i].includes(one)));
      count += claim.hidden ? 0 : 1;
    });
    shown.textContent = wanted.length || words.length
      ? `${count} of ${claims.length} claims`
      : `${claims.length} claims`;
    for (const one of [search, ...choices]) {
      if (one.value) address.searchParams.set(one.name, one.value);
      else address.searchParams.delete(one.name);
    }
    window.history.replaceState(null, "", address);
  };

  search.value = address.searchParams.get("q") ?? "";
  search.addEventListener("input", apply);
  for (const one of choices) {
    const asked = address.searchParams.get(one.name) ?? "";
    if ([...one.options].some((option) => option.value === asked)) one.value = asked;
    one.addEventListener("change", apply);
  }
  form.addEventListener("reset", () => window.setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
