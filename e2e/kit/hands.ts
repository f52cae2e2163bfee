import type { Locator, Page } from 'playwright-core'

/** Locators by accessible name. Strings match exactly, patterns do not. */
export interface Hands {
  button(name: string | RegExp): Locator
  /** a field to type into */
  field(name: string | RegExp): Locator
  /** a field with options, whether or not it accepts typing */
  choice(name: string | RegExp): Locator
  /** selects an option of a field */
  choose(name: string | RegExp, option: string | RegExp): Promise<void>
  dialog(): Locator
  heading(name: string | RegExp): Locator
  row(name: string | RegExp): Locator
  tabNamed(name: string | RegExp): Locator
  /** resolves once the text is on the page */
  says(text: string | RegExp): Promise<void>
}

/** @param where the page, or a part of it; options and dialogs are searched in the whole page */
export function handsOn(where: Page | Locator): Hands {
  const page = 'page' in where ? where.page() : where
  const exactly = (name: string | RegExp) => ({ name, exact: typeof name === 'string' })
  const field = (name: string | RegExp) => where.getByRole('textbox', exactly(name))
  const choice = (name: string | RegExp) => where.getByRole('combobox', exactly(name)).or(field(name)).first()
  return {
    button: (name) => where.getByRole('button', exactly(name)),
    field,
    choice,
    async choose(name, option) {
      // At the edge of the window, clicking an option would scroll first, and its list hides while the field is out of sight.
      await choice(name).evaluate((field) => field.scrollIntoView({ block: 'center' }))
      await choice(name).click()
      await page.getByRole('option', exactly(option)).click()
    },
    dialog: () => page.getByRole('dialog'),
    heading: (name) => where.getByRole('heading', { name }),
    row: (name) => where.getByRole('row', { name }),
    tabNamed: (name) => where.getByRole('tab', { name }),
    says: (text) => where.getByText(text).first().waitFor(),
  }
}
