import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** An announcement from the form of an administrator to the users of the account, who close it for good. */

const { page, api, make, accountId, open, openAnew, button, dialog, row, says, choose, tabOf } =
  await startJourney()
const { scopeId } = (
  await api.get<{ items: { id: number; scopeId: number }[] }>('/tenant/fetch/all')
).items.find(({ id }) => id === accountId) as { scopeId: number }
const ada = await make.user(`ada${accountId}`, { id: accountId, scopeId }, 'Viewer')
const { token } = await api.post<{ token: string }>('/auth/impersonate', { userId: ada.id })

const text = 'Am Montag stehen die Aufzüge still.'
const note = page.getByRole('region', { name: 'Ankündigungen' }).getByText(text)

describe('an announcement', () => {
  it('is written with a preview and the number of users it reaches', async () => {
    await open('/account-mgmt-announcements')
    await says('Noch keine Ankündigungen')
    await expectAccessible(page, 'no announcements')
    await button('Ankündigung anlegen').first().click()
    const form = handsOn(dialog())
    await form.button('Ankündigung anlegen').click()
    await says('Dieses Feld ist erforderlich')
    await form.says('Erreicht 2 Benutzer in 1 Account.')
    await choose('Art', 'Warnung')
    await form.field('Text').fill(text)
    await form.field('Adresse des Links').fill('javascript:alert(1)')
    await form.field('Name des Links').fill('Fahrplan')
    await form.says('Geben Sie eine vollständige Adresse mit https:// ein.')
    await form.field('Adresse des Links').fill('https://example.org/aufzuege')
    const preview = dialog().getByRole('region', { name: 'Vorschau' })
    await preview.getByText(text).waitFor()
    expect(await preview.getByRole('link', { name: 'Fahrplan' }).getAttribute('href')).toBe(
      'https://example.org/aufzuege',
    )
    await expectAccessible(page, 'announcement form')
  })

  it('is on top of every page at once for users who are signed in', async () => {
    const theirs = await tabOf(token, phone)
    await open('/home', theirs.page)
    await handsOn(dialog()).button('Ankündigung anlegen').click()
    await row(/Aufzüge.*Warnung.*sichtbar/).waitFor()
    const banner = theirs.page.getByRole('region', { name: 'Announcements' })
    await banner.getByText(text).waitFor()
    await expectAccessible(theirs.page, 'banner on a phone')
    await expectFits(theirs.page, 'banner on a phone')
    // Who acts as somebody else closes nothing for them.
    expect(await banner.getByRole('button').count()).toBe(0)
    expect(theirs.problems).toEqual([])
    await theirs.context.close()
  })

  it('is closed for good', async () => {
    await note.waitFor()
    await button(/Für immer schließen/).click()
    await note.waitFor({ state: 'hidden' })
    await openAnew('/account-mgmt-announcements')
    await row(/Aufzüge.*sichtbar/).waitFor()
    expect(await note.count()).toBe(0)
  })

  it('is duplicated as a message on the home page, which the administrator closes', async () => {
    await row(/Aufzüge/)
      .getByRole('button', { name: /Aktionen|Mehr/ })
      .click()
    await page.getByRole('menuitem', { name: 'Duplizieren' }).click()
    await choose('Wo', 'Nachricht auf der Startseite')
    await handsOn(dialog()).button('Ankündigung anlegen').click()
    await row(/Nachricht auf der Startseite/).waitFor()
    await expectAccessible(page, 'announcements')
    await openAnew('/home')
    const message = page.getByRole('main').getByRole('region', { name: 'Ankündigungen' })
    await message.waitFor()
    await expectAccessible(page, 'message on the home page')
    await page
      .getByRole('main')
      .getByRole('button', { name: /Für immer schließen/ })
      .click()
    await message.waitFor({ state: 'detached' })
  })

  it('is deactivated and deleted from the list, which names it afterwards', async () => {
    await open('/account-mgmt-announcements')
    await row(/Banner auf jeder Seite/)
      .getByRole('button', { name: /Aktionen|Mehr/ })
      .click()
    await page.getByRole('menuitem', { name: 'Deaktivieren' }).click()
    await row(/deaktiviert.*Banner auf jeder Seite/).waitFor()
    await row(/Banner auf jeder Seite/)
      .getByRole('button', { name: /Aktionen|Mehr/ })
      .click()
    await page.getByRole('menuitem', { name: 'Löschen' }).click()
    await dialog().getByRole('button', { name: 'Löschen' }).click()
    await row(/Banner auf jeder Seite/).waitFor({ state: 'detached' })
  })
})
