/**
 * Gives an empty document the style sheets of the page, also those that come with code that is loaded later, and its
 * language. Its elements neither take the focus nor scroll the page around them into view.
 * @returns ends it
 */
export function followStyles(page: Document, inside: Document): () => void {
  inside.documentElement.lang = page.documentElement.lang
  const view = inside.defaultView as (Window & typeof globalThis) | null
  if (view) {
    view.HTMLElement.prototype.focus = () => undefined
    view.Element.prototype.scrollIntoView = () => undefined
  }
  const copies = new Map<Node, Node>()
  const follow = () => {
    for (const sheet of page.head.querySelectorAll('link[rel=stylesheet], style')) {
      if (copies.has(sheet)) continue
      const copy = inside.importNode(sheet, true)
      copies.set(sheet, copy)
      inside.head.append(copy)
    }
  }
  follow()
  const observer = new MutationObserver(follow)
  observer.observe(page.head, { childList: true })
  return () => {
    observer.disconnect()
    for (const copy of copies.values()) copy.parentNode?.removeChild(copy)
  }
}
