// Shows the view that the URL names. Links inside the console load no new page, since a new page loses the token.
import { find } from '../dom.js';
import { hasToken } from './kit.js';

const views = [...find('#views').children];
const shows = new Map();

/** Registers a function that runs when the URL names a view; the function gets the `<ref>` of `/companies/<ref>`. */
export function onView(id, show) {
  shows.set(id, show);
}

/** The name of the service, which is the end of every page's title. */
const service = document.title.split(' · ').at(-1);

/** Writes the name of the view into the title and the heading of the page. */
export function nameView(id, name) {
  find(`#${id} h1`).textContent = name;
  if (!find(`#${id}`).hidden) document.title = `${name} · ${service}`;
}

/** Shows the registries of a country, or of all countries, at the foot of the page. */
export function nameRegistries(country_code) {
  for (const one of document.querySelectorAll('[data-attribution]')) {
    one.hidden = country_code !== undefined && one.dataset.attribution !== country_code;
  }
}

/** Shows the view that the URL names, and moves the focus to the heading of the view. */
export async function route() {
  const [, ref] = /^\/companies\/([^/]+)$/.exec(location.pathname) ?? [];
  const wanted = ref === undefined ? location.hash.slice(1) : 'company';
  const view = views.find(({ id, children }) => id === wanted && children.length > 0) ?? views[0];
  for (const one of views) one.hidden = one !== view;
  for (const link of document.querySelectorAll('.views a')) {
    if (link.hash === `#${view.id}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const heading = view.querySelector('h1');
  nameView(view.id, heading.textContent);
  nameRegistries();
  window.scrollTo(0, 0);
  heading.focus({ preventScroll: true });
  await shows.get(view.id)?.(ref && decodeURIComponent(ref));
}

/** Opens a URL of the console without loading a page. */
export function go(address) {
  history.pushState(null, '', address);
  return route();
}

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a[href^="/"]');
  if (!link || !hasToken() || link.target || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!/^\/(console$|companies\/)/.test(link.pathname)) return;
  event.preventDefault();
  void go(link.href);
});

window.addEventListener('popstate', () => {
  // The hash of the link "skip to content" is not the name of a view.
  const isView = location.hash === '' || views.some(({ id }) => `#${id}` === location.hash);
  if (hasToken() && isView) void route();
});
