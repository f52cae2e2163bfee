/** After a refused save: the first fault may be out of sight. */
export function focusFirstFault(): void {
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>('[aria-invalid="true"], [data-error] input')
    // A picker would open its list, which covers the fields below.
    if (first?.ariaHasPopup === 'listbox') first.scrollIntoView({ block: 'nearest' })
    else first?.focus()
  })
}
