// Keys, and lists that narrow as one types. Without it everything can still be read and followed.
"use strict";

const typing = () => /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
const follow = (selector) => document.querySelector(selector)?.click();

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    document.activeElement?.blur();
    return;
  }
  if (typing()) return;
  const sideways = document.activeElement?.matches(".scroll") ?? false; // there arrows scroll
  if (event.key === "/") {
    const box = document.querySelector("[data-search]");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "j" || (event.key === "ArrowRight" && !sideways)) follow('a[rel="next"]');
  else if (event.key === "k" || (event.key === "ArrowLeft" && !sideways)) follow('a[rel="prev"]');
  else if (event.key === "h") follow("a.home");
});

for (const box of document.querySelectorAll("[data-narrow]")) {
  const list = document.getElementById(box.dataset.narrow);
  box.addEventListener("input", () => {
    const wanted = box.value.trim().toLowerCase();
    for (const group of list.querySelectorAll("details")) {
      let some = false;
      for (const item of group.querySelectorAll("li")) {
        const name = `${group.querySelector("summary").textContent}.${item.textContent}`.toLowerCase();
        item.hidden = !name.includes(wanted);
        some ||= !item.hidden;
      }
      group.hidden = !some;
      if (wanted) group.open = some;
    }
  });
}

// Fields that say nothing stay out of addresses.
for (const form of document.forms) {
  form.addEventListener("submit", () => {
    for (const control of form.elements) if (control.name && !control.value) control.disabled = true;
  });
}
addEventListener("pageshow", () => {
  for (const form of document.forms) for (const control of form.elements) control.disabled = false;
});

// The list of steps shows the one at hand, whatever its length; the page itself stays where it is.
const here = document.querySelector('.steps [aria-current="step"]');
const list = here?.closest(".side");
if (list) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
