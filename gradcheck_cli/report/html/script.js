"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const table = document.querySelector("table.cases");

  const copy = async (button) => {
    const code = button.previousElementSibling;
    const say = (word) => {
      button.textContent = word;
      byId("said").textContent = word;
      window.setTimeout(() => { button.textContent = "Copy"; }, 2500);
    };
    try {
      await navigator.clipboard.writeText(code.textContent);
      say("Copied");
      return;
    } catch (error) {
      // No permission, or a page that isn't from a safe place: the older way needs a selection.
    }
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    let copied = false;
    try { copied = document.execCommand("copy"); } catch (error) { copied = false; }
    say(copied ? "Copied" : "Selected");
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
  });

  if (!table) return;
  document.documentElement.classList.add("scripted");
  const DESCENDING_FIRST = new Set(["verdict", "error", "time"]);
  const words = new Intl.Collator(undefined, { numeric: true });
  const number = (text) => (text === "inf" ? Infinity : Number(text));
  const cases = [...table.tBodies].map((body) => {
    const button = body.querySelector("button.name");
    return {
      body,
      button,
      row: body.querySelector("tr.row"),
      detail: body.querySelector("tr.detail"),
      group: body.dataset.group,
      number: Number(body.dataset.number),
      name: button.textContent,
      error: number(body.dataset.error),
      time: Number(body.dataset.seconds),
      rank: Number(body.dataset.rank),
      text: `${body.querySelector("tr.row").textContent} ${body.dataset.terms}`.toLowerCase(),
    };
  });
  const compare = {
    verdict: (one, other) => other.rank - one.rank,
    file: (one, other) => one.number - other.number,
    name: (one, other) => words.compare(one.name, other.name),
    error: (one, other) => one.error - other.error || 0,
    time: (one, other) => one.time - other.time,
  };
  const find = byId("find");
  const sort = byId("sort");
  const chips = [...document.querySelectorAll("button.chip")];
  const known = new Set(chips.map((chip) => chip.dataset.group));
  const untouched = () => ({ groups: new Set(), text: "", sort: "verdict", descending: true, opened: 0 });
  let state = untouched();

  const setOpen = (each, open) => {
    each.detail.hidden = !open;
    each.button.setAttribute("aria-expanded", String(open));
  };

  // What follows a # is either a state, which has an equals sign, or the place of a page, which has none.
  const read = () => {
    const hash = window.location.hash.slice(1);
    if (hash && !hash.includes("=")) return null;
    const given = new URLSearchParams(hash);
    const found = untouched();
    (given.get("verdict") || "").split(",").forEach((group) => known.has(group) && found.groups.add(group));
    found.text = given.get("text") || "";
    if (Object.hasOwn(compare, given.get("sort") || "")) found.sort = given.get("sort");
    found.descending = DESCENDING_FIRST.has(found.sort);
    if (given.has("order")) found.descending = given.get("order") === "descending";
    found.opened = Number(given.get("case")) || 0;
    return found;
  };
  const write = () => {
    const given = new URLSearchParams();
    if (state.groups.size) given.set("verdict", [...state.groups].join(","));
    if (state.text) given.set("text", state.text);
    if (state.sort !== "verdict") given.set("sort", state.sort);
    if (state.descending !== DESCENDING_FIRST.has(state.sort)) {
      given.set("order", state.descending ? "descending" : "ascending");
    }
    if (state.opened) given.set("case", String(state.opened));
    const hash = given.toString().replaceAll("%2C", ",");
    try {
      window.history.replaceState(null, "", hash ? `#${hash}` : window.location.href.split("#")[0]);
    } catch (error) {
      // A page inside of another may be forbidden to; the state is only not kept then.
    }
  };

  const show = () => {
    const sign = state.descending ? -1 : 1;
    const order = [...cases].sort(
      (one, other) => sign * compare[state.sort](one, other) || one.number - other.number,
    );
    const inPlace = [...table.tBodies];
    if (order.some((each, place) => each.body !== inPlace[place])) {
      table.append(...order.map((each) => each.body));
    }
    const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const each of cases) {
      const fits = (!state.groups.size || state.groups.has(each.group)) && wanted.every((w) => each.text.includes(w));
      each.body.hidden = !fits;
      count += fits;
    }
    for (const chip of chips) chip.setAttribute("aria-pressed", String(state.groups.has(chip.dataset.group)));
    for (const heading of table.tHead.querySelectorAll("th[data-sort]")) {
      if (heading.dataset.sort === state.sort) {
        heading.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      } else {
        heading.removeAttribute("aria-sort");
      }
    }
    if (find.value !== state.text) find.value = state.text;
    sort.value = state.sort;
    byId("shown").textContent = count === cases.length ? `${count} shown` : `${count} of ${cases.length} shown`;
    byId("nothing").hidden = count > 0;
    byId("reset").hidden = !state.groups.size && !state.text;
  };
  const change = (changes) => {
    state = { ...state, ...changes };
    show();
    write();
  };
  const sortBy = (key) => {
    const turned = key === state.sort ? !state.descending : DESCENDING_FIRST.has(key);
    change({ sort: key, descending: turned });
  };
  const toggle = (each) => {
    const open = each.detail.hidden;
    setOpen(each, open);
    state.opened = open ? each.number : 0;
    write();
  };
  const goTo = (opened) => {
    const each = cases.find((one) => one.number === opened);
    if (!each) return;
    setOpen(each, true);
    each.body.scrollIntoView({ block: "start" });
  };

  for (const each of cases) {
    setOpen(each, "open" in each.body.dataset);
    each.row.addEventListener("click", (event) => {
      const chosen = window.getSelection();
      const selecting = chosen.type === "Range" && each.row.contains(chosen.anchorNode);
      if (event.target.closest("button") || !selecting) toggle(each);
    });
  }
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      const groups = new Set(state.groups);
      if (!groups.delete(chip.dataset.group)) groups.add(chip.dataset.group);
      change({ groups });
    });
  }
  for (const heading of table.tHead.querySelectorAll("th[data-sort]")) {
    heading.querySelector("button").addEventListener("click", () => sortBy(heading.dataset.sort));
  }
  find.addEventListener("input", () => change({ text: find.value }));
  sort.addEventListener("change", () => change({ sort: sort.value, descending: DESCENDING_FIRST.has(sort.value) }));
  byId("turn").addEventListener("click", () => sortBy(state.sort));
  byId("open-all").addEventListener("click", () => cases.forEach((each) => each.body.hidden || setOpen(each, true)));
  byId("close-all").addEventListener("click", () => {
    cases.forEach((each) => setOpen(each, false));
    change({ opened: 0 });
  });
  for (const id of ["reset", "reset-too"]) {
    byId(id).addEventListener("click", () => {
      change({ groups: new Set(), text: "" });
      find.focus();
    });
  }
  window.addEventListener("hashchange", () => {
    const found = read();
    if (!found) return;
    state = found;
    show();
    goTo(state.opened);
  });

  document.querySelector(".controls").hidden = false;
  state = read() || state;
  show();
  goTo(state.opened);
})();
