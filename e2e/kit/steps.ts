import type { Page } from 'playwright-core'

/** A task and what it took. */
export interface Task {
  name: string
  steps: number
  seconds: number
}

/**
 * Counts a person's steps in a page: clicks and taps, keys that do something (Enter, Escape, arrows, shortcuts),
 * and each typed text as one step, whatever its length.
 */
export async function countSteps(
  page: Page,
): Promise<(name: string, play: () => Promise<void>) => Promise<Task>> {
  let steps = 0
  await page.exposeFunction('countStep', () => {
    steps += 1
  })
  const listen = () => {
    let typed: EventTarget | null = null
    const count = () => void (globalThis as unknown as { countStep(): Promise<void> }).countStep()
    // At the document: what the driver's own listener at the window takes back, because the page moved under the pointer
    // and it will press again, never gets here.
    document.addEventListener(
      'pointerdown',
      () => {
        typed = null
        count()
      },
      true,
    )
    addEventListener(
      'keydown',
      ({ key, ctrlKey, metaKey, repeat }) => {
        const decides = /^(Enter|Escape|Tab|Arrow\w+|Delete| )$/.test(key) || ctrlKey || metaKey
        if (!decides || repeat || /^(Control|Meta|Shift|Alt)$/.test(key)) return
        typed = null
        count()
      },
      true,
    )
    addEventListener(
      'input',
      ({ target }) => {
        const isText =
          target instanceof HTMLElement &&
          (target.isContentEditable || target.matches('textarea, input:not([type=checkbox], [type=radio])'))
        if (!isText || target === typed) return
        typed = target
        count()
      },
      true,
    )
  }
  await page.addInitScript(listen)
  await page.evaluate(listen)
  return async (name, play) => {
    steps = 0
    const start = performance.now()
    await play()
    // By the time the page answers, all of its earlier calls have arrived.
    await page.evaluate(() => null)
    return { name, steps, seconds: (performance.now() - start) / 1000 }
  }
}
