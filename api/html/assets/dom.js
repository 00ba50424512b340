// Finds and makes HTML elements, for the scripts of all pages.
export const find = (selector) => document.querySelector(selector);

/** Returns a new HTML element; `content` is its text or its child elements. */
export function element(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}
