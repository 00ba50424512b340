// Copies the code beside a button with `data-copy`, on every page that has such a button.
async function copy(button) {
  // The original label is stored, since a second click may come while the button shows "copied".
  const label = (button.dataset.label ??= button.textContent);
  const code = button.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = button.dataset.copied;
  } catch {
    // Without HTTPS a page has no clipboard, so the code is selected and the reader copies the selection.
    getSelection().selectAllChildren(code);
    button.textContent = button.dataset.selected;
  }
  setTimeout(() => (button.textContent = label), 2000);
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest('[data-copy]');
  if (button) void copy(button);
});
