// The reference and the guides: the menu of a phone, the language of the samples, and the search.
import { element, find } from './dom.js';

const memory = 'language of samples';

const menu = find('#menu');
menu.addEventListener('click', () => {
  const isOpen = menu.getAttribute('aria-expanded') === 'true';
  menu.setAttribute('aria-expanded', String(!isOpen));
});
find('#contents').addEventListener('click', ({ target }) => {
  if (target.closest('a')) menu.setAttribute('aria-expanded', 'false');
});

/** Shows the samples of one language, in all tabs of the page. */
function choose(language) {
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const isChosen = tab.dataset.language === language;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  for (const panel of document.querySelectorAll('[role=tabpanel]')) {
    panel.hidden = panel.dataset.language !== language;
  }
}

/** Chooses the language of a tab; the tab stays where it is in the window. */
function chooseBy(tab) {
  const { top } = tab.getBoundingClientRect();
  choose(tab.dataset.language);
  scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' });
  tab.focus({ preventScroll: true });
  try {
    localStorage.setItem(memory, tab.dataset.language);
  } catch {
    // A browser that keeps nothing begins with curl on the next page.
  }
}

function findMemory() {
  try {
    return localStorage.getItem(memory);
  } catch {
    return null;
  }
}

const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

for (const list of document.querySelectorAll('[role=tablist]')) {
  const tabs = [...list.children];
  list.addEventListener('click', ({ target }) => {
    const tab = target.closest('[role=tab]');
    if (tab) chooseBy(tab);
  });
  list.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.indexOf(event.target) + step;
    const next = Number.isFinite(at)
      ? (at + tabs.length) % tabs.length
      : step < 0
        ? 0
        : tabs.length - 1;
    chooseBy(tabs[next]);
  });
}

const remembered = findMemory();
if (remembered && find(`[role=tab][data-language="${CSS.escape(remembered)}"]`)) choose(remembered);

/** Marks the part of the page that is read in the contents. */
function followReading() {
  const links = new Map(
    [...document.querySelectorAll('#contents a[href^="#"]')].map((link) => [
      document.getElementById(decodeURIComponent(link.hash.slice(1))),
      link,
    ]),
  );
  links.delete(null);
  const mark = () => {
    const passed = [...links.keys()].filter((part) => part.getBoundingClientRect().top < 120);
    const current = links.get(passed.at(-1));
    for (const link of links.values()) link.removeAttribute('aria-current');
    current?.setAttribute('aria-current', 'true');
  };
  let isWaiting = false;
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}
followReading();

const [finder, found, count] = [find('#finder'), find('#found'), find('#found-count')];
const mostShown = 15;
const kinds = ['endpoint', 'section', 'field', 'error'];
let entries;
let loading;

/** How well an entry fits the words: the lower the better; undefined: not at all. */
function rate([kind, name, where, text], words) {
  const [lowName, all] = [name.toLowerCase(), `${name} ${where} ${text}`.toLowerCase()];
  if (!words.every((word) => all.includes(word))) return undefined;
  const asked = words.join(' ');
  const fit =
    lowName === asked ? 0 : lowName.startsWith(asked) ? 1 : lowName.includes(asked) ? 2 : 3;
  // Words that only a description has mean the endpoint rather than one of its fields.
  return fit * 10 + kinds.indexOf(kind);
}

function findEntries(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => [rate(entry, words), entry])
    .filter(([rating]) => rating !== undefined)
    .toSorted(([one], [other]) => one - other)
    .map(([, entry]) => entry);
}

function showFound() {
  const matches = findEntries(finder.value);
  found.replaceChildren(
    ...matches.slice(0, mostShown).map(([kind, name, where, , address]) => {
      const link = element('a', { href: address }, name, element('small', {}, `${kind}: ${where}`));
      return element('li', {}, link);
    }),
  );
  found.hidden = matches.length === 0;
  const total = `${matches.length} ${matches.length === 1 ? 'result' : 'results'}`;
  const more = matches.length > mostShown ? `, the first ${mostShown} shown` : '';
  count.textContent = finder.value.trim() === '' ? '' : total + more;
}

async function loadEntries() {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(String(response.status));
  entries = await response.json();
}

/** Shows at once what is typed; while the entries load, only their arrival does. */
async function search() {
  if (entries) {
    showFound();
    return;
  }
  if (loading) return;
  try {
    loading = loadEntries();
    await loading;
    showFound();
  } catch {
    loading = undefined;
    count.textContent = 'The search did not load: try again in a minute.';
  }
}

if (finder) {
  finder.disabled = false;
  finder.addEventListener('input', () => void search());
  const area = finder.closest('search');
  area.addEventListener('keydown', (event) => {
    const stops = [finder, ...found.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      finder.value = '';
      showFound();
      finder.focus();
    } else if (event.key === 'Enter' && event.target === finder) stops[1]?.click();
    else if (event.key === 'ArrowDown') stops[Math.min(at + 1, stops.length - 1)].focus();
    else if (event.key === 'ArrowUp') stops[Math.max(at - 1, 0)].focus();
    else return;
    event.preventDefault();
  });
  found.addEventListener('click', ({ target }) => {
    if (target.closest('a')) found.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    finder.focus();
  });
}
