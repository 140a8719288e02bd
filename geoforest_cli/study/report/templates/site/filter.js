"use strict";
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const claims = [...document.querySelectorAll("li.claim")];
  const choices = [...form.querySelectorAll("select")];
  const address = new URL(window.location.href);

  const apply = () => {
    const wanted = choices.filter((one) => one.value);
    let count = 0;
    for (const claim of claims) {
      claim.hidden = !wanted.every((one) => claim.dataset[one.name] === one.value);
      count += claim.hidden ? 0 : 1;
    }
    for (const section of document.querySelectorAll("section.paper")) {
      section.hidden = !section.querySelector("li.claim:not([hidden])");
    }
    shown.textContent = wanted.length
      ? `${count} of ${claims.length} claims`
      : `${claims.length} claims`;
    for (const one of choices) {
      if (one.value) address.searchParams.set(one.name, one.value);
      else address.searchParams.delete(one.name);
    }
    window.history.replaceState(null, "", address);
  };

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
