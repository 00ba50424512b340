// Copies the code before a button with `data-copy`, on every page that has one.
async function copy(button) {
  // A second press comes before the label is back.
  const label = (button.dataset.label ??= button.textContent);
  const code = button.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = button.dataset.copied;
  } catch {
    // Without HTTPS a page has no clipboard: the selection leaves copying to the reader.
    getSelection().selectAllChildren(code);
    button.textContent = button.dataset.selected;
  }
  setTimeout(() => (button.textContent = label), 2000);
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest('[data-copy]');
  if (button) void copy(button);
});
