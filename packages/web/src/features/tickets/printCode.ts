/**
 * Prints the code that is shown with what it is for above and the place below it, on a page of its own. Nodes are built, so
 * that the title of a twin is never read as markup.
 */
export function printCode({ heading, place }: { heading: string; place: string }): void {
  const code = document.querySelector('#ticket-code svg')
  if (code === null) return
  const frame = document.createElement('iframe')
  frame.hidden = true
  document.body.append(frame)
  const page = frame.contentDocument
  const view = frame.contentWindow
  if (page === null || view === null) return
  const line = (name: 'h1' | 'p', text: string, size: string) => {
    const element = page.createElement(name)
    element.textContent = text
    element.style.cssText = `font: ${size} sans-serif; text-align: center; margin: 8mm 0`
    return element
  }
  const copy = page.importNode(code, true) as SVGElement
  copy.style.cssText = 'display: block; width: 100mm; margin: 0 auto'
  page.title = place
  page.body.append(line('h1', heading, 'bold 28pt'), copy, line('p', place, '20pt'))
  view.addEventListener('afterprint', () => frame.remove())
  view.print()
}
