import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, openTab } from './browser.ts'
import { sharedBrowser } from './journey.ts'

describe('looking for violations', () => {
  it('finds them in a dialog every time, and behind it the first time', async () => {
    await using tab = await openTabOf(frame('', button('Schließen')))
    const { page } = tab
    const found = () => violationsOn(page)
    expect(await found()).toBe('')

    await page.setContent(frame('', button('')))
    expect(await found()).toMatch(/button-name/)
    // Behind a dialog the known page is left out, but not without one.
    await page.setContent(frame(button(''), button('Schließen')))
    expect(await found()).toBe('')
    await page.setContent(frame(button('')))
    expect(await found()).toMatch(/button-name/)
    // Another size is another page.
    await page.setViewportSize({ width: 375, height: 760 })
    await page.setContent(frame(button(''), button('Schließen')))
    expect(await found()).toMatch(/button-name/)
  })

  it('finds them in the menu the first time, and again when it has other entries', async () => {
    await using tab = await openTabOf(withMenu(button('')))
    const { page } = tab
    const found = () => violationsOn(page)
    expect(await found()).toMatch(/button-name/)
    expect(await found()).toBe('')
    await page.setContent(withMenu(button('Start') + button('')))
    expect(await found()).toMatch(/button-name/)
    // The screen beside it is checked every time.
    await page.setContent(withMenu(button('Start') + button('Ende'), button('')))
    expect(await found()).toMatch(/button-name/)
    expect(await found()).toMatch(/button-name/)
  })

  it('finds texts that can hardly be read in new colours, and small targets when there are more', async () => {
    const text = (colour: string) => `<p style="color: ${colour}">Text</p>`
    await using tab = await openTabOf(withMenu('', `${text('#000')}${button('A')}`))
    const { page } = tab
    const found = () => violationsOn(page)
    expect(await found()).toBe('')
    await page.setContent(withMenu('', `${text('#000')}${text('#ddd')}${button('A')}`))
    expect(await found()).toMatch(/color-contrast/)
    const small = '<button style="width: 8px; height: 8px; padding: 0; border: 0">B</button>'
    await page.setContent(withMenu('', `${text('#000')}<div style="display: flex">${small.repeat(5)}</div>`))
    expect(await found()).toMatch(/target-size/)
    // A dark ground is another one, also for a known colour.
    await page.setContent(withMenu('', `<div style="background: #222">${text('#000')}</div>`))
    expect(await found()).toMatch(/color-contrast/)
  })
})

/** What is reported of a page; empty: nothing. */
const violationsOn = (page: Page): Promise<string> =>
  expectAccessible(page, 'a page').then(
    () => '',
    ({ actual }: { actual: string[] }) => actual.join(),
  )

const withMenu = (menu: string, content = '') =>
  `<!doctype html><html lang="de"><head><title>Seite</title></head><body><div id="root"><div>
    <nav aria-label="Menü">${menu}</nav><div><main id="main"><h1>Seite</h1>${content}</main></div></div></div></body></html>`

const button = (name: string) => `<button style="width: 40px; height: 40px">${name}</button>`

/** A page like those of the console: dialogs are beside the root. */
function frame(content: string, inDialog?: string): string {
  const dialog =
    inDialog === undefined ? '' : `<div role="dialog" aria-modal="true" aria-label="Frage">${inDialog}</div>`
  return `<!doctype html><html lang="de"><head><title>Seite</title></head><body>
    <div id="root"><main><h1>Seite</h1>${content}</main></div>${dialog}</body></html>`
}

async function openTabOf(html: string) {
  const tab = await openTab(await sharedBrowser())
  await tab.page.setContent(html)
  return { ...tab, [Symbol.asyncDispose]: () => tab.context.close() }
}
