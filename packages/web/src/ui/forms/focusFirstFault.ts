/** After a save was refused: what has to be corrected may be out of sight. */
export function focusFirstFault(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[aria-invalid="true"], [data-error] input')?.focus(),
  )
}
