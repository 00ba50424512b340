// Runs on the pages of reference and guides: the menu on a phone, the language of samples, and the search.
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

/** Shows all code samples of the page in one programming language. */
function choose(language) {
  for (const choice of document.querySelectorAll('.samples input')) {
    choice.checked = choice.value === language;
  }
}

function findMemory() {
  try {
    return localStorage.getItem(memory);
  } catch {
    return null;
  }
}

const remembered = findMemory();
if (remembered && find(`.samples [value="${CSS.escape(remembered)}"]`)) choose(remembered);

// The page scrolls so that the clicked choice keeps its place while the samples above it change their height.
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.samples input')) return;
  const { top } = target.getBoundingClientRect();
  choose(target.value);
  scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  try {
    localStorage.setItem(memory, target.value);
  } catch {
    // Without local storage the chosen language is lost, and the next page shows curl samples.
  }
});

/** Marks the section that the reader sees in the table of contents. */
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
  addEventListener('scroll', mark, { passive: true });
  mark();
}
followReading();

const [finder, found, count] = [find('#finder'), find('#found'), find('#found-count')];
const mostShown = 15;
const kinds = ['endpoint', 'section', 'field', 'error'];
let loading;

/** Returns the rank of a search entry for the searched words: 0 is best; undefined if the entry lacks a word. */
function rate([kind, name, where, text], words) {
  const [lowName, all] = [name.toLowerCase(), `${name} ${where} ${text}`.toLowerCase()];
  if (!words.every((word) => all.includes(word))) return undefined;
  const asked = words.join(' ');
  const fit =
    lowName === asked ? 0 : lowName.startsWith(asked) ? 1 : lowName.includes(asked) ? 2 : 3;
  // Among entries that match equally well, an endpoint precedes its sections, fields and errors.
  return fit * 10 + kinds.indexOf(kind);
}

function findEntries(entries, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => [rate(entry, words), entry])
    .filter(([rating]) => rating !== undefined)
    .toSorted(([one], [other]) => one - other)
    .map(([, entry]) => entry);
}

function showFound(entries) {
  const matches = findEntries(entries, finder.value);
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
  return response.json();
}

/** Shows the entries that match the searched words, as soon as the entries are loaded. */
async function search() {
  try {
    showFound(await (loading ??= loadEntries()));
  } catch {
    loading = undefined;
    count.textContent = 'The search did not load: try again in a minute.';
  }
}

finder.disabled = false;
finder.addEventListener('input', search);
finder.closest('search').addEventListener('keydown', (event) => {
  const stops = [finder, ...found.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (event.key === 'Escape') {
    finder.value = '';
    showFound([]);
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
  const isTyping = event.target.closest('input:not([type=radio]), textarea, select');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  finder.focus();
});
