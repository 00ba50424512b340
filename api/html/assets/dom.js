// Finds and makes elements, on every page with a script of its own.
export const find = (selector) => document.querySelector(selector);

/** Makes an element; `content` is text or elements. */
export function element(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}
